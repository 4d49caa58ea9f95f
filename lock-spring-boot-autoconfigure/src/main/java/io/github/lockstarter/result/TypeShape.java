package io.github.lockstarter.result;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;

import io.github.lockstarter.LockKey;

/**
 * A digest of the fields that values of a type may have, at any depth. It identifies the
 * version of the classes: JSON of an older version could otherwise be read as a value
 * with missing fields.
 */
final class TypeShape {

	/** 128 bits. */
	private static final int DIGITS = 32;

	private final StringBuilder text = new StringBuilder();

	private final Set<Class<?>> seen = new LinkedHashSet<>();

	private TypeShape() {
	}

	static String of(ResolvableType type) {
		TypeShape shape = new TypeShape();
		shape.add(DeclaredTypes.resolved(type));
		String digest = LockKey.ofDigest("shape", shape.text.toString()).key();
		return digest.substring(LockKey.DIGEST_PREFIX.length(), LockKey.DIGEST_PREFIX.length() + DIGITS);
	}

	private void add(Type type) {
		this.text.append(type.getTypeName()).append(';');
		DeclaredTypes.namedIn(type).forEach(this::addClass);
	}

	private void addClass(@Nullable Class<?> type) {
		if (type == null || type.isPrimitive() || type.isArray() || isPlatform(type) || !this.seen.add(type)) {
			return;
		}
		this.text.append(type.getName()).append('{');
		if (type.isEnum()) {
			Stream.of((Enum<?>[]) type.getEnumConstants())
				.forEach((constant) -> this.text.append(constant.name()).append(','));
		}
		Arrays.stream(type.getDeclaredFields())
			.filter((field) -> (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0)
			.filter((field) -> !field.isSynthetic())
			.sorted(Comparator.comparing(Field::getName))
			.forEach((field) -> {
				this.text.append(field.getName()).append(':');
				add(field.getGenericType());
			});
		addClass(type.getSuperclass());
		subclasses(type).forEach(this::addClass);
		this.text.append('}');
	}

	private static Set<Class<?>> subclasses(Class<?> type) {
		Set<Class<?>> subclasses = new LinkedHashSet<>();
		if (type.isSealed()) {
			subclasses.addAll(Arrays.asList(type.getPermittedSubclasses()));
		}
		JsonSubTypes named = AnnotationUtils.findAnnotation(type, JsonSubTypes.class);
		if (named != null) {
			Arrays.stream(named.value()).forEach((subclass) -> subclasses.add(subclass.value()));
		}
		return subclasses;
	}

	/**
	 * Types of the platform change only with the platform, and their fields are not
	 * accessible.
	 */
	static boolean isPlatform(Class<?> type) {
		return type.getName().startsWith("java.") || type.getName().startsWith("kotlin.");
	}

}
