package io.github.lockstarter;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Grants locks that are held by a token instead of by this instance. A client with the
 * token can extend and release the lock through any instance that shares the store, even
 * after this instance has stopped. Intended for holders outside of the application, such
 * as the clients of a lock service.
 * <p>
 * Such a lock is not renewed: it expires with its time to live unless its holder extends
 * it. Token locks and the leases of a {@link LockRegistry} exclude each other, and their
 * waiters share one queue.
 * <p>
 * No method blocks. The returned stages fail with a {@link LockStoreException} if the
 * store fails or does not answer in time. If a custom store does not support tokens, all
 * methods throw a {@link LockConfigurationException}.
 */
public interface TokenLocks {

	/**
	 * Acquires the lock for a new token. Cancelling or completing the returned stage ends
	 * the attempt, and releases the lock if it has been granted already.
	 * @param key the lock
	 * @param options the options of the lock
	 * @return a stage that completes with the lock, or exceptionally with a
	 * {@link LockConflictException} if the lock is still held after the wait time; it
	 * completes on one of a few threads that all attempts share
	 */
	CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options);

	/**
	 * Acquires the lock for a token that the caller chooses. If the token holds the lock
	 * already, the lock is extended to the time to live from now, and never shortened. An
	 * attempt whose answer was lost can therefore be repeated.
	 * <p>
	 * A failed or cancelled attempt may have been granted nevertheless. It is not undone,
	 * because the token may be in use by a repeated attempt. A caller that no longer
	 * needs the lock has to release it.
	 * @param key the lock
	 * @param options the options of the lock
	 * @param token 16 to 128 letters, digits and characters of {@code -._~+/=}; a secret
	 * that other clients cannot guess
	 * @return as from {@link #acquireAsync(LockKey, LockOptions)}
	 * @throws IllegalArgumentException if the token is malformed
	 */
	CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options, String token);

	/**
	 * Releases the lock if the token holds it. The lock of a later holder is never
	 * released.
	 * @param key the lock
	 * @param token the token of the holder
	 * @return whether the token held the lock
	 * @throws IllegalArgumentException if the token is malformed
	 */
	CompletionStage<Boolean> releaseAsync(LockKey key, String token);

	/**
	 * Returns the remaining time of the lock, for any holder, if it is neither released
	 * nor extended.
	 * @param key the lock
	 * @return the remaining time; zero if the lock is held for an unknown time; empty if
	 * the lock is free
	 */
	CompletionStage<Optional<Duration>> remainingAsync(LockKey key);

	/**
	 * A lock that is held by a token.
	 *
	 * @param token the token that holds it
	 * @param fencingToken a number that is larger than that of every earlier holder of
	 * the lock. It may grow when the lock is extended.
	 * @param remaining the shortest remaining time, measured from before the command to
	 * the store
	 * @param extended whether the token held the lock already
	 */
	record TokenLock(String token, long fencingToken, Duration remaining, boolean extended) {

		/** Does not contain the token. */
		@Override
		public String toString() {
			return "TokenLock[fencingToken=" + this.fencingToken + ", remaining=" + this.remaining + "]";
		}

	}

}
