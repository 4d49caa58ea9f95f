package io.github.lockstarter.interceptor;

import java.util.List;
import java.util.function.Supplier;

import reactor.core.publisher.Mono;

import org.springframework.transaction.TransactionExecution;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReactiveTypeAdapter;

/**
 * The counterpart of {@link LeaseTransactionListener} for reactive transactions. It finds
 * the leases in the Reactor context of the transaction, so a transaction manager has to
 * call it where that context is available.
 */
public final class ReactiveTransactionGuard {

	private ReactiveTransactionGuard() {
	}

	/**
	 * Returns the commit. It fails with a
	 * {@link io.github.lockstarter.LeaseLostException} before it begins if a lock of the
	 * transaction is no longer held.
	 * @param commit commits the transaction
	 */
	public static Mono<Void> commit(TransactionExecution transaction, Supplier<Mono<Void>> commit) {
		return Mono.deferContextual((context) -> {
			List<HeldLeases> all = ReactiveTypeAdapter.all(context);
			check(leases(all));
			return commit.get()
				.doOnSuccess((nothing) -> ended(all, transaction, true))
				.doOnError((failure) -> ended(all, transaction, false));
		});
	}

	/**
	 * Returns the rollback. The result of a transaction that was rolled back is not
	 * shared.
	 * @param rollback rolls the transaction back
	 */
	public static Mono<Void> rollback(TransactionExecution transaction, Supplier<Mono<Void>> rollback) {
		return Mono.deferContextual((context) -> {
			ended(ReactiveTypeAdapter.all(context), transaction, false);
			return rollback.get();
		});
	}

	private static void check(List<Lease> leases) {
		for (Lease lease : leases) {
			if (!lease.isHeld()) {
				throw new LeaseLostException(lease.key());
			}
		}
	}

	private static List<Lease> leases(List<HeldLeases> all) {
		return all.stream().flatMap((leases) -> leases.leases().stream()).toList();
	}

	private static void ended(List<HeldLeases> all, TransactionExecution transaction, boolean committed) {
		if (LeaseTransactionListener.mayChange(transaction)) {
			all.forEach((leases) -> leases.transactions().record(committed));
		}
	}

}
