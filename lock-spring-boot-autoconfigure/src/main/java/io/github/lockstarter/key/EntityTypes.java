package io.github.lockstarter.key;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotations;

import io.github.lockstarter.result.DeclaredTypes;

/**
 * The classes of objects that are loaded from a database, and change there.
 */
public final class EntityTypes {

	private static final List<String> ANNOTATIONS = List.of("jakarta.persistence.Entity",
			"org.springframework.data.annotation.Persistent");

	private EntityTypes() {
	}

	/** Returns whether the class is one of them. */
	public static boolean contains(Class<?> type) {
		return ANNOTATIONS.stream().anyMatch(MergedAnnotations.from(type)::isPresent);
	}

	/**
	 * Returns one of them that values of a type may contain, as the fields of their
	 * classes show it.
	 * @param type a declared type
	 * @return {@code null} if there is none
	 */
	static @Nullable Class<?> find(Type type) {
		return find(type, new HashSet<>());
	}

	private static @Nullable Class<?> find(Type type, Set<Class<?>> seen) {
		for (Class<?> named : DeclaredTypes.namedIn(type)) {
			Class<?> found = contains(named) ? named : findInFields(named, seen);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	private static @Nullable Class<?> findInFields(@Nullable Class<?> type, Set<Class<?>> seen) {
		if (type == null || type.isPrimitive() || PlainValues.isOfLibrary(type) || !seen.add(type)) {
			return null;
		}
		for (Field field : type.getDeclaredFields()) {
			Class<?> found = ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0)
					? find(field.getGenericType(), seen) : null;
			if (found != null) {
				return found;
			}
		}
		return findInFields(type.getSuperclass(), seen);
	}

}
