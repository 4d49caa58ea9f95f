package io.github.lockstarter.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * What a {@link LockStore} implements, too, if it can keep the results of what was done
 * under its locks. Operations are atomic, do not block and fail like those of the store.
 */
public interface ResultStore {

	/**
	 * Answers with the result if there is one that counts, whoever holds the lock;
	 * otherwise takes the lock if it is free. An owner that has the lock already is
	 * granted it again. Who finds it taken is told the holder's fencing token.
	 * @param key the lock
	 * @param owner a token that no other acquisition has
	 * @param ttl after which time the lock is free again by itself
	 * @param wanted which results count
	 * @param onRelease what to do whenever the lock, if it is not granted, may have been
	 * released, as in {@link ReleaseNotifications#acquireOrWatch}; {@code null} for
	 * nothing, and without meaning for a store that does not tell of releases
	 * @return the result, or whether the lock was granted
	 */
	CompletionStage<AcquireResult> acquireOrResult(LockKey key, String owner, Duration ttl, WantedResults wanted,
			@Nullable Runnable onRelease);

	/**
	 * Keeps the result and frees the lock, in one step, if the owner still holds it;
	 * otherwise does neither. Where a result is not {@linkplain ResultSlot#replayed()
	 * replayed}, and the store knows that nobody waits for the lock elsewhere, the result
	 * need not be kept. Its fencing token is the one that the store granted the lock
	 * with; where locks share a counter, the store keeps the last one it gave instead.
	 * @param key the lock
	 * @param owner the token it was acquired with
	 * @param result the result, and where to keep it
	 * @param awaited whether others may wait for it of whom the store does not know any
	 * more: they met a holder before this one
	 * @return {@code false} if the owner did not hold it any more
	 */
	CompletionStage<Boolean> release(LockKey key, String owner, LeftResult result, boolean awaited);

}
