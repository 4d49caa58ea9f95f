package io.github.lockstarter.completion;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.result.EmittedValues;
import io.github.lockstarter.result.ResultType;

/**
 * Adapts a reactive type of Reactor, RxJava, Kotlin or the JDK. Its work is done by the
 * subscription, and ends with it.
 */
public final class ReactiveTypeAdapter implements CompletionAdapter {

	private static final List<String> PLAIN = List.of("java.io", "java.lang", "java.math", "java.net", "java.time",
			"java.util");

	ReactiveTypeAdapter() {
	}

	@Override
	public boolean supports(Class<?> type) {
		return !isPlain(type) && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	/**
	 * Returns whether it is a type of plain values. Avoids the use of Spring's registry,
	 * which would load Reactor at startup of an application that may never use it. A
	 * record or an enum may implement a reactive type.
	 */
	private static boolean isPlain(Class<?> type) {
		return type.isPrimitive() || type.isArray() || PLAIN.contains(type.getPackageName())
				|| ((type.isRecord() || type.isEnum())
						&& Stream.of(type.getInterfaces()).allMatch(ReactiveTypeAdapter::isPlain));
	}

	@Override
	public boolean isReactive() {
		return true;
	}

	@Override
	public Object guard(GuardedCall call, Object result, HeldLeases leases) {
		Class<?> declared = call.returnType().declared();
		// A class may implement several reactive types.
		ReactiveAdapter adapter = adapter(
				(call.returnType().isReactive() && declared.isInstance(result)) ? declared : result.getClass());
		return adapter.fromPublisher(
				under(call, Mono.just(leases), adapter.isMultiValue(), (held) -> adapter.toPublisher(result)));
	}

	/** Returns Spring's adapter for a type that has one. */
	public static ReactiveAdapter adapter(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		Assert.state(adapter != null, () -> "Not a reactive type: " + type);
		return adapter;
	}

	/** Returns whether a value of exactly the type can be created from any publisher. */
	static boolean canReturn(Class<?> type) {
		Class<?> made = adapter(type).getReactiveType();
		return type.isAssignableFrom(made);
	}

	/** Returns whether the Reactor context of a subscriber passes through the type. */
	public static boolean passesContext(Class<?> type) {
		return type == Publisher.class || type.getName().startsWith("reactor.")
				|| type.getName().startsWith("kotlinx.coroutines.flow.");
	}

	/**
	 * Returns a publisher of work under leases, which are released when it ends.
	 * @param acquired emits the leases
	 * @param multiValue whether the work emits any number of values
	 * @param source the source of the values
	 */
	public static Publisher<?> under(GuardedCall call, Mono<HeldLeases> acquired, boolean multiValue, Source source) {
		Function<HeldLeases, Publisher<?>> work = (leases) -> {
			if (!leases.begin()) {
				return Mono.error(new CancellationException("The request has ended before the work began"));
			}
			try {
				leases.checkBeforeWork();
				Publisher<?> publisher = source.under(leases);
				return (publisher != null) ? publisher : Mono.empty();
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		};
		Function<HeldLeases, Publisher<?>> end = (leases) -> goOn(Mono.fromCompletionStage(leases::end));
		if (multiValue) {
			return Flux
				.usingWhen(acquired,
						(leases) -> leavingAll(Flux.from(work.apply(leases)), leases)
							.contextWrite((context) -> with(leases, context)),
						end, (leases, failure) -> afterFailure(leases, failure, end),
						(leases) -> afterCancellation(leases, end))
				.doOnDiscard(HeldLeases.class, HeldLeases::abandon);
		}
		return Mono
			.usingWhen(acquired,
					(leases) -> Mono.<Object>from(work.apply(leases))
						.doOnSuccess(leases::leave)
						.map((value) -> CompletionAdapterRegistry.passOn(call, value, leases))
						.contextWrite((context) -> with(leases, context)),
					end, (leases, failure) -> afterFailure(leases, failure, end),
					(leases) -> afterCancellation(leases, end))
			.doOnDiscard(HeldLeases.class, HeldLeases::abandon);
	}

	private static Publisher<?> afterFailure(HeldLeases leases, Throwable failure,
			Function<HeldLeases, Publisher<?>> end) {
		leases.failed(failure);
		return end.apply(leases);
	}

	private static Publisher<?> afterCancellation(HeldLeases leases, Function<HeldLeases, Publisher<?>> end) {
		leases.cancelled();
		return end.apply(leases);
	}

	/** Keeps the emitted values for other callers when the work has completed. */
	private static Flux<Object> leavingAll(Flux<Object> values, HeldLeases leases) {
		EmittedValues all = leases.result().values();
		return (all == null) ? values.doOnComplete(() -> leases.leave(null))
				: values.doOnNext(all::add).doOnComplete(() -> leases.leave(all));
	}

	/** Returns the type of the values that the reactive type emits. */
	public static ResultType resultType(Class<?> owner, ResolvableType reactive) {
		ReactiveAdapter adapter = adapter(reactive.toClass());
		return adapter.isNoValue() ? new ResultType(owner, ResolvableType.forClass(Void.class), false)
				: new ResultType(owner, reactive.as(adapter.getReactiveType()).getGeneric(), adapter.isMultiValue());
	}

	/** Returns what the method would return if its work had ended with the value. */
	static Object completed(ReturnType type, @Nullable Object value) {
		Publisher<?> publisher = (value instanceof List<?> list && isMany(type)) ? Flux.fromIterable(list)
				: Mono.justOrEmpty(value);
		return type.isSuspending() ? publisher : adapter(type.declared()).fromPublisher(publisher);
	}

	private static boolean isMany(ReturnType type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type.declared());
		return adapter != null && adapter.isMultiValue();
	}

	/**
	 * Continues on a thread like the one on which the work ended: one that may be blocked
	 * only if this thread may. It is never a thread of the registry, which has few. If no
	 * thread can be started, the signal is not lost.
	 */
	public static Mono<Void> goOn(Mono<Void> released) {
		if (!Schedulers.isInNonBlockingThread()) {
			return released.publishOn(Schedulers.boundedElastic()).onErrorComplete();
		}
		return released.then(Mono.defer(() -> Schedulers.isInNonBlockingThread() ? Mono.empty()
				: Mono.<Void>empty().publishOn(Schedulers.parallel()).onErrorComplete()));
	}

	private static Context with(HeldLeases leases, Context context) {
		if (leases.leases().isEmpty()) {
			return context;
		}
		Context withLease = context.putNonNull(Lease.class, leases.lease());
		if (CallTransactions.PRESENT && isInTransaction(context)) {
			leases.transactions().withinReactive(resources(context));
		}
		return withLease.put(HeldLeases.class, Stream.concat(Stream.of(leases), all(context).stream()).toList());
	}

	/**
	 * Returns whether the subscriber is in a transaction. Needs Spring's transactions.
	 */
	public static boolean isInTransaction(ContextView context) {
		return context.<TransactionContext>getOrEmpty(TransactionContext.class)
			.filter(TransactionContext::isActualTransactionActive)
			.isPresent();
	}

	/**
	 * Returns the resources of the subscriber's transactions, among them the connection
	 * of the innermost one. Needs Spring's transactions.
	 */
	public static Set<Object> resources(ContextView context) {
		Set<Object> resources = Collections.newSetFromMap(new IdentityHashMap<>());
		context.<TransactionContext>getOrEmpty(TransactionContext.class)
			.ifPresent((transaction) -> resources.addAll(transaction.getResources().values()));
		return resources;
	}

	/** Returns the leases of the subscriber, those of the innermost call first. */
	public static List<HeldLeases> all(ContextView context) {
		return context.<List<HeldLeases>>getOrEmpty(HeldLeases.class).orElse(List.of());
	}

	/** The source of the values. */
	public interface Source {

		@Nullable Publisher<?> under(HeldLeases leases) throws Throwable;

	}

}
