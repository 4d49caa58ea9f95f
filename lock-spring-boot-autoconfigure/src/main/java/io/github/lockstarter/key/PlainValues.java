package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.springframework.util.ReflectionUtils;

/**
 * Values that are no more than what an interface shows of them, as most lists are their
 * elements. A class of the application may implement the same interface and add to it, as
 * a list with an owner does. The equality of its objects tells which of both it is.
 */
final class PlainValues {

	/**
	 * Packages of libraries whose classes add nothing that counts to a text, a collection
	 * or another interface, although some of them are not equal to the plain value.
	 */
	private static final List<String> LIBRARIES = List.of("groovy.lang.", "io.netty.util.", "kotlin.collections.",
			"org.codehaus.groovy.runtime.", "org.hibernate.collection.", "org.springframework.http.",
			"org.springframework.mock.web.", "org.springframework.util.", "org.springframework.web.multipart.",
			"tools.jackson.databind.");

	private static final ClassValue<Boolean> BY_CLASS = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return type.isArray() || Principal.class.isAssignableFrom(type) || isOfLibrary(ObjectState.userClass(type))
					|| inheritsEquality(ObjectState.userClass(type));
		}

	};

	private PlainValues() {
	}

	/** Returns whether the value is one of them. */
	static boolean contains(Object value) {
		return containsAllOf(value.getClass()) || equalsPlain(value);
	}

	/** Returns whether all values of the class are among them. */
	static boolean containsAllOf(Class<?> type) {
		return BY_CLASS.get(type);
	}

	/** Returns whether the class itself adds nothing that counts. */
	static boolean isOfLibrary(Class<?> type) {
		ClassLoader loader = type.getClassLoader();
		return loader == null || loader == ClassLoader.getPlatformClassLoader()
				|| LIBRARIES.stream().anyMatch(type.getName()::startsWith);
	}

	/** Fields do not count where the inherited equality ignores them. */
	private static boolean inheritsEquality(Class<?> type) {
		Method equals = Objects.requireNonNull(ReflectionUtils.findMethod(type, "equals", Object.class), "equals");
		return equals.getDeclaringClass() != Object.class && isOfLibrary(equals.getDeclaringClass());
	}

	private static boolean equalsPlain(Object value) {
		if (value instanceof Map<?, ?> map) {
			return map.equals(new HashMap<>(map));
		}
		if (value instanceof Set<?> set) {
			return set.equals(new HashSet<>(set));
		}
		if (value instanceof List<?> list) {
			return list.equals(new ArrayList<>(list));
		}
		return value instanceof Map.Entry<?, ?> entry && entry.equals(new AbstractMap.SimpleImmutableEntry<>(entry));
	}

}
