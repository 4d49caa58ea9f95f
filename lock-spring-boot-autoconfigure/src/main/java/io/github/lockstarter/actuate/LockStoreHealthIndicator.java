package io.github.lockstarter.actuate;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;

/**
 * Reports whether the lock store answers within its time-out. The check renews a lock
 * that is never held, which has no effect.
 */
public final class LockStoreHealthIndicator extends AbstractHealthIndicator {

	private static final LockKey PROBE = new LockKey("lock.health", "");

	private static final Duration TTL = Duration.ofSeconds(1);

	private final LockStore store;

	/**
	 * Creates an indicator.
	 * @param store the store to check
	 */
	public LockStoreHealthIndicator(LockStore store) {
		super("The lock store does not answer");
		this.store = store;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws Exception {
		// The store is expected to have a time-out of its own.
		try (StoredLock probe = this.store.lock(PROBE)) {
			probe.renew(UUID.randomUUID().toString(), TTL).toCompletableFuture().get(10, TimeUnit.SECONDS);
		}
		builder.up().withDetail("store", this.store.getClass().getSimpleName());
	}

}
