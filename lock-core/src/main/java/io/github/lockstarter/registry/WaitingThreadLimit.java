package io.github.lockstarter.registry;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

import org.springframework.util.function.SingletonSupplier;

/**
 * Limits how many threads of a pool wait for locks that are held, so that others are left
 * for holders and for callers that need no lock.
 */
public final class WaitingThreadLimit {

	/** Any number of threads may wait. */
	static final WaitingThreadLimit UNLIMITED = new WaitingThreadLimit(() -> false, () -> Integer.MAX_VALUE, (max) -> {
	});

	private final BooleanSupplier ofPool;

	private final SingletonSupplier<Integer> max;

	private final IntConsumer whenReached;

	private final AtomicInteger waiting = new AtomicInteger();

	private final AtomicBoolean reached = new AtomicBoolean();

	/**
	 * Creates a limit.
	 * @param ofPool returns whether the current thread belongs to the pool
	 * @param max returns the largest number of its threads that may wait; called once,
	 * when the first thread begins to wait
	 * @param whenReached is notified once, when the first thread must not wait
	 */
	public WaitingThreadLimit(BooleanSupplier ofPool, IntSupplier max, IntConsumer whenReached) {
		this.ofPool = ofPool;
		this.max = SingletonSupplier.of(max::getAsInt);
		this.whenReached = whenReached;
	}

	/** Returns whether this thread belongs to the pool. */
	boolean areLimited() {
		return this.ofPool.getAsBoolean();
	}

	/**
	 * Marks that this thread begins to wait, if it may.
	 * @return {@code false} if it must not wait, since too many others wait already
	 */
	boolean begin() {
		int max = this.max.obtain();
		if (this.waiting.getAndUpdate((waiting) -> Math.min(waiting + 1, max)) < max) {
			return true;
		}
		if (this.reached.compareAndSet(false, true)) {
			this.whenReached.accept(max);
		}
		return false;
	}

	/** Marks that the wait of this thread has ended. */
	void end() {
		this.waiting.decrementAndGet();
	}

}
