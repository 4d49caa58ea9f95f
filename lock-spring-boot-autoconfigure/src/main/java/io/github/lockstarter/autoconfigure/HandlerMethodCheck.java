package io.github.lockstarter.autoconfigure;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.method.HandlerMethod;

/**
 * Checks the handler methods for requests after all of them have been registered.
 */
final class HandlerMethodCheck implements SmartInitializingSingleton {

	private final Supplier<Stream<HandlerMethod>> handlers;

	private final Consumer<HandlerMethod> check;

	/**
	 * Creates a check.
	 * @param handlers the handler methods of the web framework
	 * @param check fails for an invalid handler method
	 */
	HandlerMethodCheck(Supplier<Stream<HandlerMethod>> handlers, Consumer<HandlerMethod> check) {
		this.handlers = handlers;
		this.check = check;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.handlers.get().forEach(this.check);
	}

}
