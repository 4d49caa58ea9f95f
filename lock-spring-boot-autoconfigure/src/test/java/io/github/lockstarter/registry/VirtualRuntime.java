package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.micrometer.observation.ObservationRegistry;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A runtime whose time passes only when a test lets it. What is due is then done in
 * order, on the thread of the test, and each step is followed by the callbacks that it
 * brought.
 */
final class VirtualRuntime implements EngineRuntime {

	private final TreeSet<Step> steps = new TreeSet<>();

	private final Queue<Runnable> callbacks = new ArrayDeque<>();

	private final RandomGenerator random = new Random(1);

	private long now;

	private long number;

	private boolean closed;

	/** Lets the time pass. */
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

	/** Lets the time pass while the process stands still, so that no step runs. */
	void standStill(Duration time) {
		this.now += time.toNanos();
	}

	/** Does what is due already. */
	void settle() {
		pass(Duration.ZERO);
	}

	/** Returns what the stage has come to when what is due is done. */
	<T> T join(CompletionStage<T> stage) {
		settle();
		assertThat(stage).isDone();
		return stage.toCompletableFuture().join();
	}

	/** Returns a registry in this time, with the defaults of the auto-configuration. */
	DefaultLockRegistry registry(LockStore store) {
		return registry(store, new LockCounts());
	}

	DefaultLockRegistry registry(LockStore store, LockCounts counts) {
		return new DefaultLockRegistry(store, (name) -> LockOptions.of(Duration.ofSeconds(10)), 64, (loss) -> {
		}, counts, ObservationRegistry.NOOP, this);
	}

	private void callBack() {
		for (Runnable next = this.callbacks.poll(); next != null; next = this.callbacks.poll()) {
			next.run();
		}
	}

	/** Returns how many steps are scheduled. */
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
