package io.github.lockstarter.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * What a {@link LockStore} implements, too, if its locks can be held by owners outside of
 * the application, who choose their tokens, and may speak to another application next
 * time. Operations are atomic, do not block and fail like those of the store.
 */
public interface TokenStore {

	/**
	 * Takes the lock if it is free. An owner that has it already is granted it again, and
	 * has it for the given time from now, or longer if it had. Other than with
	 * {@link LockStore#acquire}, an attempt that fails is not taken back: the owner may
	 * have asked again meanwhile, elsewhere, and be sure of the lock.
	 * @param key the lock
	 * @param owner the token of the owner
	 * @param ttl after which time the lock is free again by itself
	 * @param onRelease what to do whenever the lock, if it is not granted, may have been
	 * released, as in {@link ReleaseNotifications#acquireOrWatch}; {@code null} for
	 * nothing, and without meaning for a store that does not tell of releases
	 * @return whether it was granted
	 */
	CompletionStage<AcquireResult> claim(LockKey key, String owner, Duration ttl, @Nullable Runnable onRelease);

	/**
	 * Returns how long the lock is still held, by whomever.
	 * @param key the lock
	 * @return the time, zero if nobody knows; empty if the lock is free
	 */
	CompletionStage<Optional<Duration>> remaining(LockKey key);

}
