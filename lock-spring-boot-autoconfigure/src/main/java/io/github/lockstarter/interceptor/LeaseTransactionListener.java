package io.github.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.LeaseContext;

/**
 * Rolls back a transaction whose lock was lost before it could be committed: somebody
 * else may have changed the same data meanwhile. Also sees to it that nobody is given the
 * result of a transaction that was rolled back. It guards what an annotated method does
 * on its own thread.
 *
 * @see ReactiveTransactionGuard
 */
public final class LeaseTransactionListener implements TransactionExecutionListener {

	/**
	 * Refuses the commit.
	 * @throws LeaseLostException if a lock of this thread is not held any more
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		check(LeaseContext.leases());
	}

	static void check(Iterable<Lease> leases) {
		for (Lease lease : leases) {
			if (!lease.isHeld()) {
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
