package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.ReturnType;

/**
 * Refuses, at start-up, annotated methods that would run without a lock, or under another
 * one than they seem to.
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
	 * Refuses a method that no proxy can put under a lock, or whose work no lock can
	 * cover.
	 * @throws LockConfigurationException if it is one
	 */
	static void check(LockedMethod locked) {
		checkReachable(locked.method(), locked.type());
		CompletionAdapterRegistry.check(locked.returnType(), locked.ofController());
	}

	private static void checkReachable(Method method, Class<?> type) {
		if ((method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL)) != 0) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s, which is private, static or final: no proxy can put it under a lock."
						.formatted(method.toGenericString()),
					"Make it a public method of the instance that is not final. If it is the class that is annotated, its single methods can be instead.");
		}
		if (Modifier.isFinal(type.getModifiers()) && ClassUtils.getAllInterfacesForClass(type).length == 0) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s of the final class %s: no proxy can extend it, and put the method under a lock."
						.formatted(method.toGenericString(), type.getName()),
					"Make the class one that is not final; in Kotlin, open it, or use the compiler plugin 'spring' (all-open).");
		}
		if (isOfOtherPackage(method, type)) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s, which only its own package can override: no proxy of a %s can put it under a lock."
						.formatted(method.toGenericString(), type.getName()),
					"Make it protected or public.");
		}
	}

	/**
	 * Whether the method belongs to a superclass that keeps it from the class, which for
	 * the class is like a private one.
	 */
	static boolean isOfOtherPackage(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0
				&& (declaring.getClassLoader() != type.getClassLoader()
						|| !ClassUtils.getPackageName(declaring).equals(ClassUtils.getPackageName(type)));
	}

	/**
	 * Refuses a bean whose proxy has only the methods of interfaces, if an annotated one
	 * is not among them: whoever calls that could do so only past the proxy, without the
	 * lock. What a class-level annotation covers besides is nobody's to call.
	 * @param type the class of the bean
	 * @param interfaces the interfaces of the proxy
	 * @throws LockConfigurationException if it has an annotated method that its proxy has
	 * not
	 */
	public void checkProxy(Class<?> type, Class<?>[] interfaces) {
		Set<Method> callable = Stream.of(interfaces)
			.flatMap((each) -> Stream.of(each.getMethods()))
			.flatMap((method) -> Stream.of(method, AopUtils.getMostSpecificMethod(method, type)))
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
						"@ExclusiveRequest on %s, which none of the interfaces %s has: the proxy has only their methods, so that nobody can call this one under a lock."
							.formatted(method.toGenericString(),
									Arrays.stream(interfaces).map(Class::getName).toList()),
						"Add the method to an interface, or let proxies extend classes (spring.aop.proxy-target-class=true).");
			});
	}

	/**
	 * Refuses a controller method with a parameter of type {@link Lease} that is under no
	 * lock: there is no lease to fill in.
	 * @param handler the method
	 * @param type the class of the controller
	 * @throws LockConfigurationException if it is one
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
	 * Refuses a handler of Spring WebFlux whose lock depends on the request, while
	 * neither its thread nor its result knows of the request.
	 * @param handler the method
	 * @param type the class of the controller
	 * @param untilResponse whether handlers keep their locks until their response has
	 * been written
	 * @throws LockConfigurationException if it is one
	 */
	public void checkReactiveHandler(Method handler, Class<?> type, boolean untilResponse) {
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
		if (method.readsRequest() || untilResponse) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: in Spring WebFlux nothing tells the request that a call with this return type belongs to, but %s."
						.formatted(handler.toGenericString(),
								method.readsRequest() ? "an expression, or what is shared, depends on it"
										: "lock.web.release-on is response"),
					"Return a Mono or a ResponseEntity.");
		}
	}

	/**
	 * Checks that what methods found so far share can be read by others. To be called
	 * when there are beans.
	 * @return whether any of them shares anything
	 * @throws LockConfigurationException if it cannot
	 */
	public boolean checkSharing() {
		List<Sharing> all = this.operations.sharing().toList();
		all.forEach((sharing) -> sharing.results().check());
		return !all.isEmpty();
	}

}
