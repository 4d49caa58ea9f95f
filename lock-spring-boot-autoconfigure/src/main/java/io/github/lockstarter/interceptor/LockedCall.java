package io.github.lockstarter.interceptor;

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

import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.CompletionAdapterRegistry.GuardedWork;
import io.github.lockstarter.completion.GuardedCall;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.RequestWithoutContent;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.ReplayedResponseException;
import io.github.lockstarter.result.SharedResult;

/**
 * One call of an annotated method. It acquires its locks and runs the method under them,
 * or returns the result of another call.
 */
public final class LockedCall implements GuardedCall, CompletionStageCall {

	private final MethodInvocation invocation;

	private final LockedMethod method;

	private final InterceptorContext context;

	private final CallOrigin origin;

	LockedCall(MethodInvocation invocation, LockedMethod method, InterceptorContext context, CallOrigin origin) {
		this.invocation = invocation;
		this.method = method;
		this.context = context;
		this.origin = origin;
	}

	/** Returns the annotated method. */
	public LockedMethod method() {
		return this.method;
	}

	@Override
	public ReturnType returnType() {
		return this.method.returnType();
	}

	/** Returns the arguments of the call. */
	public @Nullable Object[] args() {
		return this.invocation.getArguments();
	}

	@Override
	public @Nullable RequestHandling request() {
		return this.origin.handling();
	}

	/**
	 * Returns whether advice outside of the lock repeats the call if it fails.
	 */
	public boolean isRetried() {
		return this.invocation instanceof ProxyMethodInvocation ofProxy && ofProxy.getProxy() instanceof Advised advised
				&& Stream.of(advised.getAdvisors())
					.takeWhile((advisor) -> !(advisor instanceof ExclusiveRequestAdvisor))
					.anyMatch((advisor) -> advisor.getAdvice() instanceof AbstractRetryInterceptor);
	}

	/**
	 * Returns whether the call is one of the bean, and no other advice of its proxy
	 * surrounds the lock.
	 */
	public boolean isOutermostOf(Object bean) {
		return this.invocation instanceof ProxyMethodInvocation ofProxy && ofProxy.getProxy() == bean
				&& ExclusiveRequestAdvisor.isOutermost(bean, this.method);
	}

	@Override
	public CompletableFuture<HeldLeases> acquireAsync(Executor executor) {
		return evaluateLocks().acquireAsync(executor);
	}

	@Override
	public CallerTasks tasks() {
		return this.context.tasks();
	}

	boolean isInRequest() {
		return !(this.origin.request() instanceof CurrentRequest.NoRequest);
	}

	/** Evaluates the locks for the request of the thread that called the proxy. */
	LockAcquisition evaluateLocks() {
		CurrentRequest request = this.origin.request();
		// Code of a handler may call another one: the content of the request is not its.
		boolean ofOther = this.origin.handling() == null && isInRequest() && this.method.readsContent();
		return evaluateLocks(ofOther ? new RequestWithoutContent(request) : request);
	}

	/** Evaluates the locks for the request. */
	LockAcquisition evaluateLocks(CurrentRequest request) {
		return new LockAcquisition(this.method, this.method.invocation(args(), request), this.context,
				this.origin.chain(), (this.origin.handling() != null) ? this.context.releaseOn() : ReleaseOn.METHOD);
	}

	/**
	 * Calls the method, on the thread and before the end of the call of the proxy.
	 * @return its result, whose work ends the leases
	 */
	@Override
	public @Nullable Object proceed(HeldLeases leases) throws Throwable {
		return guarded(leases, () -> run(this.invocation, leases));
	}

	/**
	 * Calls the method after the proxy has returned, or on another thread.
	 * @return its result, whose work ends the leases
	 */
	@Override
	public @Nullable Object proceedLater(HeldLeases leases) throws Throwable {
		return guarded(leases, () -> runLater(leases));
	}

	/**
	 * Calls the method with a result whose work does not end the leases. May be called
	 * several times.
	 */
	@Nullable Object runLater(HeldLeases leases) throws Throwable {
		Assert.state(this.invocation instanceof ProxyMethodInvocation, "Not a call of a Spring proxy");
		MethodInvocation copy = ((ProxyMethodInvocation) this.invocation).invocableClone();
		return run(copy, leases);
	}

	private @Nullable Object run(MethodInvocation invocation, HeldLeases leases) throws Throwable {
		if (leases.result().isSkipped()) {
			return CompletionAdapterRegistry.empty(returnType());
		}
		SharedResult result = leases.result().received();
		if (result != null) {
			RequestHandling handling = this.origin.handling();
			if (handling != null) {
				handling.replay(result);
			}
			return value(result);
		}
		this.method.fillIn(leases.lease(), invocation.getArguments());
		LeaseContext.push(leases);
		try {
			this.context.observer().runs(this.method, leases.leases());
			// Aspects look up their invocation on the thread.
			return (invocation != this.invocation) ? ExposeInvocationInterceptor.INSTANCE.invoke(invocation)
					: invocation.proceed();
		}
		finally {
			LeaseContext.pop();
		}
	}

	private @Nullable Object value(SharedResult result) {
		if (result instanceof SharedResult.Response response) {
			throw new ReplayedResponseException(response);
		}
		return CompletionAdapterRegistry.completed(returnType(), ((SharedResult.Value) result).value());
	}

	private @Nullable Object guarded(HeldLeases leases, GuardedWork work) throws Throwable {
		return leases.result().isSkipped() ? work.run() : CompletionAdapterRegistry.run(this, leases, work);
	}

}
