package io.github.lockstarter.aop;

import java.util.List;
import java.util.function.Supplier;

import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.transaction.reactive.TransactionContext;

import io.github.lockstarter.Lease;

/**
 * Does for reactive transactions what {@link CommitGuard} does for those of a thread. The
 * leases are those that the Reactor context of the transaction tells of, so a transaction
 * manager has to ask for it where it has that context.
 */
public final class ReactiveCommitGuard {

	private ReactiveCommitGuard() {
	}

	/**
	 * Returns the commit, which fails with a
	 * {@link io.github.lockstarter.LeaseLostException}, and does not begin, if a lock
	 * that the transaction is under is not held any more.
	 * @param commit commits the transaction
	 */
	public static Mono<Void> commit(Supplier<Mono<Void>> commit) {
		return Mono.deferContextual((context) -> {
			List<Holding> holdings = ReactiveWork.holdings(context);
			CommitGuard.check(leases(holdings));
			return commit.get()
				.doOnSuccess((nothing) -> ended(holdings, true))
				.doOnError((failure) -> ended(holdings, false));
		});
	}

	/**
	 * Returns the rollback, after which nobody is given the result of what the
	 * transaction did.
	 * @param rollback rolls the transaction back
	 */
	public static Mono<Void> rollback(Supplier<Mono<Void>> rollback) {
		return Mono.deferContextual((context) -> {
			ended(ReactiveWork.holdings(context), false);
			return rollback.get();
		});
	}

	private static List<Lease> leases(List<Holding> holdings) {
		return holdings.stream().flatMap((holding) -> holding.leases().stream()).toList();
	}

	private static void ended(List<Holding> holdings, boolean committed) {
		holdings.forEach((holding) -> holding.transactionEnded(committed));
	}

	/** Returns whether the subscriber is part of a transaction that is open. */
	static boolean isInTransaction(ContextView context) {
		return context.<TransactionContext>getOrEmpty(TransactionContext.class)
			.filter(TransactionContext::isActualTransactionActive)
			.isPresent();
	}

}
