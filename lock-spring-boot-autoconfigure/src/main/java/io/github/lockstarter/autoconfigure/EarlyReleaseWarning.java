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

import io.github.lockstarter.LockKey;

/**
 * Warns, once per lock name, about a lock that is acquired in an open transaction and
 * released before its commit: the next holder does not see the changes, and may overwrite
 * them. A read-only transaction changes nothing.
 */
final class EarlyReleaseWarning implements Supplier<@Nullable Consumer<LockKey>> {

	private static final Log logger = LogFactory.getLog(EarlyReleaseWarning.class);

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	@Override
	public @Nullable Consumer<LockKey> get() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()
				|| TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			return null;
		}
		return (TransactionSynchronizationManager.getResource(this) instanceof Releases known) ? known : register();
	}

	private Releases register() {
		Releases releases = new Releases();
		TransactionSynchronizationManager.registerSynchronization(releases);
		releases.resume();
		return releases;
	}

	private void warn(String name) {
		if (this.warned.add(name)) {
			logger.warn(
					"Lock '%s' was acquired in a transaction and released before its commit: the next holder does not see the changes of the transaction. Acquire the lock before the transaction begins, or release it after the commit, as in TransactionSynchronization.afterCompletion. Further cases of this lock are not logged"
						.formatted(name));
		}
	}

	/**
	 * The releases of the locks that were acquired in a transaction. The transaction has
	 * it as a resource.
	 */
	private final class Releases implements TransactionSynchronization, Consumer<LockKey> {

		/** The names of the locks. They may be released on other threads. */
		private final Set<String> names = ConcurrentHashMap.newKeySet();

		private boolean commits;

		@Override
		public void accept(LockKey released) {
			this.names.add(released.name());
		}

		@Override
		public void suspend() {
			TransactionSynchronizationManager.unbindResourceIfPossible(EarlyReleaseWarning.this);
		}

		@Override
		public void resume() {
			TransactionSynchronizationManager.bindResource(EarlyReleaseWarning.this, this);
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			this.commits = true;
		}

		@Override
		public void beforeCompletion() {
			suspend();
			if (this.commits) {
				this.names.forEach(EarlyReleaseWarning.this::warn);
			}
		}

		/** It may have been registered after the commit. */
		@Override
		public void afterCompletion(int status) {
			suspend();
		}

	}

}
