package io.github.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;

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

	/**
	 * Refuses the commit if a lock was lost.
	 * @throws LeaseLostException if a lock of this thread is not held any more
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		// A savepoint is no commit, and a transaction that changes nothing cannot lock a
		// row.
		Object committed = (transaction instanceof DefaultTransactionStatus status && status.isNewTransaction()
				&& status.hasTransaction() && !transaction.isNested() && !transaction.isReadOnly())
						? status.getTransaction() : null;
		LeaseContext.all().forEach((leases) -> leases.checkBeforeCommit(transaction, committed));
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
		LeaseContext.all().forEach((leases) -> leases.transactionEnded(transaction, failure == null));
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		LeaseContext.all().forEach((leases) -> leases.transactionEnded(transaction, false));
	}

}
