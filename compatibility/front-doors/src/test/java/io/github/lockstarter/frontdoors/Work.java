package io.github.lockstarter.frontdoors;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Work that lasts until the test ends it, and that counts how often it is done at once.
 */
public final class Work {

	/** Starts a thread for each task. The common pool of the JVM may have only one. */
	public static final Executor THREADS = (task) -> new Thread(task).start();

	private final Semaphore begun = new Semaphore(0);

	private final Semaphore ended = new Semaphore(0);

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger mostInside = new AtomicInteger();

	private final AtomicInteger runs = new AtomicInteger();

	/** Does the work, and returns its number. */
	public int run() {
		int run = this.runs.incrementAndGet();
		this.mostInside.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
		this.begun.release();
		await(this.ended);
		this.inside.decrementAndGet();
		return run;
	}

	/** Waits until work has begun, once for each run. */
	public void awaitBegun() {
		await(this.begun);
	}

	/** Ends the work of one run, which may begin later. */
	public void end() {
		this.ended.release();
	}

	/** Forgets all runs. */
	public void reset() {
		assertThat(this.inside).hasValue(0);
		this.begun.drainPermits();
		this.ended.drainPermits();
		this.runs.set(0);
		this.mostInside.set(0);
	}

	public int runs() {
		return this.runs.get();
	}

	public int mostInside() {
		return this.mostInside.get();
	}

	private static void await(Semaphore event) {
		try {
			assertThat(event.tryAcquire(30, TimeUnit.SECONDS)).as("the event has happened within 30 s").isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError("interrupted", ex);
		}
	}

}
