package io.github.lockstarter.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockStoreException;

/**
 * A handle on one lock in a {@link LockStore}. Each operation is atomic in the store. It
 * never blocks the caller, except through a {@linkplain #blocking() blocking} handle. It
 * completes within the timeout of the store, and fails with a {@link LockStoreException}
 * if the store is unavailable or slow. A lock that is held by another owner is not a
 * failure.
 * <p>
 * A store with a {@link Capability} that needs further operations returns handles of the
 * type that declares them: {@link TokenStoredLock}, {@link TransactionalStoredLock},
 * {@link ReactiveTransactionalStoredLock}.
 */
public interface StoredLock extends AutoCloseable {

	/**
	 * Acquires the lock if it is free. If the call fails, the store releases a possible
	 * grant, unless the command {@linkplain AcquireCommand#undoneOnFailure() excludes
	 * it}; the caller does not.
	 * @param command the owner, the time to live, and the alternatives to the lock
	 * @return a stage that completes with the grant, or the reason for a rejection
	 */
	CompletionStage<AcquireResult> acquire(AcquireCommand command);

	/**
	 * Extends the lock to the given time from now if the owner still holds it. The time
	 * is never shortened.
	 * @param owner the token that acquired the lock
	 * @param ttl the new time to live
	 * @return a stage that completes with {@code false} if the owner no longer holds the
	 * lock
	 */
	CompletionStage<Boolean> renew(String owner, Duration ttl);

	/**
	 * Releases the lock if the owner still holds it, and keeps the result in the same
	 * atomic step. A result that is not {@linkplain ResultKey#replayed() replayed} need
	 * not be kept if the store knows that no other instance waits for the lock.
	 * @param owner the token that acquired the lock
	 * @param result the result; {@code null} if there is none. Only for a store that
	 * {@linkplain Capability#KEEPS_RESULTS keeps results}. Its fencing token is that of
	 * the grant. A store whose locks share a counter keeps the latest value of the
	 * counter instead.
	 * @return a stage that completes with {@code false} if the owner no longer held the
	 * lock; the result is then not kept
	 */
	CompletionStage<Boolean> release(String owner, @Nullable StoredResult result);

	/**
	 * Releases the lock after the given time from now: the lease of the owner ends at
	 * once, but the lock is granted to nobody until then. By default the owner keeps the
	 * lock, which expires when both that time and its time to live have passed.
	 * @param owner the token that acquired the lock
	 * @param time the time for which the lock is not granted
	 * @return a stage that completes with {@code false} if the owner no longer held the
	 * lock
	 */
	default CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
		return renew(owner, time);
	}

	/**
	 * Returns the owner of a lock that was released but is not free yet. It is not a
	 * valid token, so that a pending renewal or release of the former owner finds no
	 * lock.
	 * @param owner the token that acquired the lock
	 */
	static String ended(String owner) {
		return "ended-" + owner;
	}

	/**
	 * Returns a handle on the same lock for a caller whose thread waits for the answer.
	 * Its operations may block that thread, for at most the timeout of the store. With a
	 * blocking driver this saves two thread switches. By default it is this handle.
	 */
	default StoredLock blocking() {
		return this;
	}

	/**
	 * Ends the notifications of this handle. The lock itself is not affected, and the
	 * handle can be used again.
	 */
	@Override
	default void close() {
	}

}
