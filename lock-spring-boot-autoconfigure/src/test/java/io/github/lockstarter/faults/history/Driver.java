package io.github.lockstarter.faults.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.springframework.util.FileSystemUtils;

import io.github.lockstarter.testing.TestJvm;

/**
 * Starts workers, injects faults repeatedly, and records each fault and its time.
 */
final class Driver implements AutoCloseable {

	/** The checker fails after the same time. */
	private static final long BOUND = TimeUnit.SECONDS.toNanos(60);

	private static final List<String> NAMES = List.of("one", "two");

	private final Path directory;

	private final History history;

	private final List<WorkerProcess> workers = new ArrayList<>();

	/**
	 * Creates a driver.
	 * @param directory the directory for histories, which is emptied
	 */
	Driver(Path directory) {
		this.directory = directory;
		FileSystemUtils.deleteRecursively(directory.toFile());
		this.history = new History(directory.resolve("driver.log"));
	}

	/**
	 * Starts workers, and waits until they run.
	 * @param starters functions that start a process with a history file
	 */
	void start(List<Function<Path, TestJvm>> starters) {
		for (Function<Path, TestJvm> starter : starters) {
			String worker = NAMES.get(this.workers.size());
			this.workers.add(new WorkerProcess(worker, this.directory, this.history, starter));
		}
		this.workers.forEach(WorkerProcess::awaitWork);
	}

	/** Injects each fault at least once, and repeats all until the time is over. */
	void run(List<Fault> faults, Duration time) {
		long end = System.nanoTime() + time.toNanos();
		List<Fault> shuffled = new ArrayList<>(faults);
		awaitProgress(System.nanoTime());
		do {
			Collections.shuffle(shuffled);
			shuffled.forEach(this::strike);
		}
		while (System.nanoTime() - end < 0);
	}

	private void strike(Fault fault) {
		int worker = ThreadLocalRandom.current().nextInt(this.workers.size());
		long before = System.nanoTime();
		String target = fault.action().strike(worker, this.workers.get(worker));
		this.history.add(before, "fault", fault.kind(), target);
		awaitProgress(System.nanoTime());
	}

	/**
	 * Waits until every key was granted again, and every worker had a grant. If that
	 * takes too long, the checker reports it.
	 */
	private void awaitProgress(long since) {
		while (!hasGoneOn(since) && System.nanoTime() - since < BOUND + TimeUnit.SECONDS.toNanos(1)) {
			Worker.pause(Duration.ofMillis(50));
		}
	}

	private boolean hasGoneOn(long since) {
		Set<String> keys = new HashSet<>();
		boolean all = true;
		for (WorkerProcess worker : this.workers) {
			List<String> granted = worker.granted()
				.entrySet()
				.stream()
				.filter((grant) -> grant.getValue() - since > 0)
				.map(Map.Entry::getKey)
				.toList();
			all &= !granted.isEmpty();
			keys.addAll(granted);
		}
		return all && keys.size() == Worker.KEYS;
	}

	/** Returns the checker's result for the current histories. */
	Checker check() {
		return Checker.check(this.directory);
	}

	/** Stops the workers. */
	void stop() {
		this.workers.forEach(WorkerProcess::stop);
		this.history.add(System.nanoTime(), "stopped");
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerProcess::close);
		this.history.close();
	}

}
