package io.github.lockstarter.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;

/**
 * Rolls back a transaction whose lock was lost before it could be committed: somebody
 * else may have changed the same data meanwhile. Also sees to it that nobody is given the
 * result of a transaction that was rolled back. It guards what an annotated method does
 * on its own thread.
 *
 * @see ReactiveCommitGuard
 */
public final class CommitGuard implements TransactionExecutionListener {

	/**
	 * Refuses the commit.
	 * @throws LeaseLostException if a lock of this thread is not held any more
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		check(CurrentLeases.get());
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
		CurrentLeases.holdings().forEach((holding) -> holding.transactionEnded(failure == null));
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		CurrentLeases.holdings().forEach((holding) -> holding.transactionEnded(false));
	}

	/** Returns whether a transaction of this thread is open. */
	static boolean isInTransaction() {
		return TransactionSynchronizationManager.isActualTransactionActive();
	}

}
