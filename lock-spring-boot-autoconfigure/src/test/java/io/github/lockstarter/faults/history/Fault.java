package io.github.lockstarter.faults.history;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Something that goes wrong.
 *
 * @param kind what it is called
 * @param action has it happen, and be over
 */
record Fault(String kind, Action action) {

	/** Longer than a lease lasts, and sometimes shorter. */
	private static final long LONGEST_MILLIS = 1500;

	static final Fault KILL_WORKER = new Fault("kill-worker", (index, worker) -> {
		String killed = worker.name();
		worker.restart();
		return killed;
	});

	/** Past the ends of its leases. */
	static final Fault FREEZE_WORKER = new Fault("freeze-worker", (index, worker) -> {
		worker.freeze();
		Worker.pause(Duration.ofMillis(LONGEST_MILLIS));
		worker.thaw();
		return worker.name();
	});

	/** Lets some time pass while something is broken. */
	static void last() {
		Worker.pause(Duration.ofMillis(ThreadLocalRandom.current().nextLong(LONGEST_MILLIS / 4, LONGEST_MILLIS)));
	}

	/** What happens, perhaps to a worker. */
	@FunctionalInterface
	interface Action {

		/** Returns what it happened to. */
		String strike(int index, WorkerProcess worker);

	}

}
