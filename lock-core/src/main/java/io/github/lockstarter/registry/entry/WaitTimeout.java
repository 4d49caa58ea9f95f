package io.github.lockstarter.registry.entry;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.EngineRuntime.Alarm;

/**
 * One alarm for all waiters of a queue, set to the earliest end of a wait. Guarded by the
 * monitor of its lock.
 */
final class WaitTimeout {

	private final EngineRuntime runtime;

	private final Runnable expire;

	private @Nullable Alarm alarm;

	private long time;

	/**
	 * Creates a timeout.
	 * @param expire ends the waits that are over, and sets the alarm for the others
	 */
	WaitTimeout(EngineRuntime runtime, Runnable expire) {
		this.runtime = runtime;
		this.expire = expire;
	}

	/** Sets the alarm to the end of the wait, unless it is set to an earlier time. */
	void set(Acquisition waiter) {
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
