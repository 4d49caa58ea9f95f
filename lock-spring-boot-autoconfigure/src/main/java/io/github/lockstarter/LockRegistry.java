package io.github.lockstarter;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Hands out locks: at any time at most one {@link Lease} of a {@link LockKey} is held,
 * over all applications that share the same store.
 *
 * <pre>
 * try (Lease lease = locks.acquire("team:42")) {
 *     ...
 * }
 * </pre>
 *
 * A lock that somebody else holds is an ordinary answer: an empty {@link Optional}, or a
 * {@link LockConflictException} from {@link #acquire}. A store that cannot be asked is
 * not: it is always a {@link LockStoreException}, and nothing is held.
 * <p>
 * A lease belongs to no thread. It may be released by another thread than the one that
 * acquired it, and it is not reentrant: asking for a key twice is a conflict with
 * oneself.
 * <p>
 * Callers of one JVM that wait for the same lock are served in the order they came.
 * Between JVMs there is no order, but each lets the others in after a short turn.
 */
public interface LockRegistry {

	/**
	 * Acquires the lock, or returns empty when it is still held by somebody else after
	 * the {@linkplain LockOptions#waitTime() wait time}, or at once when too many wait
	 * already. Blocks the calling thread for at most the wait time plus one store
	 * time-out, and one more for each request for this lock that is under way in this JVM
	 * and must be answered before.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return the lease, or empty if the lock is held
	 * @throws LockStoreException if the store fails or does not answer in time, the
	 * thread is interrupted, or the registry is closed
	 */
	Optional<Lease> tryAcquire(LockKey key, LockOptions options);

	/**
	 * Acquires the lock, or throws. Made for try-with-resources; otherwise like
	 * {@link #tryAcquire(LockKey, LockOptions)}.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return the lease
	 * @throws LockConflictException if the lock is still held by somebody else after the
	 * wait time
	 * @throws LockStoreException if the store fails or does not answer in time, the
	 * thread is interrupted, or the registry is closed
	 */
	Lease acquire(LockKey key, LockOptions options);

	/**
	 * Acquires the lock without holding a thread while it waits. Cancelling or completing
	 * the returned stage (through {@link CompletionStage#toCompletableFuture()}) ends the
	 * attempt, and releases the lock if it was granted meanwhile.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return completes with the lease, with empty if the lock is held, or exceptionally
	 * with a {@link LockStoreException}. A refusal that is known at once completes the
	 * stage on the calling thread, before this method returns. Otherwise it completes on
	 * one of a few threads that all attempts share, so leave long work to an executor of
	 * your own
	 */
	CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options);

	/**
	 * Acquires the lock like {@link #tryAcquireAsync(LockKey, LockOptions)}, with a lock
	 * that is held as a failure, too.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @return completes with the lease, or exceptionally with a
	 * {@link LockConflictException} if the lock is still held by somebody else after the
	 * wait time, or a {@link LockStoreException}
	 */
	CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options);

	/**
	 * Acquires the lock like {@link #acquireAsync(LockKey, LockOptions)}, for callers
	 * that have threads of their own: the returned stage completes on the executor, and
	 * so do those of {@link Lease#releaseAsync()}. Only a refusal that is known at once
	 * completes the stage on the calling thread, before this method returns.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @param executor must neither block nor run its task at once: its caller may be the
	 * driver, the timer that renews all leases, or another holder. When it throws, the
	 * stage completes on one of the threads that all attempts share.
	 * @return as from {@link #acquireAsync(LockKey, LockOptions)}
	 */
	CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor);

	/**
	 * Acquires all of the locks, or none. Callers that ask for several locks cannot wait
	 * for each other: all acquire them in the order of their keys. A caller that has to
	 * wait for one of the locks holds those before it, and none of those behind it.
	 * <p>
	 * By default each lock is a request of its own. The {@code LockRegistry} of the
	 * auto-configuration asks for all that are not in use here in one request, where the
	 * store can grant them so.
	 * @param keys what to lock; a key that occurs twice counts once
	 * @param options how long to hold each lock, and to wait for all together
	 * @return the leases, in the order of their keys
	 * @throws LockConflictException for the first lock that is still held by somebody
	 * else after the wait time; then none of the others is held
	 * @throws LockStoreException as in {@link #acquire(LockKey, LockOptions)}, and if a
	 * lease was lost while the caller waited for the others; then none is held
	 */
	default List<Lease> acquireAll(Collection<LockKey> keys, LockOptions options) {
		return new SequentialAcquisition(this, keys, options).acquire();
	}

	/**
	 * Acquires all of the locks, or none, like
	 * {@link #acquireAll(Collection, LockOptions)}, without holding a thread while it
	 * waits. Cancelling or completing the returned stage (through
	 * {@link CompletionStage#toCompletableFuture()}) ends the attempt, and releases what
	 * was granted meanwhile.
	 * @param keys what to lock; a key that occurs twice counts once
	 * @param options how long to hold each lock, and to wait for all together
	 * @param executor as in {@link #acquireAsync(LockKey, LockOptions, Executor)}
	 * @return completes with the leases, in the order of their keys, or exceptionally
	 * with a {@link LockConflictException} or a {@link LockStoreException}; then all that
	 * were granted are being released
	 */
	default CompletionStage<List<Lease>> acquireAllAsync(Collection<LockKey> keys, LockOptions options,
			Executor executor) {
		return new SequentialAcquisition(this, keys, options).acquireAsync(executor);
	}

	/**
	 * Returns how the locks of that name are taken where the caller does not say: as
	 * configured for the name, otherwise as for all.
	 * @param lockName the name of a lock
	 * @return the options
	 */
	LockOptions options(String lockName);

	/**
	 * Acquires the lock with the {@linkplain #options configured options}, or throws.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @return the lease
	 * @throws LockConflictException if the lock is held by somebody else
	 * @throws LockStoreException as in {@link #acquire(LockKey, LockOptions)}
	 * @see LockKey#of
	 */
	default Lease acquire(String lock) {
		LockKey key = LockKey.of(lock);
		return acquire(key, options(key.name()));
	}

	/**
	 * Acquires the lock with the {@linkplain #options configured options}, without
	 * holding a thread while it waits.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @return as from {@link #acquireAsync(LockKey, LockOptions)}
	 * @see LockKey#of
	 */
	default CompletionStage<Lease> acquireAsync(String lock) {
		LockKey key = LockKey.of(lock);
		return acquireAsync(key, options(key.name()));
	}

	/**
	 * Acquires the lock with the {@linkplain #options configured options} except for the
	 * wait.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @param waitTime how long to wait; may be zero
	 * @return the lease, or empty if the lock is still held by somebody else
	 * @throws LockStoreException as in {@link #tryAcquire(LockKey, LockOptions)}
	 * @see LockKey#of
	 */
	default Optional<Lease> tryAcquire(String lock, Duration waitTime) {
		LockKey key = LockKey.of(lock);
		return tryAcquire(key, options(key.name()).withWaitTime(waitTime));
	}

	/**
	 * Does the same without holding a thread while it waits.
	 * @param lock the name of the lock, or its name and key as in {@code "team:42"}
	 * @param waitTime how long to wait; may be zero
	 * @return as from {@link #tryAcquireAsync(LockKey, LockOptions)}
	 * @see LockKey#of
	 */
	default CompletionStage<Optional<Lease>> tryAcquireAsync(String lock, Duration waitTime) {
		LockKey key = LockKey.of(lock);
		return tryAcquireAsync(key, options(key.name()).withWaitTime(waitTime));
	}

}
