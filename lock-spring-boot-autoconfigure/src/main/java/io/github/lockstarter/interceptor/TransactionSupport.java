package io.github.lockstarter.interceptor;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.HeldLeases;

/**
 * The transactions of annotated methods, so far as they and the locks belong together.
 */
@FunctionalInterface
public interface TransactionSupport {

	/** Nothing is done in transactions. */
	TransactionSupport NONE = (call, leases) -> call.proceed();

	/**
	 * Calls a method whose work ends when it returns.
	 * @param leases the leases that it is called under
	 */
	@Nullable Object proceed(MethodInvocation call, HeldLeases leases) throws Throwable;

}
