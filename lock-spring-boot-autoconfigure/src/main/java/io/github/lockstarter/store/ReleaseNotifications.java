package io.github.lockstarter.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * What a {@link LockStore} implements, too, if it can tell those who wait that a lock was
 * released. Operations are atomic, do not block and fail like those of the store.
 * <p>
 * A notification may come for nothing, and may get lost: who waits looks again when the
 * holder's lease ends.
 */
public interface ReleaseNotifications {

	/**
	 * Gets ready to hear of releases, which is otherwise done when it is first needed.
	 * Somebody will wait for a lock.
	 */
	void expectWaiting();

	/**
	 * Takes the lock if it is free. If it is not, the action runs whenever somebody may
	 * have released it, until {@link #unwatch} or until another action takes its place.
	 * No release is missed between the two.
	 * @param key the lock
	 * @param owner a token that no other acquisition has
	 * @param ttl after which time the lock is free again by itself
	 * @param onRelease what to do; must not block
	 * @return as from {@link LockStore#acquire}
	 */
	CompletionStage<AcquireResult> acquireOrWatch(LockKey key, String owner, Duration ttl, Runnable onRelease);

	/**
	 * Ends a turn of several holders in this JVM, the next of which waits already: if
	 * others wait for the lock it is released, with {@code onRelease} watching; if nobody
	 * does, the successor takes it over.
	 * @param key the lock
	 * @param owner the token that holds the lock
	 * @param successor a token that no other acquisition has
	 * @param ttl after which time the lock is free again by itself
	 * @param onRelease what to do when the lock may have been released; must not block
	 * @return whether the successor was granted the lock; if not, after which time it is
	 * worth looking whether the others came; empty, and nothing was done, if the owner
	 * did not hold it any more. When it fails with a {@link LockStoreException} nothing
	 * is left behind.
	 */
	CompletionStage<Optional<AcquireResult>> handOver(LockKey key, String owner, String successor, Duration ttl,
			Runnable onRelease);

	/**
	 * Ends the watch that {@link #acquireOrWatch} or {@link #handOver} began for the
	 * action. Does nothing if there is none.
	 * @param key the lock
	 * @param onRelease the action
	 */
	void unwatch(LockKey key, Runnable onRelease);

}
