package io.github.lockstarter.benchmarks.candidate;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * One instance of an application with locks and its own connections. It is configured as
 * in its documentation, and otherwise with its defaults, except for the limit of waiters.
 */
public interface LockClient extends AutoCloseable {

	/** The time to live of every lock. */
	Duration TTL = Duration.ofMinutes(1);

	/** The retry interval of loops that users of a candidate have to write. */
	Duration RETRY = Duration.ofMillis(100);

	/**
	 * Acquires the lock if it is free.
	 * @return an action that releases it, on the same thread; {@code null} if it is held
	 */
	@Nullable Runnable tryAcquire(String key) throws Exception;

	/**
	 * Acquires the lock, and waits without a limit.
	 * @return an action that releases it, on the same thread
	 */
	default Runnable acquire(String key) throws Exception {
		Runnable release = tryAcquire(key);
		while (release == null) {
			pauseBeforeRetry();
			release = tryAcquire(key);
		}
		return release;
	}

	/** Pauses after a rejection while {@link #acquire} waits. */
	default void pauseBeforeRetry() throws InterruptedException {
		Thread.sleep(RETRY.toMillis());
	}

	/**
	 * Acquires a lock that is free, without the preparation for a wait.
	 * @return an action that releases it, on the same thread
	 */
	default Runnable acquireFree(String key) throws Exception {
		return Objects.requireNonNull(tryAcquire(key), "A free lock was not granted");
	}

	/**
	 * Waits for the lock without a thread.
	 * @return a stage that completes with an action that releases the lock; {@code null}
	 * if this is not supported
	 */
	default @Nullable CompletionStage<Runnable> acquireAsync(String key) {
		return null;
	}

	@Override
	void close();

}
