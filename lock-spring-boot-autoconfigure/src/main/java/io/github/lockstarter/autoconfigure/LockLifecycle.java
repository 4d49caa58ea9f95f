package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

import io.github.lockstarter.registry.DefaultLockRegistry;

/**
 * One of the two phases in which a registry takes part in the shutdown of an application.
 */
final class LockLifecycle implements SmartLifecycle {

	private final int phase;

	private final @Nullable Runnable onStart;

	private final @Nullable Runnable onStop;

	private volatile boolean running;

	private LockLifecycle(int phase, @Nullable Runnable onStart, @Nullable Runnable onStop) {
		this.phase = phase;
		this.onStart = onStart;
		this.onStop = onStop;
	}

	/**
	 * Before all other phases, including the graceful shutdown of a web server: waiters
	 * are answered.
	 */
	static LockLifecycle beforeAllElse(@Nullable DefaultLockRegistry registry) {
		return new LockLifecycle(DEFAULT_PHASE, null, (registry != null) ? registry::drain : null);
	}

	/**
	 * After web servers, listeners and task executors, and before the connections of
	 * stores, whose phases are near 0: locks that are still held are released.
	 */
	static LockLifecycle afterAllWork(@Nullable DefaultLockRegistry registry) {
		return (registry != null) ? new LockLifecycle(1024, registry::open, registry::release)
				: new LockLifecycle(1024, null, null);
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	@Override
	public void start() {
		if (this.onStart != null) {
			this.onStart.run();
		}
		this.running = true;
	}

	@Override
	public void stop() {
		if (this.onStop != null) {
			this.onStop.run();
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
