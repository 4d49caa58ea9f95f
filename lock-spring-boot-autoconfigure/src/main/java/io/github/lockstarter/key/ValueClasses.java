package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

/**
 * Value classes of Kotlin. The compiler passes the wrapped value instead of an object
 * where it can, so that a value and its wrapper are the same.
 */
final class ValueClasses {

	private ValueClasses() {
	}

	/** Returns the wrapped value of an object of a value class, or the given value. */
	static @Nullable Object unwrap(@Nullable Object value) {
		Object unwrapped = value;
		while (unwrapped != null && KotlinDetector.isInlineClass(unwrapped.getClass())) {
			Method unbox = Objects.requireNonNull(ReflectionUtils.findMethod(unwrapped.getClass(), "unbox-impl"),
					"unbox-impl");
			ReflectionUtils.makeAccessible(unbox);
			unwrapped = ReflectionUtils.invokeMethod(unbox, unwrapped);
		}
		return unwrapped;
	}

}
