package io.github.lockstarter.autoconfigure;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.method.HandlerMethod;

/**
 * Checks the methods that answer requests, when all of them are known.
 */
final class HandlerMethodCheck implements SmartInitializingSingleton {

	private final Supplier<Stream<HandlerMethod>> handlers;

	private final Consumer<HandlerMethod> check;

	/**
	 * Creates a check.
	 * @param handlers the methods that answer requests, of whatever web framework
	 * @param check refuses one
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
