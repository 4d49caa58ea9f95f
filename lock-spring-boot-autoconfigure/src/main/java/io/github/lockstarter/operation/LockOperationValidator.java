package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.core.Nullness;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.service.annotation.HttpExchange;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.completion.ReturnType;

/**
 * Validates annotated methods at startup. Fails startup if a method would run without a
 * lock, or under another lock than its annotation suggests.
 */
public final class LockOperationValidator {

	private final LockOperationSource operations;

	/**
	 * Creates a validator.
	 * @param operations the annotated methods
	 */
	public LockOperationValidator(LockOperationSource operations) {
		this.operations = operations;
	}

	/**
	 * Checks that a proxy can intercept a method, and that a lock can cover its work.
	 * @throws LockConfigurationException if not
	 */
	static void check(LockedMethod locked) {
		checkReachable(locked.method(), locked.type());
		CompletionAdapterRegistry.check(locked.returnType(), locked.ofController());
	}

	/**
	 * Checks that a method can be skipped: that no caller needs its result.
	 * @throws IllegalArgumentException if not
	 */
	static void checkSkipped(LockedMethod locked) {
		ReturnType returned = locked.returnType();
		Method method = locked.method();
		boolean handler = AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class)
				|| (locked.ofController() && AnnotatedElementUtils.hasAnnotation(method, HttpExchange.class));
		Assert.isTrue(!handler,
				"SKIP would leave the client of a request without a response: use REJECT, WAIT or SHARE");
		Assert.isTrue(returned.declared() == void.class || !returned.declared().isPrimitive(),
				() -> "SKIP has no %s to return: declare void, Optional or a class".formatted(returned.declared()));
		boolean empty = returned.declared() == Optional.class || returned.isSuspending() || !returned.isComplete();
		Assert.isTrue(
				empty || returned.declared() == void.class || Nullness.forMethodReturnType(method) != Nullness.NON_NULL,
				"SKIP returns null, but the return type is not nullable: declare @Nullable, Optional or void");
	}

	private static void checkReachable(Method method, Class<?> type) {
		if ((method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL)) != 0) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s, which is private, static or final: no proxy can guard it with a lock."
						.formatted(method.toGenericString()),
					"Declare it as a public instance method that is not final. If the class is annotated, annotate its individual methods instead.");
		}
		if (Modifier.isFinal(type.getModifiers()) && ClassUtils.getAllInterfacesForClass(type).length == 0) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s of the final class %s: no proxy can extend it to guard the method with a lock."
						.formatted(method.toGenericString(), type.getName()),
					"Declare the class without final. In Kotlin, declare it open, or use the compiler plugin 'spring' (all-open).");
		}
		if (isOfOtherPackage(method, type)) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s, which only its own package can override: no proxy of a %s can guard it with a lock."
						.formatted(method.toGenericString(), type.getName()),
					"Make it protected or public.");
		}
	}

	/**
	 * Returns whether the method is package-private in a superclass of another package,
	 * so that the class, and its proxy, cannot override it.
	 */
	static boolean isOfOtherPackage(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0
				&& (declaring.getClassLoader() != type.getClassLoader()
						|| !ClassUtils.getPackageName(declaring).equals(ClassUtils.getPackageName(type)));
	}

	/**
	 * Checks that the proxy of a bean has its annotated methods. One that has only the
	 * methods of interfaces may lack a method, which could then be called only without
	 * the proxy and the lock. Methods that only a class-level annotation covers are not
	 * checked.
	 * @param type the class of the bean
	 * @param interfaces the interfaces of the proxy
	 * @throws LockConfigurationException if it has an annotated method that its proxy
	 * lacks
	 */
	public void checkProxy(Class<?> type, Class<?>[] interfaces) {
		Set<Method> callable = Stream.of(interfaces)
			.flatMap((each) -> Stream.of(each.getMethods()))
			.map((method) -> this.operations.find(method, type))
			.filter(Objects::nonNull)
			.map(LockedMethod::method)
			.collect(Collectors.toSet());
		this.operations.of(type)
			.keySet()
			.stream()
			.filter((method) -> !callable.contains(method))
			.filter((method) -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
				.isPresent(ExclusiveRequest.class))
			.findFirst()
			.ifPresent((method) -> {
				throw new LockConfigurationException(
						"@ExclusiveRequest on %s, which none of the interfaces %s declares: the proxy has only their methods, so this method cannot be called with its lock."
							.formatted(method.toGenericString(),
									Arrays.stream(interfaces).map(Class::getName).toList()),
						"Add the method to an interface, or let proxies extend classes (spring.aop.proxy-target-class=true).");
			});
	}

	/**
	 * Checks that the proxy of an object that is not a bean calls no annotated method of
	 * it without the lock.
	 * @param type the class of the object
	 * @param proxy the class of its proxy
	 * @param locked the classes of the proxies in between whose annotated methods have
	 * their locks
	 * @throws LockConfigurationException if a method is called without its lock
	 */
	public void checkTarget(Class<?> type, Class<?> proxy, List<Class<?>> locked) {
		if (this.operations.of(type).isEmpty()) {
			return;
		}
		Stream.of(proxy.getMethods())
			.filter((method) -> this.operations.find(method, type) != null
					&& locked.stream().allMatch((each) -> this.operations.find(method, each) == null))
			.findFirst()
			.ifPresent((method) -> {
				throw new LockConfigurationException(
						"@ExclusiveRequest on %s.%s: the bean is a proxy that calls this method of an object that is no bean, without its lock."
							.formatted(type.getName(), method.getName()),
						"Annotate the method on all interfaces of the proxy that declare it, or declare the object as a bean.");
			});
	}

	/**
	 * Checks that a controller method with a parameter of type {@link Lease} is
	 * annotated, and so has a lease.
	 * @param handler the method
	 * @param type the class of the controller
	 * @throws LockConfigurationException if not
	 */
	public void checkLeaseParameter(Method handler, Class<?> type) {
		if (Arrays.asList(handler.getParameterTypes()).contains(Lease.class)
				&& this.operations.find(handler, type) == null) {
			throw new LockConfigurationException(
					"%s has a parameter of type Lease, but is not annotated with @ExclusiveRequest."
						.formatted(handler.toGenericString()),
					"Annotate the method, or remove the parameter.");
		}
	}

	/**
	 * Checks that the thread or the result of a handler of Spring WebFlux gives access to
	 * the request, if its lock depends on the request.
	 * @param handler the method
	 * @param type the class of the controller
	 * @param releaseOn what ends the locks of handlers
	 * @throws LockConfigurationException if not
	 */
	public void checkReactiveHandler(Method handler, Class<?> type, ReleaseOn releaseOn) {
		LockedMethod method = this.operations.find(handler, type);
		if (method == null || method.returnType().isSuspending() || method.isHandlerOfEntity()) {
			return;
		}
		ReturnType returned = method.returnType();
		if (returned.isReactive() && ReactiveTypeAdapter.passesContext(returned.declared())) {
			return;
		}
		if (CompletionStageAdapter.hasWorkInEntity(returned)) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: in Spring WebFlux the lock would end before the body of the entity."
						.formatted(handler.toGenericString()),
					"Return a Mono or a ResponseEntity.");
		}
		if (method.readsRequest() || releaseOn == ReleaseOn.RESPONSE) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: in Spring WebFlux a call with this return type has no access to its request, but %s."
						.formatted(handler.toGenericString(),
								method.readsRequest() ? "an expression, or what is shared, depends on it"
										: "lock.web.release-on is response"),
					"Return a Mono or a ResponseEntity.");
		}
	}

	/**
	 * Checks that the shared results of all methods found so far can be written and read.
	 * It needs beans, so it is called after they have been created.
	 * @throws LockConfigurationException if a result cannot
	 */
	public void checkSharing() {
		this.operations.sharing().forEach((sharing) -> sharing.results().check());
	}

}
