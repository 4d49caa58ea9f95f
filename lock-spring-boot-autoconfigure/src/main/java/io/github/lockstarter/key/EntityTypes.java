package io.github.lockstarter.key;

import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * The classes of objects that are loaded from a database, and change there.
 */
public final class EntityTypes {

	private static final List<String> ANNOTATIONS = List.of("jakarta.persistence.Entity",
			"org.springframework.data.annotation.Persistent");

	/** Types whose values contain values of their type arguments. */
	private static final List<Class<?>> CONTAINERS = List.of(Iterable.class, Map.class, Optional.class);

	/** A type may have itself as a field, with other type arguments each time. */
	private static final int MOST = 1000;

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
		return find(ResolvableType.forType(type), new HashSet<>());
	}

	private static @Nullable Class<?> find(ResolvableType type, Set<String> seen) {
		Class<?> raw = type.toClass();
		if (raw.isPrimitive() || seen.size() > MOST || !seen.add(type.toString())) {
			return null;
		}
		if (type.isArray()) {
			return find(type.getComponentType(), seen);
		}
		if (contains(raw)) {
			return raw;
		}
		if (CONTAINERS.stream().anyMatch((container) -> container.isAssignableFrom(raw))) {
			return first(Stream.of(type.getGenerics()), seen);
		}
		return PlainValues.isOfLibrary(raw) ? null
				: first(Stream.concat(fields(type), Stream.of(type.getSuperType())), seen);
	}

	private static @Nullable Class<?> first(Stream<ResolvableType> types, Set<String> seen) {
		return types.<Class<?>>map((each) -> find(each, seen)).filter(Objects::nonNull).findFirst().orElse(null);
	}

	private static Stream<ResolvableType> fields(ResolvableType type) {
		return Stream.of(type.toClass().getDeclaredFields())
			.filter((field) -> (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0)
			.map((field) -> ResolvableType.forField(field, type));
	}

}
