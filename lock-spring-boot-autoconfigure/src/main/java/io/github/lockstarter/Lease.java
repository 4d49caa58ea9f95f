package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One holding of a lock: it ends when it is released, and by itself when its time to live
 * has run out.
 *
 * <pre>
 * try (Lease lease = locks.acquire(key, options)) {
 *     ...
 * }
 * </pre>
 *
 * All methods may be called from any thread.
 */
public interface Lease extends AutoCloseable {

	/**
	 * Returns what is locked.
	 */
	LockKey key();

	/**
	 * Returns a number that is larger than that of every earlier lease of the same key,
	 * as long as the store keeps its data. A resource that remembers the largest number
	 * it has seen can turn away a writer whose lease is over.
	 */
	long fencingToken();

	/**
	 * Tells whether this lease is certainly still held: neither released nor past its
	 * deadline. The deadline is counted on this JVM's monotonic clock from
	 * <em>before</em> the lock was asked for, so it comes no later than the store's own.
	 */
	boolean isHeld();

	/**
	 * Returns how long the lease is still held, or zero when it is not.
	 */
	Duration remaining();

	/**
	 * Releases the lock if this lease still owns it; a later holder is never touched.
	 * Releasing twice is the same as releasing once.
	 * @return completes normally when the store has answered or failed. A failure is
	 * logged, not reported: the lock is then freed by its time to live.
	 */
	CompletionStage<Void> releaseAsync();

	/**
	 * Releases the lock like {@link #releaseAsync()}, and waits for it. Never throws.
	 */
	@Override
	void close();

}
