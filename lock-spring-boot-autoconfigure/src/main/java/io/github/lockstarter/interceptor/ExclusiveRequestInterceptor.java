package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.RequestTooLargeException;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Acquires the locks of a call of an annotated method, runs the method, and releases the
 * locks. The method does not start before all locks are granted. The way of waiting
 * depends on the caller and on the return type of the method.
 */
public final class ExclusiveRequestInterceptor implements MethodInterceptor {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ExclusiveRequestInterceptor.class.getClassLoader());

	private final LockOperationSource operations;

	private final Supplier<InterceptorContext> context;

	private final Supplier<RequestSupport> requests;

	private final Supplier<@Nullable ReactiveRequestSupport> reactiveRequests;

	/**
	 * Creates an interceptor. It is created before most other beans, so its suppliers are
	 * not called before the first call of a method.
	 * @param operations the annotated methods
	 * @param context the shared context of all calls
	 * @param requests finds the request of a thread
	 * @param reactiveRequests finds the request of a Reactor context, if the application
	 * is reactive
	 */
	public ExclusiveRequestInterceptor(LockOperationSource operations, Supplier<InterceptorContext> context,
			Supplier<RequestSupport> requests, Supplier<@Nullable ReactiveRequestSupport> reactiveRequests) {
		this.operations = operations;
		this.context = SingletonSupplier.of(context);
		this.requests = requests;
		this.reactiveRequests = reactiveRequests;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = find(invocation);
		InterceptorContext context = this.context.get();
		RequestSupport requests = this.requests.get();
		RequestHandling handling = requests.handling(method);
		HeldLeases resumed = (handling != null) ? handling.takeResumed(method) : null;
		if (handling != null && resumed != null) {
			return proceed(new LockedCall(invocation, method, context, CallOrigin.resumed(handling)), handling,
					resumed);
		}
		LockedCall call = new LockedCall(invocation, method, context, CallOrigin.of(method, requests, handling));
		ReturnType returned = method.returnType();
		if (returned.isSuspending()) {
			return reactiveCalls().callLater(call);
		}
		if (handling != null) {
			handling.callAgain();
			HeldLeases leases = handling.acquire(call, call.evaluateLocks());
			if (context.releaseOn() == ReleaseOn.RESPONSE) {
				handling.releaseAtEnd(leases);
			}
			return proceed(call, handling, leases);
		}
		if (returned.isReactive()) {
			return reactiveCalls().callLater(call);
		}
		ReactiveRequestSupport reactive = method.isHandlerOfEntity() ? this.reactiveRequests.get() : null;
		if (reactive != null) {
			return reactiveCalls().callLaterForEntity(call, reactive);
		}
		boolean onEventLoop = REACTOR_PRESENT && ReactiveAcquisition.isOnEventLoop();
		if ((onEventLoop || method.waits()) && returned.isReplaceableStage()) {
			return CompletionStageCalls.call(call, !onEventLoop);
		}
		if (onEventLoop) {
			throw CompletionAdapterRegistry.unsupported(returned,
					"it was called on the thread of an event loop, which must not wait for the store",
					"Return a Mono or a ResponseEntity, or let Spring WebFlux call such handlers on other threads, as with spring.threads.virtual.enabled=true.");
		}
		return call.proceed(call.evaluateLocks().acquire());
	}

	/**
	 * Returns the annotated method, by the class that the pointcut has matched. If the
	 * target is a proxy, that is the class of the proxy, which may have annotated methods
	 * that its own target lacks.
	 * @throws LockConfigurationException if there is none, because the call would run
	 * without its lock
	 */
	private LockedMethod find(MethodInvocation invocation) {
		Method called = invocation.getMethod();
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? target.getClass() : called.getDeclaringClass();
		LockedMethod method = this.operations.find(called, type);
		if (method == null) {
			throw new LockConfigurationException(
					"%s is called on a %s, which has no @ExclusiveRequest for it, although its proxy expects one."
						.formatted(called.toGenericString(), type.getName()),
					"If the target of the proxy was replaced, annotate the method on the new target as well, or on an interface of both.");
		}
		return method;
	}

	/**
	 * Returns the annotated method that a call is one of.
	 * @param called the method that is called
	 * @param type the class of the bean
	 * @return {@code null} if there is none
	 */
	public @Nullable LockedMethod find(Method called, Class<?> type) {
		return this.operations.find(called, type);
	}

	/**
	 * Returns the locks of a handler whose arguments have not been resolved.
	 * @param args the arguments that its locks depend on, at their positions
	 * @param enclosing the leases of handlers of enclosing dispatches
	 * @return the locks; {@code null} if they cannot be determined, so that the call of
	 * the handler acquires them
	 */
	public @Nullable LockAcquisition early(LockedMethod method, @Nullable Object[] args, List<HeldLeases> enclosing) {
		CurrentRequest request = this.requests.get().currentRequest();
		if (method.readsContent() && request.content() == null) {
			return null;
		}
		InterceptorContext context = this.context.get();
		try {
			CallChain chain = new CallChain(LeaseContext.snapshot(), null).followedBy(enclosing);
			return new LockAcquisition(method, method.invocation(args, request), context, chain, context.releaseOn());
		}
		catch (RequestTooLargeException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			// Spring MVC may have a better response to a missing or an invalid value.
			return null;
		}
	}

	private ReactiveCalls reactiveCalls() {
		return new ReactiveCalls(this.reactiveRequests.get(), this.context.get().releaseOn());
	}

	private static @Nullable Object proceed(LockedCall call, RequestHandling handling, HeldLeases leases)
			throws Throwable {
		if (leases.result().expectResponse(handling)) {
			handling.releaseAtEnd(leases);
		}
		handling.callUnder(leases);
		return call.proceed(leases);
	}

}
