package io.github.lockstarter.interceptor;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Runs an annotated method while it holds the locks that the call asks for. Nothing of
 * the method happens before they are granted. How they are waited for depends on the
 * caller and on the return type of the method.
 */
public final class ExclusiveRequestInterceptor implements MethodInterceptor {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ExclusiveRequestInterceptor.class.getClassLoader());

	private final LockOperationSource operations;

	private final Supplier<LockRegistry> registry;

	private final Supplier<RequestSupport> requests;

	private final Supplier<@Nullable ReactiveRequestSupport> reactiveRequests;

	private final BooleanSupplier untilResponse;

	private final ConflictEvents events;

	/**
	 * Creates an interceptor. It is created before most other beans, so it asks for
	 * nothing before the first call.
	 * @param operations what is to be locked
	 * @param registry where to get locks from
	 * @param requests the requests of threads
	 * @param reactiveRequests the requests of Reactor contexts, if there are any
	 * @param untilResponse whether handlers keep their locks until their response has
	 * been written
	 * @param events is notified of calls that are refused
	 */
	public ExclusiveRequestInterceptor(LockOperationSource operations, Supplier<LockRegistry> registry,
			Supplier<RequestSupport> requests, Supplier<@Nullable ReactiveRequestSupport> reactiveRequests,
			BooleanSupplier untilResponse, ConflictEvents events) {
		this.operations = operations;
		this.registry = registry;
		this.requests = requests;
		this.reactiveRequests = reactiveRequests;
		this.untilResponse = untilResponse;
		this.events = events;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = this.operations.find(invocation.getMethod(),
				AopUtils.getTargetClass(Objects.requireNonNull(invocation.getThis())));
		if (method == null) {
			return invocation.proceed();
		}
		LockedCall call = new LockedCall(invocation, method, this.registry.get(), this.requests.get(), this.events);
		ReturnType returned = method.returnType();
		if (returned.isSuspending()) {
			return reactiveCalls().callLater(call);
		}
		RequestHandling handling = call.request();
		if (handling != null) {
			return handleRequest(call, handling);
		}
		if (returned.isReactive()) {
			return reactiveCalls().callLater(call);
		}
		ReactiveRequestSupport reactive = method.isHandlerOfEntity() ? this.reactiveRequests.get() : null;
		if (reactive != null) {
			return reactiveCalls().callLaterForEntity(call, reactive);
		}
		boolean onEventLoop = REACTOR_PRESENT && ReactiveCalls.isOnEventLoop();
		if ((onEventLoop || method.waits()) && returned.isReplaceableStage()) {
			return StageCalls.callLater(call);
		}
		if (onEventLoop) {
			throw CompletionAdapterRegistry.unsupported(returned,
					"it was called on the thread of an event loop, which must not wait for the store",
					"Return a Mono or a ResponseEntity, or let Spring WebFlux call such handlers on other threads, as with spring.threads.virtual.enabled=true.");
		}
		return call.proceed(call.acquire(call.locks(), false));
	}

	private ReactiveCalls reactiveCalls() {
		return new ReactiveCalls(this.reactiveRequests.get(), this.untilResponse.getAsBoolean());
	}

	private @Nullable Object handleRequest(LockedCall call, RequestHandling handling) throws Throwable {
		HeldLeases waitedFor = handling.resumed(call);
		if (waitedFor != null) {
			return proceed(call, handling, waitedFor);
		}
		boolean untilResponse = this.untilResponse.getAsBoolean();
		HeldLeases leases = handling.acquire(call, call.locks(), untilResponse);
		if (leases == null) {
			return null;
		}
		if (untilResponse) {
			handling.releaseAtEnd(leases);
		}
		return proceed(call, handling, leases);
	}

	private static @Nullable Object proceed(LockedCall call, RequestHandling handling, HeldLeases leases)
			throws Throwable {
		if (call.respond(handling, leases)) {
			handling.releaseAtEnd(leases);
		}
		return call.proceed(leases);
	}

}
