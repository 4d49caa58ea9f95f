package io.github.lockstarter.faults.history;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.github.lockstarter.testing.TestJvm;

/**
 * A worker in a separate process, which is restarted after a kill.
 */
final class WorkerProcess implements AutoCloseable {

	private final String worker;

	private final Path directory;

	private final History driver;

	private final Function<Path, TestJvm> starter;

	private int number;

	private TestJvm jvm;

	private Progress progress;

	/**
	 * Starts the worker, without waiting until it runs.
	 * @param worker its name
	 * @param directory the directory for its histories
	 * @param driver the history of the faults
	 * @param starter starts a process with a history file
	 */
	WorkerProcess(String worker, Path directory, History driver, Function<Path, TestJvm> starter) {
		this.worker = worker;
		this.directory = directory;
		this.driver = driver;
		this.starter = starter;
		start();
	}

	private void start() {
		this.number++;
		Path file = this.directory.resolve(name() + ".log");
		this.jvm = this.starter.apply(file);
		this.progress = new Progress(file);
	}

	/** Waits until the worker runs, and reads its clock. */
	void awaitWork() {
		this.jvm.await("working");
		long before = System.nanoTime();
		this.jvm.tell("clock");
		this.driver.add(before, "clock", name(), this.jvm.await("clock "));
	}

	/** Returns the name of the worker and the number of the process. */
	String name() {
		return this.worker + "." + this.number;
	}

	/** Returns the times of the last grants of this process, by key. */
	Map<String, Long> granted() {
		return this.progress.read();
	}

	/** Kills the process, and starts another. */
	void restart() {
		this.jvm.kill();
		this.jvm.awaitEnd();
		start();
		awaitWork();
	}

	void freeze() {
		this.jvm.freeze();
	}

	void thaw() {
		this.jvm.thaw();
	}

	/** Stops the worker normally. If it does not end, its history shows that. */
	void stop() {
		this.jvm.tell("stop");
		try {
			this.jvm.awaitEnd();
		}
		catch (CompletionException ex) {
			this.jvm.kill();
		}
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
