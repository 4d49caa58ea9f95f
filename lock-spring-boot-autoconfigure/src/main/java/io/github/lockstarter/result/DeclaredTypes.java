package io.github.lockstarter.result;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

import org.springframework.core.ResolvableType;

/**
 * Resolves declared types.
 */
public final class DeclaredTypes {

	private DeclaredTypes() {
	}

	/** Returns the type with its variables resolved. */
	static Type resolved(ResolvableType type) {
		return resolved(type, new HashSet<>());
	}

	/**
	 * The bound of a variable may contain the variable, as in
	 * {@code T extends Comparable<T>}.
	 */
	private static Type resolved(ResolvableType type, Set<Type> within) {
		Class<?> raw = type.resolve(Object.class);
		if (type.getType() instanceof Class<?> || (isVariable(type) && !within.add(type.getType()))) {
			return raw;
		}
		ResolvableType[] parts = type.isArray() ? new ResolvableType[] { type.getComponentType() } : type.getGenerics();
		ResolvableType[] resolved = Arrays.stream(parts)
			.map((part) -> ResolvableType.forType(resolved(part, within)))
			.toArray(ResolvableType[]::new);
		within.remove(type.getType());
		if (resolved.length == 0) {
			return raw;
		}
		return (type.isArray() ? ResolvableType.forArrayComponent(resolved[0])
				: ResolvableType.forClassWithGenerics(raw, resolved))
			.getType();
	}

	private static boolean isVariable(ResolvableType type) {
		return type.getType() instanceof TypeVariable<?>;
	}

	/**
	 * Returns all classes that the type names, at any depth.
	 * @param type a type
	 * @return the classes
	 */
	public static Set<Class<?>> namedIn(Type type) {
		Set<Class<?>> named = new LinkedHashSet<>();
		addNamed(type, named);
		return named;
	}

	private static void addNamed(Type type, Set<Class<?>> named) {
		if (type instanceof Class<?> single) {
			named.add(single);
			if (single.isArray()) {
				addNamed(single.getComponentType(), named);
			}
		}
		else if (type instanceof ParameterizedType parameterized) {
			addNamed(parameterized.getRawType(), named);
			Arrays.stream(parameterized.getActualTypeArguments()).forEach((each) -> addNamed(each, named));
		}
		else if (type instanceof GenericArrayType array) {
			addNamed(array.getGenericComponentType(), named);
		}
		else if (type instanceof WildcardType wildcard) {
			Arrays.stream(wildcard.getUpperBounds()).forEach((each) -> addNamed(each, named));
		}
	}

}
