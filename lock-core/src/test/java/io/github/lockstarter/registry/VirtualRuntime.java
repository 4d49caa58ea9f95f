package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A runtime with virtual time, which only the test advances. Due steps run in order on
 * the thread of the test, and each step is followed by the callbacks that it submitted.
 */
final class VirtualRuntime implements EngineRuntime {

	private final TreeSet<Step> steps = new TreeSet<>();

	private final Queue<Runnable> callbacks = new ArrayDeque<>();

	private final RandomGenerator random = new Random(1);

	private long now;

	private long number;

	private boolean closed;

	/** Advances the time, and runs due steps. */
	void pass(Duration time) {
		long end = this.now + time.toNanos();
		callBack();
		while (!this.steps.isEmpty() && this.steps.first().time <= end) {
			Step next = this.steps.pollFirst();
			this.now = Math.max(this.now, next.time);
			next.action.run();
			callBack();
		}
		this.now = end;
	}

	/** Advances the time as in a paused process, without running steps. */
	void standStill(Duration time) {
		this.now += time.toNanos();
	}

	/** Runs the steps that are due. */
	void settle() {
		pass(Duration.ZERO);
	}

	/** Runs the steps that are due, and returns the result of the stage. */
	<T> T join(CompletionStage<T> stage) {
		settle();
		assertThat(stage).isDone();
		return stage.toCompletableFuture().join();
	}

	/**
	 * Returns a registry with this runtime and the defaults of the auto-configuration.
	 */
	DefaultLockRegistry registry(LockStore store) {
		return registry(store, new LockEventCounter());
	}

	DefaultLockRegistry registry(LockStore store, LockEventCounter counts) {
		return new DefaultLockRegistry(store,
				RegistrySettings.of(LockOptions.of(Duration.ofSeconds(10))).withCounts(counts).withRuntime(this));
	}

	private void callBack() {
		for (Runnable next = this.callbacks.poll(); next != null; next = this.callbacks.poll()) {
			next.run();
		}
	}

	/** Returns the number of scheduled steps. */
	int alarms() {
		return this.steps.size();
	}

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public Alarm schedule(Runnable action, long delayNanos) {
		Step step = new Step(this.now + Math.max(delayNanos, 0), this.number++, action);
		if (!this.closed) {
			this.steps.add(step);
		}
		return () -> this.steps.remove(step);
	}

	@Override
	public Executor callbacks() {
		return this.callbacks::add;
	}

	@Override
	public Executor listeners() {
		return callbacks();
	}

	@Override
	public RandomGenerator random() {
		return this.random;
	}

	@Override
	public boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		this.closed = true;
		this.steps.clear();
	}

	private record Step(long time, long number, Runnable action) implements Comparable<Step> {

		@Override
		public int compareTo(Step other) {
			return (this.time != other.time) ? Long.compare(this.time, other.time)
					: Long.compare(this.number, other.number);
		}

	}

}
