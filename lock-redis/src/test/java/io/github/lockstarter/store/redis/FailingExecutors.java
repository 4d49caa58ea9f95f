package io.github.lockstarter.store.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;

/**
 * Executors of a driver that fail once to start a thread for a scheduled task.
 */
final class FailingExecutors extends DefaultEventExecutorGroup {

	private final AtomicBoolean failing = new AtomicBoolean();

	FailingExecutors() {
		super(2);
	}

	void failOnce() {
		this.failing.set(true);
	}

	boolean hasFailed() {
		return !this.failing.get();
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
		if (unit == TimeUnit.MILLISECONDS && this.failing.compareAndSet(true, false)) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		return super.schedule(command, delay, unit);
	}

}
