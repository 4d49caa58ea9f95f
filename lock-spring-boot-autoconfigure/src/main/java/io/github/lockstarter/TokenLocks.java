package io.github.lockstarter;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Hands out locks that are held by a token instead of by this application. A client that
 * knows the token can extend and release the lock, in any application on the same store,
 * also after this one has ended. Made for holders that are not part of the application,
 * such as the clients of a lock server.
 * <p>
 * Such a lock is not renewed: it ends with its time to live unless its holder extends it.
 * It excludes the leases of a {@link LockRegistry} and is excluded by them, and its
 * waiters queue with those for a lease.
 * <p>
 * No method blocks. What they return fails with a {@link LockStoreException} if the store
 * fails or does not answer in time. With a store of the application's own that knows no
 * tokens, locks cannot be acquired or queried: that throws a
 * {@link LockConfigurationException}.
 */
public interface TokenLocks {

	/**
	 * Acquires the lock for a new token. Cancelling or completing the returned stage ends
	 * the attempt, and releases the lock if it was granted meanwhile.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return completes with the lock, or exceptionally with a
	 * {@link LockConflictException} if it is still held by another caller after the wait
	 * time; on one of a few threads that all attempts share
	 */
	CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options);

	/**
	 * Acquires the lock for a token of the caller's choice, or, if the token holds it
	 * already, extends it to the time to live from now; it is never shortened. So an
	 * attempt whose answer was lost can be made again.
	 * <p>
	 * An attempt that fails, or is cancelled, may have been granted all the same, and is
	 * not taken back: the token may have been used again meanwhile. A caller that does
	 * not want the lock any more releases it.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @param token 16 to 128 letters, digits and characters of {@code -._~+/=}; no other
	 * client must know or guess it
	 * @return as from {@link #acquireAsync(LockKey, LockOptions)}
	 * @throws IllegalArgumentException if it is no such token
	 */
	CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options, String token);

	/**
	 * Releases the lock if the token holds it; a later holder is never touched.
	 * @param key what is locked
	 * @param token the token of the holder
	 * @return whether the token held the lock until now
	 * @throws IllegalArgumentException if it is no token
	 */
	CompletionStage<Boolean> releaseAsync(LockKey key, String token);

	/**
	 * Returns how long the lock is still held, by any holder, unless it is released or
	 * extended.
	 * @param key what is locked
	 * @return the time, zero if it is held for an unknown time; empty if the lock is free
	 */
	CompletionStage<Optional<Duration>> remainingAsync(LockKey key);

	/**
	 * A lock that is held by a token.
	 *
	 * @param token the token that holds it
	 * @param fencingToken a number that is larger than that of every earlier holder of
	 * the lock. It may grow when the lock is extended.
	 * @param remaining how long it is held at least, counted from before the store was
	 * asked
	 * @param extended whether the token held it already
	 */
	record TokenLock(String token, long fencingToken, Duration remaining, boolean extended) {

		/** Does not show the token. */
		@Override
		public String toString() {
			return "TokenLock[fencingToken=" + this.fencingToken + ", remaining=" + this.remaining + "]";
		}

	}

}
