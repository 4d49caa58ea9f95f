package io.github.lockstarter.aop;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;

/**
 * Rolls back a transaction whose lock was lost before it could be committed: somebody
 * else may have changed the same data meanwhile. It guards what an annotated method does
 * on its own thread.
 */
public final class CommitGuard implements TransactionExecutionListener {

	/**
	 * Refuses the commit.
	 * @throws LeaseLostException if a lock of this thread is not held any more
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		for (Lease lease : CurrentLeases.get()) {
			if (!lease.isHeld()) {
				throw new LeaseLostException(lease.key());
			}
		}
	}

}
