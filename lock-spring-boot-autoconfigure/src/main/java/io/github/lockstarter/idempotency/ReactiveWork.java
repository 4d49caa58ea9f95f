package io.github.lockstarter.idempotency;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.interceptor.ReactiveAcquisition;

/**
 * Runs a call of reactive work for each subscription.
 */
final class ReactiveWork {

	private ReactiveWork() {
	}

	@SuppressWarnings("unchecked")
	static <T> Mono<T> of(IdempotentCall call) {
		Mono<HeldLeases> acquired = Mono.deferContextual(
				(context) -> ReactiveAcquisition.of(context, () -> call.acquireAsync(ReactiveAcquisition.executor())));
		return (Mono<T>) Mono.from(ReactiveTypeAdapter.under(call, acquired, false, (leases) -> run(call, leases)));
	}

	private static @Nullable Publisher<?> run(IdempotentCall call, HeldLeases leases) throws Throwable {
		return (Publisher<?>) call.run(leases);
	}

}
