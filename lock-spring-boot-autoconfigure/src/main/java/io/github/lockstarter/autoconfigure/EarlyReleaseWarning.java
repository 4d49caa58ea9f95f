package io.github.lockstarter.autoconfigure;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.Lease;

/**
 * Warns, once per lock name, about a lock that is acquired in an open transaction and
 * released before its commit: the next holder does not see the changes, and may overwrite
 * them. A read-only transaction changes nothing.
 */
final class EarlyReleaseWarning implements Supplier<@Nullable Consumer<Lease>> {

	private static final Log logger = LogFactory.getLog(EarlyReleaseWarning.class);

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	@Override
	public @Nullable Consumer<Lease> get() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()
				|| TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			return null;
		}
		WatchedLease watched = new WatchedLease();
		TransactionSynchronizationManager.registerSynchronization(watched);
		return watched;
	}

	private void warn(String name) {
		if (this.warned.add(name)) {
			logger.warn(
					"Lock '%s' was acquired in a transaction and released before its commit: the next holder does not see the changes of the transaction. Acquire the lock before the transaction begins, or release it after the commit, as in TransactionSynchronization.afterCompletion. Further cases of this lock are not logged"
						.formatted(name));
		}
	}

	/** A lease that was acquired in the transaction with which it is registered. */
	private final class WatchedLease implements TransactionSynchronization, Consumer<Lease> {

		/** Absent until it is granted, which may happen on another thread. */
		private volatile @Nullable Lease lease;

		private volatile boolean lost;

		private boolean commits;

		@Override
		public void accept(Lease lease) {
			lease.onLost(() -> this.lost = true);
			this.lease = lease;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			this.commits = true;
		}

		@Override
		public void beforeCompletion() {
			Lease lease = this.lease;
			if (this.commits && lease != null && lease.remaining().isZero() && !this.lost) {
				warn(lease.key().name());
			}
		}

	}

}
