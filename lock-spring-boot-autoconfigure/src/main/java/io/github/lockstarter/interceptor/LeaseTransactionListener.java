package io.github.lockstarter.interceptor;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.LeaseContext;

/**
 * Rolls back a transaction whose lock was lost before the commit, since the next holder
 * may have changed the same data. The result of a transaction that was rolled back is not
 * shared. This covers the work of an annotated method on its own thread.
 *
 * @see ReactiveTransactionGuard
 */
public final class LeaseTransactionListener implements TransactionExecutionListener {

	private final Predicate<Lease> heldUntilCommit;

	/**
	 * Creates a listener.
	 * @param heldUntilCommit whether a lease is held, and is held until the transaction
	 * of this thread has ended, where that can be had
	 */
	public LeaseTransactionListener(Predicate<Lease> heldUntilCommit) {
		this.heldUntilCommit = heldUntilCommit;
	}

	/**
	 * Refuses the commit if a lock was lost.
	 * @throws LeaseLostException if a lock of this thread is not held any more
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		check(LeaseContext.leases(), this.heldUntilCommit);
	}

	static void check(Iterable<Lease> leases, Predicate<Lease> held) {
		for (Lease lease : leases) {
			if (!held.test(lease)) {
				throw new LeaseLostException(lease.key());
			}
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
		LeaseContext.all().forEach((leases) -> leases.transactionEnded(failure == null));
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		LeaseContext.all().forEach((leases) -> leases.transactionEnded(false));
	}

}
