package io.github.lockstarter.registry.entry;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.request.AcquireRequest;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.EngineRuntime.Alarm;

/**
 * The alarm for the end of the first wait in a queue: one, however many waiters there
 * are. Guarded by the monitor of its lock.
 */
final class WaitTimeout {

	private final EngineRuntime runtime;

	private final Runnable expire;

	private @Nullable Alarm alarm;

	private long time;

	/**
	 * Creates a time-out.
	 * @param expire ends the waits that are over, and sets the alarm for the others
	 */
	WaitTimeout(EngineRuntime runtime, Runnable expire) {
		this.runtime = runtime;
		this.expire = expire;
	}

	/** Sets the alarm to the end of the wait, unless it goes off before. */
	void set(AcquireRequest waiter) {
		if (this.alarm == null || waiter.deadline() - this.time < 0) {
			cancel();
			this.time = waiter.deadline();
			this.alarm = this.runtime.schedule(this.expire, waiter.left());
		}
	}

	void cancel() {
		if (this.alarm != null) {
			this.alarm.cancel();
			this.alarm = null;
		}
	}

}
