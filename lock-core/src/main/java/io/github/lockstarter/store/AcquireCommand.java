package io.github.lockstarter.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A command to a {@link StoredLock} to grant the lock.
 *
 * @param owner the owner token: unique for each acquisition, except where a token that
 * applications share holds the lock
 * @param ttl the time after which the lock expires
 * @param onRelease the action to run if the lock is not granted, each time it may have
 * been released, until the handle is closed or another acquisition replaces the action.
 * It does not block. The store notifies at least once of a release by the holder of the
 * rejection. The caller acquires again after a notification, and when the remaining time
 * of the rejection has passed. {@code null} if the caller does not wait. Only for a store
 * that {@linkplain Capability#NOTIFIES notifies}.
 * @param query the results that the caller accepts instead of the lock; {@code null} for
 * none. Only for a store that {@linkplain Capability#KEEPS_RESULTS keeps results}.
 * @param undoneOnFailure whether a failed attempt is undone: if the store has granted the
 * lock to {@code owner} nevertheless, or grants it later, the store releases it. It is
 * {@code false} for a token that applications share, because another attempt of the same
 * token may have succeeded. Only a store that {@linkplain Capability#HOLDS_FOR_TOKENS
 * holds locks for tokens} receives {@code false}.
 * @param predecessor the owner token of the turn that ends with this command. If other
 * instances wait for the lock, the store releases it for them. Otherwise it grants the
 * lock to {@code owner} at once, without regard to the query. If the command fails, the
 * engine releases the lock of the predecessor, and the store undoes only the grant to
 * {@code owner}. {@code null} if no turn ends. Only for a store that
 * {@linkplain Capability#HANDS_OVER hands over}.
 */
public record AcquireCommand(String owner, Duration ttl, @Nullable Runnable onRelease, @Nullable ResultQuery query,
		boolean undoneOnFailure, @Nullable String predecessor) {

	/**
	 * Returns the simplest command: for a caller that does not wait, accepts no result,
	 * and does not share its token.
	 * @param owner a token that is unique for this acquisition
	 * @param ttl the time after which the lock expires
	 */
	public static AcquireCommand of(String owner, Duration ttl) {
		return new AcquireCommand(owner, ttl, null, null, true, null);
	}

	/** Returns the command of a waiter that is notified by the action. */
	public AcquireCommand notifying(@Nullable Runnable onRelease) {
		return new AcquireCommand(this.owner, this.ttl, onRelease, this.query, this.undoneOnFailure, this.predecessor);
	}

	/** Returns the command of a caller that accepts a result instead of the lock. */
	public AcquireCommand orResult(@Nullable ResultQuery query) {
		return new AcquireCommand(this.owner, this.ttl, this.onRelease, query, this.undoneOnFailure, this.predecessor);
	}

	/** Returns the command of a token that applications share. */
	public AcquireCommand forSharedToken() {
		return new AcquireCommand(this.owner, this.ttl, this.onRelease, this.query, false, this.predecessor);
	}

	/** Returns the command that ends the turn of the predecessor. */
	public AcquireCommand after(String predecessor) {
		return new AcquireCommand(this.owner, this.ttl, this.onRelease, this.query, this.undoneOnFailure, predecessor);
	}

}
