package io.github.lockstarter.autoconfigure;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
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
 * them. A read-only transaction changes nothing. If the transaction was suspended under
 * the lock, as by {@code REQUIRES_NEW}, the changes are taken for those of the other
 * transaction, which has ended before the release.
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
		return ((TransactionSynchronizationManager.getResource(this) instanceof Releases known) ? known : register())
			.ofAttempt();
	}

	private Releases register() {
		Releases releases = new Releases();
		TransactionSynchronizationManager.registerSynchronization(releases);
		releases.bind();
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
	private final class Releases implements TransactionSynchronization {

		/** The names of the locks. They may be released on other threads. */
		private final Set<String> names = ConcurrentHashMap.newKeySet();

		/** How many other transactions have interrupted this one, and have ended. */
		private final AtomicInteger interruptions = new AtomicInteger();

		/** The locks that were released before the commit or rollback. */
		private Set<String> early = Set.of();

		/** Returns what is called when the lock of an attempt is released. */
		Consumer<LockKey> ofAttempt() {
			int before = this.interruptions.get();
			return (released) -> {
				if (this.interruptions.get() == before) {
					this.names.add(released.name());
				}
			};
		}

		void bind() {
			TransactionSynchronizationManager.bindResource(EarlyReleaseWarning.this, this);
		}

		private void unbind() {
			TransactionSynchronizationManager.unbindResourceIfPossible(EarlyReleaseWarning.this);
		}

		@Override
		public void suspend() {
			unbind();
		}

		@Override
		public void resume() {
			this.interruptions.incrementAndGet();
			bind();
		}

		@Override
		public void beforeCompletion() {
			unbind();
			this.early = Set.copyOf(this.names);
		}

		/** It may have been registered after the commit. */
		@Override
		public void afterCompletion(int status) {
			unbind();
			if (status == STATUS_COMMITTED) {
				this.early.forEach(EarlyReleaseWarning.this::warn);
			}
		}

	}

}
