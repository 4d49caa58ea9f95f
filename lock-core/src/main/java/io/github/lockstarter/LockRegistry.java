package io.github.lockstarter;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Grants locks: at most one {@link Lease} for a {@link LockKey} at a time, across all
 * applications that share the store, as long as the store keeps its data, its clock does
 * not step, and no machine is suspended. The work under a lease may last longer than the
 * lease: see {@link Lease#onLost}.
 *
 * <pre>
 * try (Lease lease = locks.acquire("team:42")) {
 *     ...
 * }
 * </pre>
 *
 * A lock that is held by another holder is a regular outcome: an empty {@link Optional},
 * or a {@link LockConflictException} from {@link #acquire}. A store that is unavailable
 * always causes a {@link LockStoreException}. The caller then holds no lock.
 * <p>
 * A lease is not bound to a thread: it may be released by another thread than the one
 * that acquired it. Locks are not reentrant: a second attempt for the same key is a
 * conflict, even on the same thread.
 * <p>
 * Waiters in one instance acquire a lock in the order of their arrival. There is no order
 * between instances, but each of them yields to the others after a short turn.
 */
public interface LockRegistry {

	/**
	 * Acquires the lock, or returns empty if it is still held after the
	 * {@linkplain LockOptions#waitTime() wait time}. Returns empty at once if the wait
	 * queue is full. Blocks the calling thread for at most the wait time plus one store
	 * timeout. Each earlier call of this instance for this lock that has no answer yet
	 * adds one more store timeout.
	 * @param key the lock
	 * @param options the options of the lock
	 * @return the lease, or empty if the lock is held
	 * @throws LockStoreException if the store fails or does not answer in time, the
	 * registry is closed, or the thread is interrupted, which stays interrupted
	 */
	Optional<Lease> tryAcquire(LockKey key, LockOptions options);

	/**
	 * Acquires the lock, or throws an exception if it is held. Intended for
	 * try-with-resources; otherwise like {@link #tryAcquire(LockKey, LockOptions)}.
	 * @param key the lock
	 * @param options the options of the lock
	 * @return the lease
	 * @throws LockConflictException if the lock is still held after the wait time, or the
	 * wait queue is full
	 * @throws LockStoreException if the store fails or does not answer in time, the
	 * registry is closed, or the thread is interrupted, which stays interrupted
	 */
	Lease acquire(LockKey key, LockOptions options);

	/**
	 * Acquires the lock without blocking a thread. Cancelling or completing the returned
	 * stage (through {@link CompletionStage#toCompletableFuture()}) ends the attempt, and
	 * releases the lock if it has been granted already.
	 * @param key the lock
	 * @param options the options of the lock
	 * @return a stage that completes with the lease, with empty if the lock is held, or
	 * exceptionally with a {@link LockStoreException}. An immediate rejection completes
	 * the stage on the calling thread, before this method returns. Otherwise the stage
	 * completes on one of a few threads that all attempts share: run long work on an
	 * executor of your own
	 */
	CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options);

	/**
	 * Acquires the lock like {@link #tryAcquireAsync(LockKey, LockOptions)}, but
	 * completes exceptionally if the lock is held.
	 * @param key the lock
	 * @param options the options of the lock
	 * @return a stage that completes with the lease, or exceptionally with a
	 * {@link LockConflictException} if the lock is still held after the wait time, or
	 * with a {@link LockStoreException}
	 */
	CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options);

	/**
	 * Acquires the lock like {@link #acquireAsync(LockKey, LockOptions)}, on an executor
	 * of the caller. The returned stage completes on that executor, and so do those of
	 * {@link Lease#releaseAsync()}. Only an immediate rejection completes the stage on
	 * the calling thread, before this method returns.
	 * @param key the lock
	 * @param options the options of the lock
	 * @param executor runs the completion. It must neither block nor run its task on the
	 * calling thread, which may be a thread of the driver, of the timer that renews all
	 * leases, or of another holder. If it throws, the stage completes on one of the
	 * threads that all attempts share.
	 * @return as from {@link #acquireAsync(LockKey, LockOptions)}
	 */
	CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor);

	/**
	 * Acquires all locks, or none. The locks are acquired in the order of their keys, so
	 * that callers of several locks cannot deadlock. While a caller waits for one lock,
	 * it holds the locks that precede it in this order, and none of those that follow.
	 * <p>
	 * By default, each lock is acquired with a command of its own. The auto-configured
	 * {@code LockRegistry} acquires all locks that are not in use in this instance with
	 * one command, if the store supports it.
	 * @param keys the locks; duplicate keys count once
	 * @param options the options of each lock; the wait time is for all locks together
	 * @return the leases, in the order of their keys
	 * @throws LockConflictException for the first lock that is still held after the wait
	 * time; then the caller holds none of the locks
	 * @throws LockStoreException as in {@link #acquire(LockKey, LockOptions)}
	 * @throws LeaseLostException if a lease was lost while the caller waited for the
	 * other locks; then the caller holds none of the locks
	 */
	default List<Lease> acquireAll(Collection<LockKey> keys, LockOptions options) {
		return SequentialAcquisition.acquire(this, keys, options);
	}

	/**
	 * Acquires all locks, or none, like {@link #acquireAll(Collection, LockOptions)},
	 * without blocking a thread. Cancelling or completing the returned stage (through
	 * {@link CompletionStage#toCompletableFuture()}) ends the attempt, and releases the
	 * locks that have been granted already.
	 * @param keys the locks; duplicate keys count once
	 * @param options the options of each lock; the wait time is for all locks together
	 * @param executor as in {@link #acquireAsync(LockKey, LockOptions, Executor)}
	 * @return a stage that completes with the leases, in the order of their keys, or
	 * exceptionally with a {@link LockConflictException}, a {@link LockStoreException} or
	 * a {@link LeaseLostException}; the granted locks have then been released
	 */
	default CompletionStage<List<Lease>> acquireAllAsync(Collection<LockKey> keys, LockOptions options,
			Executor executor) {
		return SequentialAcquisition.acquireAsync(this, keys, options, executor);
	}

	/**
	 * Returns the default options for locks with the name: the options that are
	 * configured for the name, completed by those for all locks.
	 * @param lockName the name of a lock
	 * @return the options
	 */
	LockOptions options(String lockName);

	/**
	 * Acquires the lock with the {@linkplain #options configured options}, or throws an
	 * exception if it is held.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @return the lease
	 * @throws LockConflictException if the lock is still held after the wait time, if any
	 * @throws LockStoreException as in {@link #acquire(LockKey, LockOptions)}
	 * @throws IllegalArgumentException if the name of the lock is not valid
	 * @see LockKey#of
	 */
	default Lease acquire(String lock) {
		LockKey key = LockKey.of(lock);
		return acquire(key, options(key.name()));
	}

	/**
	 * Acquires the lock with the {@linkplain #options configured options}, without
	 * blocking a thread.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @return as from {@link #acquireAsync(LockKey, LockOptions)}
	 * @throws IllegalArgumentException if the name of the lock is not valid
	 * @see LockKey#of
	 */
	default CompletionStage<Lease> acquireAsync(String lock) {
		LockKey key = LockKey.of(lock);
		return acquireAsync(key, options(key.name()));
	}

	/**
	 * Acquires the lock with the {@linkplain #options configured options} and the given
	 * wait time.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @param waitTime the longest time to wait; may be zero
	 * @return the lease, or empty if the lock is still held
	 * @throws LockStoreException as in {@link #tryAcquire(LockKey, LockOptions)}
	 * @throws IllegalArgumentException if the name of the lock is not valid, or the wait
	 * time is out of range
	 * @see LockKey#of
	 */
	default Optional<Lease> tryAcquire(String lock, Duration waitTime) {
		LockKey key = LockKey.of(lock);
		return tryAcquire(key, options(key.name()).withWaitTime(waitTime));
	}

	/**
	 * Acquires the lock like {@link #tryAcquire(String, Duration)}, without blocking a
	 * thread.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @param waitTime the longest time to wait; may be zero
	 * @return as from {@link #tryAcquireAsync(LockKey, LockOptions)}
	 * @throws IllegalArgumentException if the name of the lock is not valid, or the wait
	 * time is out of range
	 * @see LockKey#of
	 */
	default CompletionStage<Optional<Lease>> tryAcquireAsync(String lock, Duration waitTime) {
		LockKey key = LockKey.of(lock);
		return tryAcquireAsync(key, options(key.name()).withWaitTime(waitTime));
	}

}
