package io.github.lockstarter.benchmarks.candidate;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * One instance of an application that takes locks, with connections of its own. Set up as
 * its documentation says, and otherwise left at its defaults, but for the limit of
 * waiters.
 */
public interface LockClient extends AutoCloseable {

	/** How long every lock lives unless it is renewed or released. */
	Duration TTL = Duration.ofMinutes(1);

	/** How often a loop that its users have to write tries again. */
	Duration RETRY = Duration.ofMillis(100);

	/**
	 * Takes the lock if it is free.
	 * @return how to release it, on the same thread; {@code null} if it is held
	 */
	@Nullable Runnable tryAcquire(String key) throws Exception;

	/**
	 * Takes the lock, and waits for it for as long as it takes.
	 * @return how to release it, on the same thread
	 */
	default Runnable acquire(String key) throws Exception {
		Runnable release = tryAcquire(key);
		while (release == null) {
			pauseBeforeRetry();
			release = tryAcquire(key);
		}
		return release;
	}

	/** Pauses after a refusal while {@link #acquire} waits. */
	default void pauseBeforeRetry() throws InterruptedException {
		Thread.sleep(RETRY.toMillis());
	}

	/**
	 * Takes a lock that is free, without being prepared to wait.
	 * @return how to release it, on the same thread
	 */
	default Runnable acquireFree(String key) throws Exception {
		Runnable release = tryAcquire(key);
		// Spring Integration 7.1.0 may refuse a free lock while another one is held here.
		return (release != null) ? release : acquire(key);
	}

	/**
	 * Waits for the lock without a thread.
	 * @return the lock, released by what it is completed with; {@code null} if that
	 * cannot be done
	 */
	default @Nullable CompletionStage<Runnable> acquireAsync(String key) {
		return null;
	}

	@Override
	void close();

}
