package io.github.lockstarter.aop;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.share.EmittedValues;
import io.github.lockstarter.share.ResultType;

/**
 * A reactive type, be it of Reactor, RxJava, Kotlin or the JDK: its work is done by the
 * subscription, and ends with it.
 */
final class ReactiveWork implements Work {

	@Override
	public boolean supports(Class<?> type) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	@Override
	public Object guard(LockedCall call, Object result, Holding holding) {
		Class<?> declared = call.method().returned();
		// A class may be of several reactive types.
		ReactiveAdapter adapter = adapter(
				(call.method().isReactive() && declared.isInstance(result)) ? declared : result.getClass());
		return adapter.fromPublisher(
				under(call, Mono.just(holding), adapter.isMultiValue(), (held) -> adapter.toPublisher(result)));
	}

	/**
	 * Returns what calls the method whenever it is subscribed to, once its locks have
	 * been granted, and holds no thread until then.
	 */
	static Object callLater(LockedCall call, boolean untilResponse) {
		LockedMethod method = call.method();
		if (method.isSuspending()) {
			Class<?> type = new MethodParameter(method.method(), -1).getParameterType();
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			return under(call, ExchangeHandling.acquire(call, untilResponse), adapter != null && adapter.isMultiValue(),
					(holding) -> (Publisher<?>) call.runLater(holding));
		}
		ReactiveAdapter adapter = adapter(method.returned());
		return adapter.fromPublisher(
				under(call, ExchangeHandling.acquire(call, untilResponse), adapter.isMultiValue(), (holding) -> {
					Object result = call.runLater(holding);
					return (result != null) ? adapter.toPublisher(result) : null;
				}));
	}

	/** Returns what calls a method that returns a value, and then emits the value. */
	static Mono<?> callLaterForValue(LockedCall call, boolean untilResponse) {
		return Mono.from(under(call, ExchangeHandling.acquire(call, untilResponse), false,
				(holding) -> Mono.justOrEmpty(call.runLater(holding))));
	}

	/** Returns whether the type is no more than what can be made of any publisher. */
	static boolean canReturn(Class<?> type) {
		Class<?> made = adapter(type).getReactiveType();
		return type.isAssignableFrom(made);
	}

	/** Returns whether the Reactor context of a subscriber passes through the type. */
	static boolean passesContext(Class<?> type) {
		return type == Publisher.class || type.getName().startsWith("reactor.")
				|| type.getName().startsWith("kotlinx.coroutines.flow.");
	}

	/** Tells whether this thread is one that must not be blocked. */
	static boolean isOnEventLoop() {
		return Schedulers.isInNonBlockingThread();
	}

	private static Publisher<?> under(LockedCall call, Mono<Holding> acquired, boolean multiValue, Source source) {
		Function<Holding, Publisher<?>> work = (holding) -> {
			if (!holding.begin()) {
				return Mono.error(new CancellationException("The request has ended before the work began"));
			}
			try {
				Publisher<?> publisher = source.under(holding);
				return (publisher != null) ? publisher : Mono.empty();
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		};
		Function<Holding, Publisher<?>> end = (holding) -> goOn(Mono.fromCompletionStage(holding::end));
		if (multiValue) {
			return Flux
				.usingWhen(acquired,
						(holding) -> leavingAll(Flux.from(work.apply(holding)), holding)
							.contextWrite((context) -> with(holding, context)),
						end, (holding, failure) -> end.apply(holding), end)
				.doOnDiscard(Holding.class, Holding::abandon);
		}
		return Mono
			.usingWhen(acquired,
					(holding) -> Mono.<Object>from(work.apply(holding))
						.doOnSuccess(holding::leave)
						.map((value) -> Works.passOn(call, value, holding))
						.contextWrite((context) -> with(holding, context)),
					end, (holding, failure) -> end.apply(holding), end)
			.doOnDiscard(Holding.class, Holding::abandon);
	}

	/** Leaves to others what has been emitted, once that is all. */
	private static Flux<Object> leavingAll(Flux<Object> values, Holding holding) {
		EmittedValues all = holding.values();
		return (all != null) ? values.doOnNext(all::add).doOnComplete(() -> holding.leave(all)) : values;
	}

	/** Returns what a value of the reactive type ends with. */
	static ResultType resultType(Class<?> owner, ResolvableType reactive) {
		ReactiveAdapter adapter = adapter(reactive.toClass());
		return adapter.isNoValue() ? new ResultType(owner, ResolvableType.forClass(Void.class), false)
				: new ResultType(owner, reactive.as(adapter.getReactiveType()).getGeneric(), adapter.isMultiValue());
	}

	/** Returns what the method would return if its work had ended with the value. */
	static Object completed(LockedMethod method, @Nullable Object value) {
		Publisher<?> publisher = (value instanceof List<?> list && resultIsMany(method)) ? Flux.fromIterable(list)
				: Mono.justOrEmpty(value);
		return method.isSuspending() ? publisher : adapter(method.returned()).fromPublisher(publisher);
	}

	private static boolean resultIsMany(LockedMethod method) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.returned());
		return adapter != null && adapter.isMultiValue();
	}

	/**
	 * Goes on as the work ended: on threads that may be blocked only if this one may, and
	 * not on one of the registry, which has few. Nothing fails for want of another
	 * thread.
	 */
	private static Mono<Void> goOn(Mono<Void> released) {
		if (!Schedulers.isInNonBlockingThread()) {
			return released.publishOn(Schedulers.boundedElastic()).onErrorComplete();
		}
		return released.then(Mono.defer(() -> Schedulers.isInNonBlockingThread() ? Mono.empty()
				: Mono.<Void>empty().publishOn(Schedulers.parallel()).onErrorComplete()));
	}

	private static Context with(Holding holding, Context context) {
		Lease lease = holding.lease();
		if (lease == null) {
			return context;
		}
		Context withLease = context.put(Lease.class, lease);
		if (!Present.TRANSACTIONS) {
			return withLease;
		}
		if (ReactiveCommitGuard.isInTransaction(context)) {
			holding.withinTransaction();
		}
		return withLease.put(Holding.class, Stream.concat(holdings(context).stream(), Stream.of(holding)).toList());
	}

	/** Returns under what the subscriber works, the innermost last. */
	static List<Holding> holdings(ContextView context) {
		return context.<List<Holding>>getOrEmpty(Holding.class).orElse(List.of());
	}

	private static ReactiveAdapter adapter(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		Assert.state(adapter != null, () -> "Not a reactive type: " + type);
		return adapter;
	}

	/** Where the values come from. */
	private interface Source {

		@Nullable Publisher<?> under(Holding holding) throws Throwable;

	}

}
