package io.github.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.resilience.retry.AbstractRetryInterceptor;
import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;

/**
 * One call of an annotated method: acquires its locks, and proceeds under them, or with
 * the result of another call.
 */
final class LockedCall {

	private final MethodInvocation invocation;

	private final LockedMethod method;

	private final LockRegistry registry;

	private final CurrentRequest request = CurrentRequest.get();

	private final @Nullable ServletHandling servletHandling;

	LockedCall(MethodInvocation invocation, LockedMethod method, LockRegistry registry) {
		this.invocation = invocation;
		this.method = method;
		this.registry = registry;
		this.servletHandling = Present.SPRING_MVC ? ServletHandling.of(method) : null;
	}

	LockedMethod method() {
		return this.method;
	}

	@Nullable Object[] args() {
		return this.invocation.getArguments();
	}

	/** Returns whether Spring MVC calls the method to handle a request. */
	boolean isServletHandling() {
		return this.servletHandling != null;
	}

	/**
	 * Returns how Spring MVC handles the request that the method is called for.
	 * @throws io.github.lockstarter.LockConfigurationException if it is not called for
	 * one
	 */
	ServletHandling servletHandling() {
		if (this.servletHandling == null) {
			throw Works.unsupported(this.method.method(),
					"it returned what only Spring MVC can work on, but was not called by Spring MVC");
		}
		return this.servletHandling;
	}

	/**
	 * Returns whether Spring MVC may let the request wait without a thread. That takes an
	 * exception, which a retry outside of the lock would take for a failure of the
	 * method.
	 */
	boolean canSuspend() {
		return servletHandling().canSuspend(this.method) && !(this.invocation instanceof ProxyMethodInvocation ofProxy
				&& ofProxy.getProxy() instanceof Advised advised
				&& Stream.of(advised.getAdvisors())
					.takeWhile((advisor) -> !(advisor instanceof ExclusiveRequestAdvisor))
					.anyMatch((advisor) -> advisor.getAdvice() instanceof AbstractRetryInterceptor));
	}

	/** Returns what will tell the end of the request that Spring MVC handles. */
	@Nullable EndOfRequest endOfRequest() {
		return (this.servletHandling != null) ? this.servletHandling.asyncHandling().end() : null;
	}

	void tellEndOfRequest(Holding holding) {
		if (this.servletHandling != null) {
			this.servletHandling.asyncHandling().end().add(holding);
		}
	}

	/**
	 * Acquires the locks on this thread.
	 * @throws io.github.lockstarter.LockException if one is not granted
	 */
	Holding acquire(Claims claims, boolean untilResponse) {
		return claims.acquire(this.registry, untilResponse);
	}

	/**
	 * Acquires the locks without holding a thread.
	 * @param executor where the future completes, or {@code null} for a few threads of
	 * the registry
	 */
	CompletableFuture<Holding> acquireAsync(Claims claims, boolean untilResponse, @Nullable Executor executor) {
		return claims.acquireAsync(this.registry, executor, untilResponse);
	}

	boolean hasServletRequest() {
		return !(this.request instanceof CurrentRequest.Absent);
	}

	/** Returns the locks for the request of the thread that called the proxy. */
	Claims claims() {
		return claims(this.request);
	}

	/** Returns the locks for the request. */
	Claims claims(CurrentRequest request) {
		return new Claims(this.method.specs(), new Call(this.method.method(), args(), request));
	}

	/**
	 * Calls the method, on the thread and before the end of the call of the proxy.
	 * @return its result, whose work ends the holding
	 */
	@Nullable Object proceed(Holding holding) throws Throwable {
		return guarded(holding, () -> run(this.invocation, holding));
	}

	/**
	 * Calls the method after the proxy has returned, or on another thread.
	 * @return its result, whose work ends the holding
	 */
	@Nullable Object proceedLater(Holding holding) throws Throwable {
		return guarded(holding, () -> runLater(holding));
	}

	/**
	 * Does the same with a result whose work does not end the holding. May be done
	 * several times.
	 */
	@Nullable Object runLater(Holding holding) throws Throwable {
		Assert.state(this.invocation instanceof ProxyMethodInvocation, "Not a call of a Spring proxy");
		MethodInvocation copy = ((ProxyMethodInvocation) this.invocation).invocableClone();
		return run(copy, holding);
	}

	private @Nullable Object run(MethodInvocation invocation, Holding holding) throws Throwable {
		if (holding.hasResult()) {
			if (this.servletHandling != null) {
				this.servletHandling.tellReplayed();
			}
			return Works.completed(this.method, holding.result());
		}
		fillIn(holding.lease(), invocation.getArguments());
		CurrentLeases.push(holding);
		try {
			// Aspects look for their invocation on the thread.
			return (invocation != this.invocation) ? ExposeInvocationInterceptor.INSTANCE.invoke(invocation)
					: invocation.proceed();
		}
		finally {
			CurrentLeases.pop();
		}
	}

	private @Nullable Object guarded(Holding holding, Invocation invocation) throws Throwable {
		boolean guarded = false;
		try {
			Object result = Works.guard(this, invocation.proceed(), holding);
			guarded = true;
			return result;
		}
		finally {
			if (!guarded) {
				holding.close();
			}
		}
	}

	/** A lease that the caller passes on is left as it is. */
	private void fillIn(@Nullable Lease lease, @Nullable Object[] args) {
		Class<?>[] types = this.method.method().getParameterTypes();
		for (int i = 0; i < types.length; i++) {
			if (types[i] == Lease.class && args[i] == null) {
				args[i] = lease;
			}
		}
	}

	private interface Invocation {

		@Nullable Object proceed() throws Throwable;

	}

}
