package io.github.lockstarter.key;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.Set;
import java.util.function.Function;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.std.StdSerializer;

import org.springframework.core.KotlinDetector;
import org.springframework.http.HttpEntity;
import org.springframework.web.multipart.MultipartFile;

import io.github.lockstarter.LockKey;

/**
 * Writes JSON that is equal for equal values, and different for different ones.
 */
final class CanonicalJson {

	/**
	 * Independent of the JSON configuration of the application, so that it is the same on
	 * all servers.
	 */
	private static final JsonMapper PROPERTIES = mapper(JsonMapper.builder(), CanonicalJson::write);

	/**
	 * Includes fields that an application excludes from its answers, because values may
	 * differ in them.
	 */
	private static final JsonMapper STATE = mapper(JsonMapper.builder()
		.disable(MapperFeature.USE_ANNOTATIONS)
		.changeDefaultVisibility((visibility) -> visibility.withVisibility(PropertyAccessor.ALL, Visibility.NONE)
			.withFieldVisibility(Visibility.ANY)), CanonicalJson::writeState);

	private static JsonMapper mapper(JsonMapper.Builder builder, Function<@Nullable Object, String> write) {
		return builder.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
			.enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
			.enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
			.disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING)
			.addModule(new SimpleModule().addSerializer(new SortedSetSerializer(write))
				.setSerializerModifier(new Modifier())
				.addSerializer(new PrincipalSerializer())
				.addSerializer(new EntitySerializer())
				.addSerializer(new FileSerializer()))
			.build();
	}

	private CanonicalJson() {
	}

	/**
	 * Writes the properties of the value, according to its annotations.
	 * @throws JacksonException if it cannot be written
	 */
	static String write(@Nullable Object value) {
		return PROPERTIES.writeValueAsString(value);
	}

	/**
	 * Writes the fields of the value, regardless of its annotations.
	 * @throws JacksonException if it cannot be written
	 */
	static String writeState(@Nullable Object value) {
		return STATE.writeValueAsString(value);
	}

	/**
	 * Unwraps value classes of Kotlin, and refuses objects without readable properties:
	 * Jackson does so only if their class has no annotation at all, and all of them would
	 * be written alike.
	 */
	private static final class Modifier extends ValueSerializerModifier {

		@Override
		public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier description,
				ValueSerializer<?> serializer) {
			Class<?> type = description.getBeanClass();
			if (KotlinDetector.isInlineClass(type)) {
				return new ValueClassSerializer();
			}
			boolean empty = serializer instanceof BeanSerializerBase && !serializer.properties().hasNext()
					&& description.get().findAnyGetter() == null;
			return empty ? new UnknownSerializer(type) : serializer;
		}

	}

	/** Writes what an object of a value class of Kotlin wraps. */
	private static final class ValueClassSerializer extends StdSerializer<Object> {

		ValueClassSerializer() {
			super(Object.class);
		}

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			generator.writePOJO(ValueClasses.unwrap(value));
		}

	}

	/**
	 * Writes only the name of a principal. Its other properties change between requests.
	 */
	private static final class PrincipalSerializer extends StdSerializer<Principal> {

		PrincipalSerializer() {
			super(Principal.class);
		}

		@Override
		public void serialize(Principal principal, JsonGenerator generator, SerializationContext context) {
			generator.writeString(principal.getName());
		}

	}

	/**
	 * Sorts the elements of a set, which have no order of their own. It writes a digest
	 * of a long element, because a set in a set in a set would be copied once for each of
	 * them.
	 */
	private static final class SortedSetSerializer extends StdSerializer<Set<?>> {

		private static final int LONGEST_ELEMENT = 64;

		private final transient Function<@Nullable Object, String> write;

		SortedSetSerializer(Function<@Nullable Object, String> write) {
			super(Set.class);
			this.write = write;
		}

		@Override
		public void serialize(Set<?> set, JsonGenerator generator, SerializationContext context) {
			generator.writeStartArray();
			set.stream().map(this.write).map(SortedSetSerializer::shortened).sorted().forEach(generator::writeRawValue);
			generator.writeEndArray();
		}

		/** A digest begins as no JSON does. */
		private static String shortened(String element) {
			return (element.length() > LONGEST_ELEMENT) ? LockKey.ofDigest("element", element).key() : element;
		}

	}

	/** Writes only the body of an entity. Its headers change between requests. */
	private static final class EntitySerializer extends StdSerializer<HttpEntity<?>> {

		EntitySerializer() {
			super(HttpEntity.class);
		}

		@Override
		public void serialize(HttpEntity<?> entity, JsonGenerator generator, SerializationContext context) {
			generator.writePOJO(entity.getBody());
		}

	}

	/** Writes a file as its names and a digest of its content. */
	private static final class FileSerializer extends StdSerializer<MultipartFile> {

		FileSerializer() {
			super(MultipartFile.class);
		}

		@Override
		public void serialize(MultipartFile file, JsonGenerator generator, SerializationContext context) {
			generator.writeStartArray();
			generator.writeString(file.getName());
			generator.writeString(file.getOriginalFilename());
			generator.writeBinary(digest(file));
			generator.writeEndArray();
		}

		private static byte[] digest(MultipartFile file) {
			try (DigestInputStream content = new DigestInputStream(file.getInputStream(),
					MessageDigest.getInstance("SHA-256"))) {
				content.transferTo(OutputStream.nullOutputStream());
				return content.getMessageDigest().digest();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			catch (NoSuchAlgorithmException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
