package io.github.lockstarter.aop;

import java.security.Principal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

import org.springframework.beans.BeanUtils;
import org.springframework.lang.Contract;
import org.springframework.util.ObjectUtils;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.MissingLockKeyException;

/**
 * Turns the value of a key expression into the key of a lock: a scalar by its text,
 * everything else by the digest of its canonical JSON. Values with the same text or JSON
 * are the same key, and no others.
 */
final class KeyText {

	/** Its own mapper: one key on all servers, however each configures its JSON. */
	private static final JsonMapper CANONICAL = JsonMapper.builder()
		.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
		.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
		.enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
		.enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
		.disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING)
		.addModule(new SimpleModule().addSerializer(new SortedSetSerializer()).addSerializer(new PrincipalSerializer()))
		.build();

	private KeyText() {
	}

	/**
	 * Returns the lock that the value stands for.
	 * @throws MissingLockKeyException if the value, a part of a list, or everything in a
	 * map is null or blank
	 */
	static LockKey lockKey(String name, @Nullable Object value) {
		Object present = unwrap(value);
		if (isMissing(present)) {
			throw new MissingLockKeyException(name);
		}
		if (!BeanUtils.isSimpleValueType(present.getClass())) {
			return LockKey.ofDigest(name, CANONICAL.writeValueAsString(present));
		}
		String text = text(present);
		return text.startsWith(LockKey.DIGEST_PREFIX) ? LockKey.ofDigest(name, text) : new LockKey(name, text);
	}

	/** Returns a digest of the values, which is the same for the same values only. */
	static String digest(List<@Nullable Object> values) {
		return LockKey.ofDigest("values", CANONICAL.writeValueAsString(values)).key();
	}

	private static @Nullable Object unwrap(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return unwrap(optional.orElse(null));
		}
		return (value instanceof Principal principal) ? principal.getName() : value;
	}

	@Contract("null -> true")
	private static boolean isMissing(@Nullable Object value) {
		if (value instanceof CharSequence text) {
			return text.toString().isBlank();
		}
		if (value instanceof Collection<?> parts) {
			return parts.isEmpty() || parts.stream().anyMatch((part) -> isMissing(unwrap(part)));
		}
		if (value != null && value.getClass().isArray()) {
			return isMissing(Arrays.asList(ObjectUtils.toObjectArray(value)));
		}
		return value == null || (value instanceof Map<?, ?> map
				&& map.values().stream().allMatch((each) -> isMissing(unwrap(each))));
	}

	@SuppressWarnings("JavaUtilDate") // applications have keys of this type,
										// java.sql.Date included
	private static String text(Object scalar) {
		if (scalar instanceof Enum<?> constant) {
			return constant.name();
		}
		return (scalar instanceof Date date) ? Instant.ofEpochMilli(date.getTime()).toString() : scalar.toString();
	}

	/** Other properties of a principal change from request to request. */
	private static final class PrincipalSerializer extends StdSerializer<Principal> {

		PrincipalSerializer() {
			super(Principal.class);
		}

		@Override
		public void serialize(Principal principal, JsonGenerator generator, SerializationContext context) {
			generator.writeString(principal.getName());
		}

	}

	/** A set has no order of its own, so it gets one. */
	private static final class SortedSetSerializer extends StdSerializer<Set<?>> {

		SortedSetSerializer() {
			super(Set.class);
		}

		@Override
		public void serialize(Set<?> set, JsonGenerator generator, SerializationContext context) {
			generator.writeStartArray();
			set.stream().map(CANONICAL::writeValueAsString).sorted().forEach(generator::writeRawValue);
			generator.writeEndArray();
		}

	}

}
