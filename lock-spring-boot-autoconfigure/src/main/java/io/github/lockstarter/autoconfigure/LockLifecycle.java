package io.github.lockstarter.autoconfigure;

import org.springframework.context.SmartLifecycle;

import io.github.lockstarter.registry.StoreLockRegistry;

/**
 * One of the two moments at which a registry takes part in the end of an application.
 */
final class LockLifecycle implements SmartLifecycle {

	private final int phase;

	private final Runnable onStart;

	private final Runnable onStop;

	private volatile boolean running;

	private LockLifecycle(int phase, Runnable onStart, Runnable onStop) {
		this.phase = phase;
		this.onStart = onStart;
		this.onStop = onStop;
	}

	/**
	 * Before anything else ends, be it a web server that waits for its last requests: who
	 * waits for a lock is answered.
	 */
	static LockLifecycle beforeAllElse(StoreLockRegistry registry) {
		return new LockLifecycle(DEFAULT_PHASE, () -> {
		}, registry::drain);
	}

	/**
	 * After web servers, listeners and task executors, and before the connections of
	 * stores, whose phases are near 0: what is still held is released.
	 */
	static LockLifecycle afterAllWork(StoreLockRegistry registry) {
		return new LockLifecycle(1024, registry::open, registry::release);
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	@Override
	public void start() {
		this.onStart.run();
		this.running = true;
	}

	@Override
	public void stop() {
		this.onStop.run();
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
