package io.github.lockstarter.result;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.result.ResultHead.ResultKind;

/**
 * The format for the values of a method: JSON of the declared type. No type is ever read
 * from the text.
 */
final class ResultFormat {

	private final ResultType type;

	private final ResolvableType written;

	private final JsonMapper mapper;

	private final JavaType json;

	private final ObjectWriter writer;

	private final String shape;

	/**
	 * Creates a format.
	 * @param mapper the mapper of the application
	 */
	ResultFormat(ResultType type, JsonMapper mapper) {
		this.type = type;
		this.written = ShareableTypes.written(type.type());
		this.mapper = mapper.rebuild()
			.deactivateDefaultTyping()
			.polymorphicTypeValidator(new NoClassNames())
			// The settings of the application could lose data.
			.enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
			.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
			.build();
		Type declared = DeclaredTypes.resolved(this.written);
		this.json = this.mapper.constructType(declared);
		// The names of subclasses are written only if a type is declared.
		boolean namesSubclasses = DeclaredTypes.namedIn(declared)
			.stream()
			.anyMatch((named) -> AnnotationUtils.findAnnotation(named, JsonTypeInfo.class) != null);
		this.writer = namesSubclasses ? this.mapper.writerFor(this.json) : this.mapper.writer();
		this.shape = TypeShape.of(type.type());
	}

	/**
	 * Checks that values of the type can be read, and are whole then.
	 * @throws JacksonException if they cannot
	 * @throws IllegalStateException if a property would be lost
	 */
	void check() {
		for (Class<?> named : DeclaredTypes.namedIn(DeclaredTypes.resolved(this.written))) {
			if (!TypeShape.isPlatform(named) && !named.isPrimitive() && !named.isArray()) {
				check(named);
			}
		}
		LostProperties.check(this.mapper, this.json);
	}

	private void check(Class<?> type) {
		try {
			this.mapper.readerFor(type).readValue("{}");
		}
		catch (InvalidDefinitionException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			// The type can be read from other JSON.
		}
	}

	/**
	 * Writes a value.
	 * @param value a value, or a list of values if there are many
	 * @throws JacksonException if it cannot be written
	 * @throws IllegalStateException if a different value would be read from the text, or
	 * the limit of the output is exceeded
	 */
	void write(String fingerprint, @Nullable Object value, BoundedOutput output) {
		ResponseHead ofEntity = (value instanceof HttpEntity<?> entity) ? head(entity) : null;
		ResultText.write(new ResultHead(ResultKind.VALUE, fingerprint, this.shape, ofEntity, null, null), (content) -> {
			if (this.type.many()) {
				writeAll((List<?>) value, content);
			}
			else {
				writeOne((value instanceof HttpEntity<?> entity) ? entity.getBody() : value, content);
			}
		}, output);
	}

	private void writeAll(@Nullable List<?> values, BoundedOutput output) {
		output.write("[");
		String separator = "";
		for (Object each : (values != null) ? values : List.of()) {
			output.write(separator);
			writeOne(each, output);
			separator = ",";
		}
		output.write("]");
	}

	/** Writes one value, also as one of many. */
	void writeOne(@Nullable Object value, BoundedOutput output) {
		if (value == null || isNothing()) {
			output.write("null");
			return;
		}
		BoundedOutput one = output.rest();
		try {
			this.writer.writeValue(one, value);
		}
		finally {
			output.write(one);
		}
		if (!isReadAsWritten(one.toString())) {
			throw new IllegalStateException("It is a %s, and data would be lost when it is read as a %s"
				.formatted(value.getClass().getName(), this.written));
		}
	}

	/**
	 * Returns whether the value that is read equals the written one. It could lack
	 * properties of subclasses of the declared types, and properties that cannot be set.
	 */
	private boolean isReadAsWritten(String json) {
		String again = this.writer.writeValueAsString(this.mapper.readerFor(this.json).readValue(json));
		return again.equals(json)
				|| canonical(this.mapper.readTree(again)).equals(canonical(this.mapper.readTree(json)));
	}

	/**
	 * Returns a text that does not depend on the order of the elements of a set, which
	 * may be read in another one. The text of a container is a digest, so that its length
	 * does not grow with the depth of the value.
	 */
	private static String canonical(JsonNode node) {
		if (!node.isContainer()) {
			return node.toString();
		}
		Stream<String> parts = node.isObject()
				? node.propertyStream().map((property) -> property.getKey() + '=' + canonical(property.getValue()))
				: node.valueStream().map(ResultFormat::canonical);
		return LockKey.ofDigest("value", node.getNodeType() + parts.sorted().toList().toString()).key();
	}

	private boolean isNothing() {
		Class<?> declared = this.written.toClass();
		return declared == void.class || declared == Void.class;
	}

	private static ResponseHead head(HttpEntity<?> entity) {
		Integer status = (entity instanceof ResponseEntity<?> response) ? response.getStatusCode().value() : null;
		return ResponseHead.of(status, entity.getHeaders()::get);
	}

	/**
	 * Reads a value.
	 * @throws RuntimeException if the text is not a value of that type
	 */
	@Nullable Object read(ResultText text) {
		if (!this.shape.equals(text.head().shape())) {
			throw new IllegalStateException("It is of another version of " + this.type.type());
		}
		return this.type.many() ? readAll(text.content()) : readOne(text.head(), text.content());
	}

	private Object readAll(String json) {
		JavaType list = this.mapper.getTypeFactory().constructCollectionType(ArrayList.class, this.json);
		return this.mapper.readerFor(list).readValue(json);
	}

	private @Nullable Object readOne(ResultHead head, String json) {
		Object value = isNothing() ? null : this.mapper.readerFor(this.json).readValue(json);
		if (!ShareableTypes.isEntity(this.type.type())) {
			return value;
		}
		ResponseHead entity = (head.head() != null) ? head.head().checked() : ResponseHead.EMPTY;
		if (entity.status() == null && this.type.type().toClass() == ResponseEntity.class) {
			throw new IllegalStateException("It has no status");
		}
		HttpHeaders headers = new HttpHeaders();
		entity.headers().forEach(headers::addAll);
		return (entity.status() != null) ? new ResponseEntity<>(value, headers, entity.status())
				: new HttpEntity<>(value, headers);
	}

	/** Prevents the content of the store from selecting classes. */
	private static final class NoClassNames extends PolymorphicTypeValidator {

		private static final long serialVersionUID = 1;

		@Override
		public Validity validateBaseType(DatabindContext context, JavaType baseType) {
			return Validity.DENIED;
		}

		@Override
		public Validity validateSubClassName(DatabindContext context, JavaType baseType, String subClassName) {
			return Validity.DENIED;
		}

		@Override
		public Validity validateSubType(DatabindContext context, JavaType baseType, JavaType subType) {
			return Validity.DENIED;
		}

	}

}
