package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;

/**
 * The annotated methods of a class, and the methods by which they are called: those that
 * they override or implement, whatever their types are after erasure.
 */
final class LockedMethods {

	private final Class<?> type;

	private final Map<Method, LockedMethod> annotated;

	/** The annotated methods by the other methods that have been called. */
	private final Map<Method, Optional<LockedMethod>> others = new ConcurrentHashMap<>();

	/**
	 * Creates the methods of a class.
	 * @param type the class, which may be that of a proxy
	 * @param annotated its annotated methods
	 */
	LockedMethods(Class<?> type, Map<Method, LockedMethod> annotated) {
		this.type = type;
		this.annotated = annotated;
	}

	/** Returns the annotated methods, as they are on the class itself. */
	Map<Method, LockedMethod> annotated() {
		return this.annotated;
	}

	/**
	 * Returns the annotated method that is invoked by a call of the method; {@code null}
	 * if it is not annotated.
	 */
	@Nullable LockedMethod find(Method called) {
		LockedMethod direct = this.annotated.get(called);
		return (direct != null || this.annotated.isEmpty()) ? direct
				: this.others.computeIfAbsent(called, this::search).orElse(null);
	}

	private Optional<LockedMethod> search(Method called) {
		LockedMethod specific = this.annotated.get(AopUtils.getMostSpecificMethod(called, this.type));
		return (specific != null) ? Optional.of(specific)
				: declarations(called).flatMap(
						(declaration) -> this.annotated.values().stream().filter((each) -> isCalled(declaration, each)))
					.findFirst();
	}

	/**
	 * Returns the method, and the methods of interfaces that have the same erasure: a
	 * bridge does not know its type arguments.
	 */
	private Stream<Method> declarations(Method called) {
		return Stream.concat(Stream.of(called),
				interfaces(this.type).flatMap((each) -> Stream.of(each.getDeclaredMethods()))
					.filter((method) -> method.getName().equals(called.getName())
							&& Arrays.equals(method.getParameterTypes(), called.getParameterTypes())));
	}

	private static Stream<Class<?>> interfaces(@Nullable Class<?> type) {
		return (type == null) ? Stream.empty() : Stream.concat(interfaces(type.getSuperclass()),
				Stream.of(type.getInterfaces()).flatMap((each) -> Stream.concat(Stream.of(each), interfaces(each))));
	}

	private boolean isCalled(Method declaration, LockedMethod locked) {
		Method method = locked.method();
		return declaration.getParameterCount() == method.getParameterCount()
				&& declaration.getDeclaringClass().isAssignableFrom(this.type)
				&& (declaration.getName().equals(method.getName()) || isMangled(declaration, method))
				&& IntStream.range(0, method.getParameterCount())
					.allMatch((i) -> isSame(parameter(declaration, i), parameter(method, i)));
	}

	private Class<?> parameter(Method method, int index) {
		return ResolvableType.forMethodParameter(method, index, this.type).toClass();
	}

	/**
	 * Returns whether a method of Kotlin has another name because a parameter is of a
	 * value class. Its name is followed by a hyphen and a hash of these parameters.
	 */
	private static boolean isMangled(Method declaration, Method method) {
		return method.getName().startsWith(declaration.getName() + "-")
				&& KotlinDetector.isKotlinType(method.getDeclaringClass());
	}

	/** Returns whether the types are equal, or the second is what the first wraps. */
	private static boolean isSame(Class<?> declared, Class<?> actual) {
		return declared == actual || (KotlinDetector.isInlineClass(declared) && Stream.of(declared.getDeclaredMethods())
			.anyMatch((method) -> method.getName().equals("unbox-impl") && method.getReturnType() == actual));
	}

}
