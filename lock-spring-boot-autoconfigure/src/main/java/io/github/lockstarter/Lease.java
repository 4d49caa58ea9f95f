package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One holding of a lock: it ends when it is released. Until then it is renewed, for at
 * most {@link LockOptions#maxHold()}; what ends it before is a loss.
 *
 * <pre>
 * try (Lease lease = locks.acquire("team:42")) {
 *     ...
 * }
 * </pre>
 *
 * All methods may be called from any thread, and after the end of the lease, too: it is
 * then not held, and there is nothing left to release.
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
	 * Runs the action once, on a thread of the registry, if the lease ends before it is
	 * released: because the store forgot it, could not be reached for too long, or the
	 * lock was held for longer than it may be. If that has happened already, it runs now.
	 * By then {@link #isHeld()} is {@code false}. After a release it never runs.
	 * @param action what to do, for example to interrupt the work
	 */
	void onLost(Runnable action);

	/**
	 * Releases the lock if this lease still owns it; a later holder is never touched.
	 * Releasing twice is the same as releasing once.
	 * @return completes normally when the store has answered or failed, on the executor
	 * that the lock was acquired with, or one of the registry's threads. A failure is
	 * logged, not reported: the lock is then freed by its time to live.
	 */
	CompletionStage<Void> releaseAsync();

	/**
	 * Releases the lock like {@link #releaseAsync()}, and waits for it. Never throws.
	 */
	@Override
	void close();

}
