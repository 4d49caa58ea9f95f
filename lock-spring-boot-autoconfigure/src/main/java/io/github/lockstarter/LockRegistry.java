package io.github.lockstarter;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Hands out locks: at any time at most one {@link Lease} of a {@link LockKey} is held,
 * over all applications that share the same store.
 * <p>
 * A lock that somebody else holds is an ordinary answer: an empty {@link Optional}, or a
 * {@link LockConflictException} from {@link #acquire}. A store that cannot be asked is
 * not: it is always a {@link LockStoreException}, and nothing is held.
 * <p>
 * A lease belongs to no thread. It may be released by another thread than the one that
 * acquired it, and it is not reentrant: asking for a key twice is a conflict with
 * oneself.
 */
public interface LockRegistry {

	/**
	 * Acquires the lock, or returns empty when it is still held by somebody else after
	 * the {@linkplain LockOptions#waitTime() wait time}. Blocks the calling thread for at
	 * most the wait time plus one store time-out.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return the lease, or empty if the lock is held
	 * @throws LockStoreException if the store fails or does not answer in time, or the
	 * thread is interrupted
	 */
	Optional<Lease> tryAcquire(LockKey key, LockOptions options);

	/**
	 * Acquires the lock, or throws. Made for try-with-resources; otherwise like
	 * {@link #tryAcquire}.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return the lease
	 * @throws LockConflictException if the lock is still held by somebody else after the
	 * wait time
	 * @throws LockStoreException if the store fails or does not answer in time, or the
	 * thread is interrupted
	 */
	Lease acquire(LockKey key, LockOptions options);

	/**
	 * Acquires the lock without holding a thread while it waits. Cancelling the returned
	 * stage (through {@link CompletionStage#toCompletableFuture()}) ends the attempt, and
	 * releases the lock if it was granted meanwhile.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return completes with the lease, with empty if the lock is held, or exceptionally
	 * with a {@link LockStoreException}; possibly on a thread of the store's driver or a
	 * timer's, so do not block in what follows
	 */
	CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options);

}
