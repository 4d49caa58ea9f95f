package io.github.lockstarter.actuate;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.core.NestedExceptionUtils;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;

/**
 * Reports whether the lock store grants locks within its timeout. The check acquires and
 * releases a lock of its own, so a store that can only be read is down. If another
 * instance holds that lock at this moment, the store has answered, too.
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
		super("The lock store does not grant locks");
		this.store = store;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws Exception {
		// The store is expected to have a timeout of its own.
		try (StoredLock probe = this.store.lock(PROBE)) {
			String owner = UUID.randomUUID().toString();
			AcquireResult result = outcome(probe.acquire(AcquireCommand.of(owner, TTL)));
			if (result instanceof Granted) {
				outcome(probe.release(owner, null));
			}
		}
		builder.up().withDetail("store", this.store.getClass().getSimpleName());
	}

	/** Fails with the cause that says most, because health shows only one of them. */
	private static <T> T outcome(CompletionStage<T> stage) throws Exception {
		try {
			return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw (NestedExceptionUtils.getMostSpecificCause(ex) instanceof Exception cause) ? cause : ex;
		}
	}

}
