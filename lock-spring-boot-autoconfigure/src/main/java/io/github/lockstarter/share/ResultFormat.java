package io.github.lockstarter.share;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;

/**
 * Writes the results of a method as text, and reads them: a line that says what it is,
 * and JSON of the value as the type that the method declares. No type is ever read from
 * the text.
 */
final class ResultFormat {

	private static final JsonMapper HEADS = JsonMapper.builder().build();

	/** Of the headers of an entity, those that are about its content. */
	private static final List<String> HEADERS = List.of(HttpHeaders.LOCATION, HttpHeaders.ETAG, HttpHeaders.LINK,
			HttpHeaders.CONTENT_TYPE);

	private final ResultType type;

	private final ResolvableType written;

	private final JsonMapper mapper;

	private final JavaType json;

	private final String shape;

	/**
	 * Creates a format.
	 * @param mapper how the application writes JSON
	 */
	ResultFormat(ResultType type, JsonMapper mapper) {
		this.type = type;
		this.written = ShareableTypes.written(type.type());
		this.mapper = mapper.rebuild().deactivateDefaultTyping().polymorphicTypeValidator(new NoClassNames()).build();
		this.json = this.mapper.constructType(this.written.getType());
		this.shape = TypeShape.of(type.type());
	}

	/**
	 * Checks that what is written can be read.
	 * @throws JacksonException if the type cannot
	 */
	void check() {
		check(this.written);
	}

	private void check(ResolvableType type) {
		Arrays.stream(type.getGenerics()).forEach(this::check);
		Class<?> resolved = type.toClass();
		if (!TypeShape.isPlatform(resolved) && !resolved.isPrimitive() && !resolved.isArray()) {
			try {
				this.mapper.readerFor(this.mapper.constructType(type.getType())).readValue("{}");
			}
			catch (InvalidDefinitionException ex) {
				throw ex;
			}
			catch (JacksonException ex) {
				// It can be read from something else.
			}
		}
	}

	/**
	 * Writes a result.
	 * @param value a value, or a list of values if there are many
	 * @throws JacksonException if it cannot be written
	 * @throws IllegalStateException if it is not of the declared type, or does not fit
	 * into the output
	 */
	void write(String arguments, @Nullable Object value, BoundedOutput output) {
		Integer status = (value instanceof ResponseEntity<?> entity) ? entity.getStatusCode().value() : null;
		Map<String, List<String>> headers = (value instanceof HttpEntity<?> entity) ? headers(entity) : Map.of();
		output.write(HEADS.writeValueAsString(new Head(this.shape, arguments, status, headers)) + '\n');
		if (this.type.many()) {
			writeAll((List<?>) value, output);
		}
		else {
			writeOne((value instanceof HttpEntity<?> entity) ? entity.getBody() : value, output);
		}
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
		if (value != null && !isAsDeclared(value)) {
			throw new IllegalStateException("It is a %s, which would be read as the declared %s"
				.formatted(value.getClass().getName(), this.written));
		}
		if (value == null || isNothing()) {
			output.write("null");
		}
		else {
			this.mapper.writerFor(this.json).writeValue(output, value);
		}
	}

	private boolean isNothing() {
		Class<?> declared = this.written.toClass();
		return declared == void.class || declared == Void.class;
	}

	/**
	 * What only a subclass has would be left out, unless JSON tells the subclass. An
	 * abstract type can be read, or the start would have failed.
	 */
	private boolean isAsDeclared(Object value) {
		Class<?> declared = ClassUtils.resolvePrimitiveIfNecessary(this.written.toClass());
		Class<?> actual = (value instanceof Enum<?> constant) ? constant.getDeclaringClass()
				: ClassUtils.getUserClass(value);
		return actual == declared || declared.isArray() || Modifier.isAbstract(declared.getModifiers())
				|| TypeShape.isPlatform(declared) || isNothing()
				|| AnnotationUtils.findAnnotation(declared, JsonTypeInfo.class) != null;
	}

	private static Map<String, List<String>> headers(HttpEntity<?> entity) {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (String name : HEADERS) {
			List<String> values = entity.getHeaders().get(name);
			if (values != null) {
				headers.put(name, values);
			}
		}
		return headers;
	}

	/**
	 * Reads a result.
	 * @throws RuntimeException if the text is not a result of that type
	 */
	Read read(String text) {
		int line = text.indexOf('\n');
		Head head = HEADS.readValue(text.substring(0, line), Head.class);
		if (!this.shape.equals(head.shape())) {
			throw new IllegalStateException("It is of another version of " + this.type.type());
		}
		String json = text.substring(line + 1);
		return new Read(head.arguments(), this.type.many() ? readAll(json) : readOne(head, json));
	}

	private Object readAll(String json) {
		JavaType list = this.mapper.getTypeFactory().constructCollectionType(ArrayList.class, this.json);
		return this.mapper.readerFor(list).readValue(json);
	}

	private @Nullable Object readOne(Head head, String json) {
		Object value = isNothing() ? null : this.mapper.readerFor(this.json).readValue(json);
		if (!ShareableTypes.isEntity(this.type.type())) {
			return value;
		}
		HttpHeaders headers = new HttpHeaders();
		head.headers().forEach(headers::addAll);
		return (head.status() != null) ? new ResponseEntity<>(value, headers, head.status())
				: new HttpEntity<>(value, headers);
	}

	/**
	 * What a result is.
	 *
	 * @param arguments a digest of the arguments that it is for
	 * @param value the value
	 */
	record Read(String arguments, @Nullable Object value) {
	}

	/**
	 * The first line of a result.
	 *
	 * @param shape the {@link TypeShape} of what was written
	 * @param arguments a digest of the arguments that the result is for
	 * @param status the status of an entity
	 * @param headers the headers of an entity
	 */
	record Head(String shape, String arguments, @Nullable Integer status, Map<String, List<String>> headers) {
	}

	/** Whoever can write to the store must not choose classes. */
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
