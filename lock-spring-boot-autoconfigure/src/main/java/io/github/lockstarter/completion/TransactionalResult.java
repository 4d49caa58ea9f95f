package io.github.lockstarter.completion;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * The result of a call as a part of its transaction: both are committed, or neither is.
 */
public final class TransactionalResult {

	private TransactionalResult() {
	}

	/**
	 * Keeps the value with which the work ended, if the store can join the transaction,
	 * and the transaction began under the leases and may change something. One that began
	 * earlier ends after the leases.
	 * @param status the transaction of this thread, before its commit
	 * @throws io.github.lockstarter.LockStoreException if the value cannot be kept
	 */
	public static void keep(@Nullable Object value, HeldLeases leases, DefaultTransactionStatus status) {
		if (!status.hasTransaction() || !status.isNewTransaction() || !leases.transactions().contain(status)
				|| status.isReadOnly() || status.isRollbackOnly()) {
			return;
		}
		leases.transactions().own(Set.of(status));
		if (leases.result().mayKeepInTransaction()) {
			// Flushed, so that the result includes values that the database generates.
			status.flush();
			leases.result().keepInTransaction(value, status.getTransaction());
		}
	}

}
