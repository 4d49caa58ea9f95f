package io.github.lockstarter.faults.history;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An injected fault.
 *
 * @param kind the name of the kind of fault
 * @param action injects the fault, and ends it
 */
record Fault(String kind, Action action) {

	/** Durations that are mostly longer than a lease, and sometimes shorter. */
	private static final long LONGEST_MILLIS = 1500;

	static final Fault KILL_WORKER = new Fault("kill-worker", (index, worker) -> {
		String killed = worker.name();
		worker.restart();
		return killed;
	});

	/** Waits past the ends of the leases. */
	static final Fault FREEZE_WORKER = freeze("freeze-worker", LONGEST_MILLIS);

	/** Longer than the timeout of a command, and shorter than a lease. */
	static final Fault PAUSE_WORKER = freeze("pause-worker", LONGEST_MILLIS / 2);

	private static Fault freeze(String kind, long millis) {
		return new Fault(kind, (index, worker) -> {
			worker.freeze();
			Worker.pause(Duration.ofMillis(millis));
			worker.thaw();
			return worker.name();
		});
	}

	/** Lets time pass during the fault. */
	static void last() {
		Worker.pause(Duration.ofMillis(ThreadLocalRandom.current().nextLong(LONGEST_MILLIS / 4, LONGEST_MILLIS)));
	}

	/** The action of the fault, which may affect one worker. */
	@FunctionalInterface
	interface Action {

		/** Returns the target of the fault. */
		String strike(int index, WorkerProcess worker);

	}

}
