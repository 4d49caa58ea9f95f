package io.github.lockstarter.key;

import java.security.Principal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.lang.Contract;
import org.springframework.util.ObjectUtils;

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
	 */
	public static LockKey lockKey(String name, @Nullable Object value) {
		Object present = unwrap(value);
		if (isMissing(present)) {
			throw new MissingLockKeyException(name);
		}
		if (!BeanUtils.isSimpleValueType(present.getClass())) {
			return LockKey.ofDigest(name, CanonicalJson.write(present));
		}
		String text = text(present);
		return text.startsWith(LockKey.DIGEST_PREFIX) ? LockKey.ofDigest(name, text) : new LockKey(name, text);
	}

	private static @Nullable Object unwrap(@Nullable Object value) {
		if (value instanceof Optional<?> optional) {
			return unwrap(optional.orElse(null));
		}
		return (value instanceof Principal principal) ? principal.getName() : ValueClasses.unwrap(value);
	}

	/** Returns whether the value is missing, so that there is no lock for it. */
	@Contract("null -> true")
	public static boolean isMissing(@Nullable Object given) {
		Object value = unwrap(given);
		if (value instanceof CharSequence text) {
			return text.toString().isBlank();
		}
		if (value instanceof Collection<?> parts) {
			return parts.isEmpty() || parts.stream().anyMatch(KeyText::isMissing);
		}
		if (value != null && value.getClass().isArray()) {
			return isMissing(Arrays.asList(ObjectUtils.toObjectArray(value)));
		}
		return value == null || (value instanceof Map<?, ?> map && map.values().stream().allMatch(KeyText::isMissing));
	}

	@SuppressWarnings("JavaUtilDate") // Applications use keys of this type, including
										// java.sql.Date.
	private static String text(Object scalar) {
		if (scalar instanceof Enum<?> constant) {
			return constant.name();
		}
		return (scalar instanceof Date date) ? Instant.ofEpochMilli(date.getTime()).toString() : scalar.toString();
	}

}
