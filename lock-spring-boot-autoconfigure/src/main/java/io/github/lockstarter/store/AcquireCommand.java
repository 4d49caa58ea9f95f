package io.github.lockstarter.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Asks a {@link StoredLock} to grant the lock.
 *
 * @param owner a token that no other acquisition has, unless it is a token that holds
 * locks itself
 * @param ttl after which time the lock is free again by itself
 * @param onRelease what to run whenever the lock, if it is not granted, may have been
 * released, until the handle is closed or another acquisition of the lock brings another
 * action; it does not block. No release is missed between the refusal and the first run.
 * {@code null} if the caller does not wait. Only for a store that
 * {@linkplain Capability#NOTIFIES notifies}.
 * @param query which results are taken instead of the lock; {@code null} for none. Only
 * for a store that {@linkplain Capability#KEEPS_RESULTS keeps results}.
 * @param takenBack whether an attempt that fails leaves nothing behind: if the store has
 * granted, or later grants, the lock to {@code owner} after all, it releases it. It is
 * {@code false} for a token that other applications know, which may have asked again
 * meanwhile. Only a store that {@linkplain Capability#HOLDS_FOR_TOKENS holds locks for
 * tokens} is given {@code false}.
 * @param predecessor the owner at the end of a turn of several holders in this JVM: if
 * other instances wait for the lock, it is released for them; if not, it is granted to
 * {@code owner} at once, whatever the query. If that fails, the engine releases the
 * predecessor; the store takes back no more than the grant to {@code owner}. {@code null}
 * at the beginning of a turn. Only for a store that {@linkplain Capability#HANDS_OVER
 * hands over}.
 */
public record AcquireCommand(String owner, Duration ttl, @Nullable Runnable onRelease, @Nullable ResultQuery query,
		boolean takenBack, @Nullable String predecessor) {

	/**
	 * Returns the plainest command: for a caller that does not wait, wants no result, and
	 * is alone to know its token.
	 * @param owner a token that no other acquisition has
	 * @param ttl after which time the lock is free again by itself
	 */
	public static AcquireCommand of(String owner, Duration ttl) {
		return new AcquireCommand(owner, ttl, null, null, true, null);
	}

	/** Returns the command of a waiter that is notified by the action. */
	public AcquireCommand notifying(@Nullable Runnable onRelease) {
		return new AcquireCommand(this.owner, this.ttl, onRelease, this.query, this.takenBack, this.predecessor);
	}

	/** Returns the command of a caller that takes a result instead of the lock. */
	public AcquireCommand orResult(@Nullable ResultQuery query) {
		return new AcquireCommand(this.owner, this.ttl, this.onRelease, query, this.takenBack, this.predecessor);
	}

	/** Returns the command of a token that other applications know. */
	public AcquireCommand forSharedToken() {
		return new AcquireCommand(this.owner, this.ttl, this.onRelease, this.query, false, this.predecessor);
	}

	/** Returns the command that ends the turn of the predecessor. */
	public AcquireCommand after(String predecessor) {
		return new AcquireCommand(this.owner, this.ttl, this.onRelease, this.query, this.takenBack, predecessor);
	}

}
