package io.github.lockstarter.autoconfigure;

import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.aop.ExclusiveRequestAdvisor;

/**
 * Refuses controller methods with a parameter of type {@link Lease} that are under no
 * lock: there is no lease to fill in.
 */
final class LeaseParameterCheck implements SmartInitializingSingleton {

	private final Supplier<Stream<HandlerMethod>> handlers;

	private final ObjectProvider<ExclusiveRequestAdvisor> advisors;

	/**
	 * Creates a check.
	 * @param handlers the methods that answer requests, of whatever web stack
	 * @param advisors put methods under locks
	 */
	LeaseParameterCheck(Supplier<Stream<HandlerMethod>> handlers, ObjectProvider<ExclusiveRequestAdvisor> advisors) {
		this.handlers = handlers;
		this.advisors = advisors;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.handlers.get()
			.filter((handler) -> Arrays.asList(handler.getMethod().getParameterTypes()).contains(Lease.class))
			.filter((handler) -> this.advisors.stream()
				.noneMatch((advisor) -> advisor.matches(handler.getMethod(), handler.getBeanType())))
			.findFirst()
			.ifPresent((handler) -> {
				throw new LockConfigurationException(
						"%s has a parameter of type Lease, but is not annotated with @ExclusiveRequest."
							.formatted(handler.getMethod().toGenericString()),
						"Annotate the method, or remove the parameter.");
			});
	}

}
