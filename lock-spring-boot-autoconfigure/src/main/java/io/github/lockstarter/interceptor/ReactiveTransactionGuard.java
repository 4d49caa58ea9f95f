package io.github.lockstarter.interceptor;

import java.util.List;
import java.util.function.Supplier;

import reactor.core.publisher.Mono;

import io.github.lockstarter.Lease;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReactiveTypeAdapter;

/**
 * Does for reactive transactions what {@link LeaseTransactionListener} does for those of
 * a thread. The leases are those that the Reactor context of the transaction tells of, so
 * a transaction manager has to ask for it where it has that context.
 */
public final class ReactiveTransactionGuard {

	private ReactiveTransactionGuard() {
	}

	/**
	 * Returns the commit, which fails with a
	 * {@link io.github.lockstarter.LeaseLostException}, and does not begin, if a lock
	 * that the transaction is under is not held any more.
	 * @param commit commits the transaction
	 */
	public static Mono<Void> commit(Supplier<Mono<Void>> commit) {
		return Mono.deferContextual((context) -> {
			List<HeldLeases> all = ReactiveTypeAdapter.all(context);
			LeaseTransactionListener.check(leases(all));
			return commit.get().doOnSuccess((nothing) -> ended(all, true)).doOnError((failure) -> ended(all, false));
		});
	}

	/**
	 * Returns the rollback, after which nobody is given the result of what the
	 * transaction did.
	 * @param rollback rolls the transaction back
	 */
	public static Mono<Void> rollback(Supplier<Mono<Void>> rollback) {
		return Mono.deferContextual((context) -> {
			ended(ReactiveTypeAdapter.all(context), false);
			return rollback.get();
		});
	}

	private static List<Lease> leases(List<HeldLeases> all) {
		return all.stream().flatMap((leases) -> leases.leases().stream()).toList();
	}

	private static void ended(List<HeldLeases> all, boolean committed) {
		all.forEach((leases) -> leases.transactionEnded(committed));
	}

}
