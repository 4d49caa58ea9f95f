package io.github.lockstarter.operation;

import java.lang.reflect.AnnotatedElement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Determines which types are annotated. It is called for every bean class and its
 * supertypes, so a negative answer must be cheap.
 */
final class AnnotatedTypes {

	private final Map<Class<?>, Boolean> annotated = new ConcurrentHashMap<>();

	/** Returns whether the type, a supertype, or a method of one of them is annotated. */
	boolean isAnnotated(@Nullable Class<?> type) {
		if (type == null || type.getName().startsWith("java.")) {
			return false;
		}
		Boolean known = this.annotated.get(type);
		if (known == null) {
			known = hasAnnotation(type) || isAnnotated(type.getSuperclass())
					|| Stream.of(type.getInterfaces()).anyMatch(this::isAnnotated);
			this.annotated.put(type, known);
		}
		return known;
	}

	/** A class that was generated as a proxy has none of its own. */
	private static boolean hasAnnotation(Class<?> type) {
		if (type.getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR)) {
			return false;
		}
		return isPresent(type)
				|| Stream.of(ReflectionUtils.getDeclaredMethods(type)).anyMatch(AnnotatedTypes::isPresent);
	}

	private static boolean isPresent(AnnotatedElement element) {
		return element.getDeclaredAnnotations().length > 0
				&& MergedAnnotations.from(element).isPresent(ExclusiveRequest.class);
	}

}
