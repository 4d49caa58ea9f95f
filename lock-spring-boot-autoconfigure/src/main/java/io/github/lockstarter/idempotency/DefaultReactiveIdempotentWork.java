package io.github.lockstarter.idempotency;

import java.util.function.Supplier;

import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.util.Assert;

import io.github.lockstarter.ReactiveIdempotentWork;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.interceptor.ReactiveAcquisition;
import io.github.lockstarter.interceptor.ReactiveReplayTransactions;

/**
 * The default {@link ReactiveIdempotentWork}. Its transaction begins and ends under its
 * lease, like that of {@link TransactionalWork}.
 */
final class DefaultReactiveIdempotentWork<T extends @Nullable Object> implements ReactiveIdempotentWork<T> {

	private final DefaultIdempotentWork<T> description;

	private final @Nullable TransactionalOperator transactions;

	DefaultReactiveIdempotentWork(DefaultIdempotentWork<T> description, @Nullable TransactionalOperator transactions) {
		this.description = description;
		this.transactions = transactions;
	}

	@Override
	public ReactiveIdempotentWork<T> in(TransactionalOperator transactions) {
		return new DefaultReactiveIdempotentWork<>(this.description, transactions);
	}

	@Override
	@SuppressWarnings("unchecked")
	public Mono<@NonNull T> call(Supplier<? extends Mono<? extends T>> task) {
		IdempotentCall call = this.description.newCall(ReturnType.ofCode(Mono.class), () -> work(task));
		Mono<HeldLeases> acquired = Mono.deferContextual(
				(context) -> ReactiveAcquisition.of(context, () -> call.acquireAsync(ReactiveAcquisition.executor())));
		return (Mono<@NonNull T>) Mono
			.from(ReactiveTypeAdapter.under(call, acquired, false, (leases) -> (Publisher<?>) call.run(leases)));
	}

	private Mono<?> work(Supplier<? extends Mono<? extends T>> task) {
		Mono<?> work = task.get();
		Assert.state(work != null, "The work returned null instead of a Mono");
		return (this.transactions != null) ? this.transactions.transactional(ReactiveReplayTransactions.kept(work))
				: work;
	}

}
