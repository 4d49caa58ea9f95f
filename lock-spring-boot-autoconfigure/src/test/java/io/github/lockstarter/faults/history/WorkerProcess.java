package io.github.lockstarter.faults.history;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.github.lockstarter.testing.TestJvm;

/**
 * A worker in a JVM of its own, and after a kill in the next one.
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
	 * Starts it. Does not wait until it works.
	 * @param worker its name
	 * @param directory where its histories go
	 * @param driver the history of what is done to it
	 * @param starter starts a process that writes that file
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

	/** Waits until it works, and asks it for its clock. */
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

	/** Returns when this process was last granted each key. */
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

	/** Lets it end as it should. If it does not, its history will say so. */
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
