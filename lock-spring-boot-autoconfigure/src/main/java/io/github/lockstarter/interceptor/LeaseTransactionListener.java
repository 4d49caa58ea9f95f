package io.github.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.TransactionEnd;

/**
 * Rolls back a transaction whose lock was lost before the commit, because the next holder
 * may have changed the same data. The result of a transaction that was rolled back is not
 * shared. This listener covers the work of an annotated method on the calling thread.
 *
 * @see ReactiveTransactionGuard
 */
public final class LeaseTransactionListener implements TransactionExecutionListener {

	/**
	 * Prevents the commit if a lock was lost.
	 * @throws LeaseLostException if a lock of this thread is no longer held
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		// A savepoint is not a commit, and a read-only transaction cannot lock a row.
		Object committed = (transaction instanceof DefaultTransactionStatus status && status.isNewTransaction()
				&& status.hasTransaction() && !transaction.isNested() && !transaction.isReadOnly())
						? status.getTransaction() : null;
		LeaseContext.all().forEach((leases) -> leases.transactions().checkBeforeCommit(transaction, committed));
		LeaseContext.all().forEach((leases) -> leases.transactions().checkOthers());
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
		ended(transaction, (failure == null) ? TransactionEnd.COMMITTED : TransactionEnd.ROLLED_BACK);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		ended(transaction, TransactionEnd.ROLLED_BACK);
	}

	private static void ended(TransactionExecution transaction, TransactionEnd end) {
		for (HeldLeases leases : LeaseContext.all()) {
			leases.transactions().ended(transaction);
			if (mayChange(transaction)) {
				leases.transactions().record(transaction, end);
			}
			if (transaction instanceof DefaultTransactionStatus status && status.hasTransaction()) {
				leases.result().transactionEnded(status.getTransaction(), end);
			}
		}
	}

	/**
	 * Returns whether the end of the transaction decides about changes. A read-only one
	 * makes none, and those of a nested one depend on the outer one.
	 */
	static boolean mayChange(TransactionExecution transaction) {
		return !transaction.isReadOnly() && !transaction.isNested();
	}

}
