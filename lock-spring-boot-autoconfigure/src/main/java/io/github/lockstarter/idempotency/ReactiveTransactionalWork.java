package io.github.lockstarter.idempotency;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.transaction.reactive.TransactionalOperator;

import io.github.lockstarter.completion.CompletionAdapterRegistry.Work;
import io.github.lockstarter.interceptor.ReactiveReplays;

/**
 * Does reactive work in a transaction that begins and ends under its lease, like
 * {@link TransactionalWork}.
 */
final class ReactiveTransactionalWork implements Work {

	private final Work work;

	private final TransactionalOperator transactions;

	ReactiveTransactionalWork(Work work, TransactionalOperator transactions) {
		this.work = work;
		this.transactions = transactions;
	}

	@Override
	public @Nullable Object run() throws Throwable {
		Publisher<?> work = (Publisher<?>) this.work.run();
		return (work != null) ? this.transactions.transactional(ReactiveReplays.kept(Mono.from(work))) : null;
	}

}
