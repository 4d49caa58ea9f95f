package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;

/**
 * Refuses controller methods with a parameter of type {@link Lease} that are under no
 * lock: there is no lease to fill in.
 */
final class LeaseParameterCheck implements SmartInitializingSingleton {

	private final Supplier<Stream<HandlerMethod>> handlers;

	private final BiPredicate<Method, Class<?>> locked;

	/**
	 * Creates a check.
	 * @param handlers the methods that answer requests, of whatever web stack
	 * @param locked whether a method of a class is under a lock
	 */
	LeaseParameterCheck(Supplier<Stream<HandlerMethod>> handlers, BiPredicate<Method, Class<?>> locked) {
		this.handlers = handlers;
		this.locked = locked;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.handlers.get()
			.filter((handler) -> Arrays.asList(handler.getMethod().getParameterTypes()).contains(Lease.class))
			.filter((handler) -> !this.locked.test(handler.getMethod(), handler.getBeanType()))
			.findFirst()
			.ifPresent((handler) -> {
				throw new LockConfigurationException(
						"%s has a parameter of type Lease, but is not annotated with @ExclusiveRequest."
							.formatted(handler.getMethod().toGenericString()),
						"Annotate the method, or remove the parameter.");
			});
	}

}
