package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One holding of a lock, from its grant until its release. It is renewed until then, for
 * at most {@link LockOptions#maxHold()}. A lease that ends before its release is lost.
 *
 * <pre>
 * try (Lease lease = locks.acquire("team:42")) {
 *     ...
 * }
 * </pre>
 *
 * All methods may be called from any thread, also after the end of the lease. The lease
 * is then not held, and a release has no effect.
 */
public interface Lease extends AutoCloseable {

	/**
	 * Returns the key of the lock.
	 */
	LockKey key();

	/**
	 * Returns a number that is larger than that of every earlier lease of the same key,
	 * as long as the store keeps its data. A resource that stores the largest number it
	 * has seen can reject a writer whose lease has ended.
	 */
	long fencingToken();

	/**
	 * Returns whether this lease is held, as far as this process knows: not released, not
	 * reported as lost by the store, and not past its deadline. The deadline is measured
	 * with the monotonic clock of this process, from <em>before</em> the acquire command
	 * was sent. So it is not later than the expiry in the store, unless the clock of the
	 * store steps (with DynamoDB, that of an instance), the machine was suspended, or the
	 * store loses its data. A process that stands still after this call may continue when
	 * the lease has ended. Once it is {@code false}, it remains so.
	 */
	boolean isHeld();

	/**
	 * Returns the time until the deadline of the lease, or zero if the lease is not held.
	 */
	Duration remaining();

	/**
	 * Runs the action once, on a thread for listeners, if the lease is lost: the store no
	 * longer has it, the store was unavailable for too long, or the lock was held for the
	 * longest time allowed. If the lease is lost already, the action runs at once.
	 * {@link #isHeld()} is {@code false} when it runs. It never runs after a release. It
	 * may block: no lock and no caller waits for it, nor does another action unless
	 * hundreds of them block. Several actions run in no particular order.
	 * @param action the action, for example to interrupt the work
	 */
	void onLost(Runnable action);

	/**
	 * Releases the lock if this lease still owns it. The lease of a later holder is never
	 * released. A second release has no effect.
	 * @return a stage that completes normally when the store has answered or failed, on
	 * the executor that was passed to the acquire call, or on a thread of the registry. A
	 * failure is logged and not reported here: the lock then expires with its time to
	 * live.
	 */
	CompletionStage<Void> releaseAsync();

	/**
	 * Releases the lock like {@link #releaseAsync()}, and waits for the answer of the
	 * store. Never throws.
	 */
	@Override
	void close();

}
