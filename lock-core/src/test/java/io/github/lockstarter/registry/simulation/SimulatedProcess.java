package io.github.lockstarter.registry.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.DefaultTokenLocks;
import io.github.lockstarter.registry.RegistryAccess;
import io.github.lockstarter.registry.RegistrySettings;

/**
 * An application: a registry, its store and its runtime. It can pause while its clock
 * continues, and it can be killed.
 */
final class SimulatedProcess {

	/** The maximum time until the delayed steps have run after a pause. */
	static final long WAKING_UP = 2_000_000;

	private final String name;

	private final EventQueue events;

	private final RandomGenerator random;

	private final SimulatedClock clock;

	private final Trace trace;

	private final SimulatedRuntime runtime;

	private final SimulatedStore store;

	private final LockEventCounter counts = new LockEventCounter();

	private final DefaultLockRegistry registry;

	private final TokenLocks tokenLocks;

	private final List<Runnable> backlog = new ArrayList<>();

	/** Runs when no lease may be held any longer. */
	private Runnable whenReleased = () -> {
	};

	private boolean paused;

	private boolean dead;

	private long resumed = -1;

	private long drained = -1;

	private boolean closed;

	private long lastClosed = -1;

	SimulatedProcess(String name, SimulatedWorld world, SimulatedClock clock) {
		this.name = name;
		this.events = world.events();
		this.random = world.random();
		this.trace = world.trace();
		this.clock = clock;
		this.runtime = new SimulatedRuntime(this, world);
		this.store = new SimulatedStore(this, world);
		this.registry = new DefaultLockRegistry(this.store,
				RegistrySettings.of(LockOptions.of(Duration.ofSeconds(1)))
					.withMaxWaiters(world.scenario().maxWaiters())
					.withLosses((loss) -> this.trace.add(name, () -> "hears of a lost lease"))
					.withCounts(this.counts)
					.withRuntime(this.runtime));
		this.tokenLocks = new DefaultTokenLocks(this.registry);
	}

	String name() {
		return this.name;
	}

	SimulatedClock clock() {
		return this.clock;
	}

	SimulatedRuntime runtime() {
		return this.runtime;
	}

	SimulatedStore store() {
		return this.store;
	}

	DefaultLockRegistry registry() {
		return this.registry;
	}

	TokenLocks tokenLocks() {
		return this.tokenLocks;
	}

	LockEventCounter counts() {
		return this.counts;
	}

	long nanoTime() {
		return this.clock.read(this.events.now());
	}

	/** Returns whether steps that a pause has delayed may not have run yet. */
	boolean isWakingUp() {
		return this.resumed >= 0 && this.events.now() - this.resumed < WAKING_UP;
	}

	boolean isPaused() {
		return this.paused;
	}

	boolean isDead() {
		return this.dead;
	}

	/** Returns when the process last resumed, or -1 if it was never paused. */
	long resumed() {
		return this.resumed;
	}

	/**
	 * Returns when the registry was drained, or -1 if it was not, or was opened again.
	 */
	long drained() {
		return this.drained;
	}

	/** Returns when everything was last released, or -1. */
	long lastClosed() {
		return this.lastClosed;
	}

	boolean isClosed() {
		return this.closed;
	}

	/** Runs a step after a time on the clock of this process. */
	void after(long nanos, Runnable step) {
		this.events.at(this.events.now() + this.clock.toTime(Math.max(nanos, 0)), () -> run(step));
	}

	/** Runs a step as soon as the process is not paused. */
	void run(Runnable step) {
		if (this.paused) {
			this.backlog.add(step);
		}
		else if (!this.dead) {
			step.run();
		}
	}

	void pause() {
		this.paused = true;
		this.trace.add(this.name, () -> "stands still");
	}

	/** Threads and connections wake up in any order. */
	void resume() {
		if (this.paused && !this.dead) {
			this.paused = false;
			this.resumed = this.events.now();
			this.trace.add(this.name, () -> "goes on");
			List<Runnable> steps = List.copyOf(this.backlog);
			this.backlog.clear();
			steps.forEach(
					(step) -> this.events.at(this.events.now() + this.random.nextLong(WAKING_UP), () -> run(step)));
		}
	}

	void kill() {
		this.dead = true;
		this.paused = false;
		this.backlog.clear();
		this.trace.add(this.name, () -> "dies");
	}

	void drain() {
		this.trace.add(this.name, () -> "is drained");
		this.drained = this.events.now();
		this.registry.drain();
	}

	/** Releases everything, as at the end of an application, without waiting for it. */
	void release(Runnable then) {
		this.trace.add(this.name, () -> "releases everything");
		if (this.drained < 0) {
			this.drained = this.events.now();
		}
		this.closed = true;
		this.lastClosed = this.events.now();
		CompletableFuture<Void> released = RegistryAccess.releaseAll(this.registry);
		this.whenReleased.run();
		released.whenComplete((done, failure) -> {
			this.trace.add(this.name, () -> "has released everything");
			after(0, then);
		});
	}

	void whenReleased(Runnable action) {
		this.whenReleased = action;
	}

	void open() {
		this.trace.add(this.name, () -> "is opened");
		this.drained = -1;
		this.closed = false;
		this.registry.open();
	}

	void close() {
		this.trace.add(this.name, () -> "is closed");
		this.registry.close();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
