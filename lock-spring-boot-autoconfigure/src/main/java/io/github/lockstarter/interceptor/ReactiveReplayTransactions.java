package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

import io.github.lockstarter.completion.CallResult;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.EmittedValues;

/**
 * The reactive counterpart of {@link ReplayTransactionAdvisor}: lets the commit of the
 * transaction around the work keep its result.
 */
public final class ReactiveReplayTransactions {

	private ReactiveReplayTransactions() {
	}

	/**
	 * Returns work in code. When it ends with a value, the transaction around it is
	 * notified of the value before it is committed.
	 */
	public static Mono<Object> kept(Mono<?> work) {
		return one(work, null, () -> {
		});
	}

	/**
	 * Returns the result of the method. When its work ends with a value, the transaction
	 * around it is notified of the value before it is committed.
	 * @param result the result, of a reactive type
	 * @param ordinary is called if a transaction inside of the method was committed
	 * without the value
	 */
	static Object kept(Object result, LockedMethod method, Runnable ordinary) {
		ReactiveAdapter adapter = ReactiveTypeAdapter.adapter(result.getClass());
		Publisher<?> work = adapter.toPublisher(result);
		return adapter.fromPublisher(adapter.isMultiValue() ? all(Flux.from(work), method.method(), ordinary)
				: one(Mono.from(work), method.method(), ordinary));
	}

	private static Mono<Object> one(Mono<?> work, @Nullable Method method, Runnable ordinary) {
		return Mono.deferContextual((context) -> {
			HeldLeases leases = leases(context, method);
			Mono<Object> ended = work.map((value) -> value);
			return (leases == null) ? ended
					: ended.flatMap((value) -> keep(value, leases, context, ordinary).thenReturn(value))
						.switchIfEmpty(Mono.defer(() -> keep(null, leases, context, ordinary).then(Mono.empty())));
		});
	}

	private static Flux<Object> all(Flux<?> work, Method method, Runnable ordinary) {
		return Flux.deferContextual((context) -> {
			HeldLeases leases = leases(context, method);
			EmittedValues values = (leases != null) ? leases.result().values() : null;
			Flux<Object> emitted = Flux.from(work);
			return (leases == null || values == null) ? emitted : emitted.doOnNext(values::add)
				.concatWith(Mono.defer(() -> keep(values, leases, context, ordinary).then(Mono.empty())));
		});
	}

	/**
	 * Returns the leases of the call, if its result may be kept.
	 * @param method the method that is called; {@code null} for work in code
	 */
	private static @Nullable HeldLeases leases(ContextView context, @Nullable Method method) {
		return ReactiveTypeAdapter.all(context)
			.stream()
			.findFirst()
			.filter((leases) -> Objects.equals(leases.method(), method))
			.filter((leases) -> leases.result().mayKeep())
			.orElse(null);
	}

	private static Mono<Void> keep(@Nullable Object value, HeldLeases leases, ContextView context, Runnable ordinary) {
		if (!ReactiveTypeAdapter.isInTransaction(context)) {
			if (leases.result().mayKeepInReactiveTransaction() && leases.transactions().haveCommitted()) {
				ordinary.run();
			}
			return Mono.empty();
		}
		Set<Object> resources = ReactiveTypeAdapter.resources(context);
		resources.removeIf((resource) -> !leases.transactions().containReactive(resource));
		leases.transactions().own(resources);
		CallResult result = leases.result();
		return resources.isEmpty() ? Mono.empty()
				: Mono.fromCompletionStage(() -> result.keepAtCommit(value, resources));
	}

}
