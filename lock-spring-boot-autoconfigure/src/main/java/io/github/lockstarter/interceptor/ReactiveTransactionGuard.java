package io.github.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.transaction.TransactionExecution;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.TransactionEnd;

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
	 * transaction is no longer held. Where the store can join the transaction, it stores
	 * the result of the work, and no other holder is granted a lock before the commit.
	 * The leases are not released before the commit has ended, even if the work is
	 * cancelled.
	 * @param resource what the transaction is known by: the holder of its connection
	 * @param connection that connection
	 * @param isolation the isolation level that the application has asked for;
	 * {@code null} for the default
	 * @param commit commits the transaction
	 */
	public static Mono<Void> commit(TransactionExecution transaction, Object resource, Object connection,
			@Nullable Integer isolation, Supplier<Mono<Void>> commit) {
		return Mono.deferContextual((context) -> {
			List<HeldLeases> all = ReactiveTypeAdapter.all(context);
			check(leases(all));
			List<HeldLeases> needed = all.stream().filter((leases) -> leases.beginCommit(resource)).toList();
			Mono<Void> held = LeaseTransactionListener.mayChange(transaction)
					? Flux.fromIterable(all).concatMap((leases) -> hold(leases, resource, connection, isolation)).then()
					: Mono.empty();
			AtomicBoolean over = new AtomicBoolean();
			Runnable end = () -> {
				if (over.compareAndSet(false, true)) {
					needed.forEach(HeldLeases::endCommit);
				}
			};
			// Before the next signal, which may end the work.
			return held.then(Mono.defer(() -> {
				all.forEach((leases) -> leases.transactions().checkOthersOfReactive());
				return commit.get();
			})).doOnSuccess((nothing) -> {
				ended(all, transaction, resource, TransactionEnd.COMMITTED);
				end.run();
			}).doOnError((failure) -> {
				ended(all, transaction, resource, TransactionEnd.ROLLED_BACK);
				end.run();
			}).doOnCancel(end).doFinally((signal) -> all.forEach((leases) -> leases.transactions().reactiveEnded()));
		});
	}

	private static Mono<Void> hold(HeldLeases leases, Object resource, Object connection, @Nullable Integer isolation) {
		return Flux.fromIterable(leases.leases())
			.concatMap((lease) -> Mono
				.fromCompletionStage(() -> leases.holdUntilCommit(lease, resource, connection, isolation))
				.flatMap((held) -> held ? Mono.<Void>empty() : Mono.error(() -> new LeaseLostException(lease.key()))))
			.then();
	}

	/**
	 * Returns the rollback. The result of a transaction that was rolled back is not
	 * shared.
	 * @param resource what the transaction is known by
	 * @param rollback rolls the transaction back
	 */
	public static Mono<Void> rollback(TransactionExecution transaction, Object resource,
			Supplier<Mono<Void>> rollback) {
		return Mono.deferContextual((context) -> {
			ended(ReactiveTypeAdapter.all(context), transaction, resource, TransactionEnd.ROLLED_BACK);
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

	private static void ended(List<HeldLeases> all, TransactionExecution transaction, Object resource,
			TransactionEnd end) {
		if (LeaseTransactionListener.mayChange(transaction)) {
			all.forEach((leases) -> {
				leases.transactions().record(resource, end);
				leases.result().transactionEnded(resource, end);
			});
		}
	}

}
