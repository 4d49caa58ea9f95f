package io.github.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;

/**
 * Rolls back a transaction whose lock was lost before the commit, since the next holder
 * may have changed the same data. The result of a transaction that was rolled back is not
 * shared. This covers the work of an annotated method on its own thread.
 *
 * @see ReactiveTransactionGuard
 */
public final class LeaseTransactionListener implements TransactionExecutionListener {

	/**
	 * Refuses the commit if a lock was lost.
	 * @throws LeaseLostException if a lock of this thread is not held any more
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LeaseContext.all().forEach(HeldLeases::holdUntilCommit);
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
