package io.github.lockstarter.key;

import java.security.Principal;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.lang.Contract;
import org.springframework.util.ObjectUtils;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.MissingLockKeyException;

/**
 * Converts the value of a key expression to the key of a lock: a scalar to its text, any
 * other value to the digest of its canonical JSON. Only values with the same text or JSON
 * result in the same key.
 */
public final class KeyText {

	private KeyText() {
	}

	/**
	 * Returns the lock for a value.
	 * @throws MissingLockKeyException if the value, a part of a list, or everything in a
	 * map is null or blank
	 * @throws LockConfigurationException if the value cannot be told from others
	 */
	public static LockKey lockKey(String name, @Nullable Object value) {
		Object present = unwrap(value);
		if (isMissing(present)) {
			throw new MissingLockKeyException(name);
		}
		ScalarType scalar = ScalarType.of(present.getClass());
		if (scalar == null) {
			return LockKey.ofDigest(name, json(name, present));
		}
		String text = scalar.textOf(present);
		return text.startsWith(LockKey.DIGEST_PREFIX) ? LockKey.ofDigest(name, text) : new LockKey(name, text);
	}

	private static String json(String name, Object value) {
		try {
			return CanonicalJson.write(value);
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException(
					"The value for the key of lock '%s' cannot be a key: %s.".formatted(name, ex.getMessage()),
					"Use properties that identify the value, as in {#order.tenant, #order.number}.");
		}
	}

	/** Returns what a value stands for if it is a wrapper of one value. */
	private static @Nullable Object unwrap(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return unwrap(optional.orElse(null));
		}
		if (value instanceof OptionalInt optional) {
			return optional.isPresent() ? optional.getAsInt() : null;
		}
		if (value instanceof OptionalLong optional) {
			return optional.isPresent() ? optional.getAsLong() : null;
		}
		if (value instanceof OptionalDouble optional) {
			return optional.isPresent() ? optional.getAsDouble() : null;
		}
		if (value instanceof JsonNode node && !node.isContainer()) {
			return unwrap(JsonContent.of(node));
		}
		return (value instanceof Principal principal) ? principal.getName() : ValueClasses.unwrap(value);
	}

	/** Returns whether the value is missing, so that there is no lock for it. */
	@Contract("null -> true")
	public static boolean isMissing(@Nullable Object given) {
		Object value = unwrap(given);
		ScalarType scalar = (value != null) ? ScalarType.of(value.getClass()) : null;
		if (value != null && scalar != null) {
			return scalar.isBlank(value);
		}
		if (value instanceof JsonNode node) {
			return isMissing(JsonContent.of(node));
		}
		if (value != null && !PlainValues.contains(value)) {
			// It is more than its elements, as a list with an owner is.
			return false;
		}
		if (value instanceof Collection<?> parts) {
			return parts.isEmpty() || parts.stream().anyMatch(KeyText::isMissing);
		}
		if (value != null && value.getClass().isArray()) {
			return isMissing(Arrays.asList(ObjectUtils.toObjectArray(value)));
		}
		return value == null || (value instanceof Map<?, ?> map && map.values().stream().allMatch(KeyText::isMissing));
	}

}
