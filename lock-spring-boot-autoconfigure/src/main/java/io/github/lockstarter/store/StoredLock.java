package io.github.lockstarter.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockStoreException;

/**
 * One lock in a {@link LockStore}: a handle that keeps what the store needs to find it.
 * Each operation is atomic in the store, never blocks the caller (except through a
 * {@linkplain #blocking() blocking} handle), ends within the store's own time-out, and
 * fails with a {@link LockStoreException} when the store is unreachable or slow. A lock
 * that another owner holds is not a failure.
 */
public interface StoredLock extends AutoCloseable {

	/**
	 * Takes the lock if it is free. If this fails, the caller does not release it: the
	 * store does, unless the command says {@linkplain AcquireCommand#takenBack()
	 * otherwise}.
	 * @param command for whom, for how long, and what else would do
	 * @return whether it was granted
	 */
	CompletionStage<AcquireResult> acquire(AcquireCommand command);

	/**
	 * Lets the lock live for the given time from now, or longer if it would have, if the
	 * owner still holds it.
	 * @param owner the token it was acquired with
	 * @param ttl the new time to live
	 * @return {@code false} if the owner does not hold it any more
	 */
	CompletionStage<Boolean> renew(String owner, Duration ttl);

	/**
	 * Frees the lock if the owner still holds it, and keeps the result in the same step.
	 * A result that is not {@linkplain ResultKey#replayed() replayed} need not be kept if
	 * the store knows that no other instance waits for the lock.
	 * @param owner the token it was acquired with
	 * @param result the result; {@code null} if there is none. Only for a store that
	 * {@linkplain Capability#KEEPS_RESULTS keeps results}. Its fencing token is the one
	 * that the store granted the lock with; where locks share a counter, the store keeps
	 * the last one it gave instead.
	 * @return {@code false} if the owner did not hold it any more; then the result is not
	 * kept either
	 */
	CompletionStage<Boolean> release(String owner, @Nullable StoredResult result);

	/**
	 * Ends the hold of the owner, and keeps the lock from everybody for the given time
	 * from now; then it is free. By default the owner keeps it, and it is free when both
	 * that time and its time to live have passed.
	 * @param owner the token it was acquired with
	 * @param time how long nobody is granted the lock
	 * @return {@code false} if the owner did not hold it any more
	 */
	default CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
		return renew(owner, time);
	}

	/**
	 * Returns who owns a lock that its owner has released, and that is not free yet. It
	 * is no token, so what is still under way for the owner finds its lock gone.
	 * @param owner the token that the lock was acquired with
	 */
	static String ended(String owner) {
		return "ended-" + owner;
	}

	/**
	 * Returns how long the lock is still held, by any owner. Only for a store that
	 * {@linkplain Capability#HOLDS_FOR_TOKENS holds locks for tokens}.
	 * @return the time, zero if it is unknown; empty if the lock is free
	 */
	default CompletionStage<Optional<Duration>> remaining() {
		throw new UnsupportedOperationException("This store does not hold locks for tokens");
	}

	/**
	 * Keeps all other owners from the lock until a transaction of this thread has ended,
	 * if it is still held. Blocks. Only for a store that
	 * {@linkplain Capability#JOINS_TRANSACTIONS joins transactions}.
	 * @param fencingToken the token that the lock was granted with
	 * @param transaction the transaction, as its transaction manager knows it
	 * @return {@code false} if it is not held any more; {@code true} also if the store
	 * cannot join the transaction
	 * @throws LockStoreException if the database fails
	 */
	default boolean holdUntilCommit(long fencingToken, Object transaction) {
		throw new UnsupportedOperationException("This store does not join transactions");
	}

	/**
	 * Keeps a result if a transaction of this thread is committed. Blocks. If the store
	 * cannot join the transaction, nothing is done. Only for a store that
	 * {@linkplain Capability#JOINS_TRANSACTIONS joins transactions} and
	 * {@linkplain Capability#KEEPS_RESULTS keeps results}.
	 * @param result the result
	 * @param transaction the transaction, as its transaction manager knows it
	 * @throws LockStoreException if the database fails
	 */
	default void keepInTransaction(StoredResult result, Object transaction) {
		throw new UnsupportedOperationException("This store does not join transactions");
	}

	/**
	 * Returns a handle on the same lock for a caller whose thread waits for the answer:
	 * its operations may block that thread, within the store's own time-out. By default
	 * it is this one. For a driver that blocks, it saves two switches between threads.
	 */
	default StoredLock blocking() {
		return this;
	}

	/**
	 * Ends the notifications of this handle. The lock itself is not touched, and the
	 * handle can be used again.
	 */
	@Override
	default void close() {
	}

}
