package io.github.lockstarter.aop;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

import io.github.lockstarter.LockRegistry;

/**
 * Runs an annotated method while it holds the locks that the call asks for. Nothing of
 * the method happens before they are granted. How they are waited for depends on who
 * calls and on what the method returns.
 */
final class ExclusiveRequestInterceptor implements MethodInterceptor {

	private final ExclusiveRequestSpecs specs;

	private final Supplier<LockRegistry> registry;

	private final BooleanSupplier untilResponse;

	private final BooleanSupplier exchanges;

	/**
	 * Creates an interceptor.
	 * @param untilResponse whether handlers keep their locks until their response has
	 * been written
	 * @param exchanges whether handlers are those of Spring WebFlux
	 */
	ExclusiveRequestInterceptor(ExclusiveRequestSpecs specs, Supplier<LockRegistry> registry,
			BooleanSupplier untilResponse, BooleanSupplier exchanges) {
		this.specs = specs;
		this.registry = registry;
		this.untilResponse = untilResponse;
		this.exchanges = exchanges;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = this.specs.find(invocation.getMethod(),
				AopUtils.getTargetClass(Objects.requireNonNull(invocation.getThis())));
		if (method == null) {
			return invocation.proceed();
		}
		LockedCall call = new LockedCall(invocation, method, this.registry.get());
		if (method.isSuspending()) {
			return ReactiveWork.callLater(call, this.untilResponse.getAsBoolean());
		}
		if (call.isServletHandling()) {
			return handleServletRequest(call);
		}
		if (method.isReactive()) {
			return ReactiveWork.callLater(call, this.untilResponse.getAsBoolean());
		}
		if (method.isHandlerOfEntity() && this.exchanges.getAsBoolean()) {
			return new PendingEntity(ReactiveWork.callLaterForValue(call, this.untilResponse.getAsBoolean()));
		}
		boolean onEventLoop = Present.REACTOR && ReactiveWork.isOnEventLoop();
		if ((onEventLoop || method.waits()) && StageWork.canReturnEarly(method)) {
			return StageWork.callLater(call);
		}
		if (onEventLoop) {
			throw Works.unsupported(method.method(),
					"it was called on the thread of an event loop, which must not wait for the store",
					"Return a Mono or a ResponseEntity, or let Spring WebFlux call such handlers on other threads, as with spring.threads.virtual.enabled=true.");
		}
		return call.proceed(call.acquire(call.claims(), false));
	}

	private @Nullable Object handleServletRequest(LockedCall call) throws Throwable {
		Holding waitedFor = Resumption.take(call.method());
		if (waitedFor != null) {
			return call.proceed(waitedFor);
		}
		boolean untilResponse = this.untilResponse.getAsBoolean();
		Claims claims = call.claims();
		Holding holding = (claims.mayWait() && call.canSuspend())
				? call.servletHandling().acquireOrSuspend(call, claims, untilResponse)
				: call.acquire(claims, untilResponse);
		if (untilResponse) {
			call.tellEndOfRequest(holding);
		}
		return call.proceed(holding);
	}

}
