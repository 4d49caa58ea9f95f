package io.github.lockstarter.benchmarks.measure;

import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Another JVM on this machine, with the class path of this one and the system properties
 * of its command line, that runs one task after the other.
 */
public final class Worker implements AutoCloseable {

	private final Process process;

	private final ObjectOutputStream tasks;

	private final ObjectInputStream results;

	/**
	 * Starts one.
	 * @param options for its JVM
	 */
	public Worker(String... options) {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		List<String> command = Stream
			.of(Stream.of(java, "-cp",
					System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))),
					properties(), Stream.of(options), Stream.of(Worker.class.getName()))
			.flatMap((part) -> part)
			.toList();
		try {
			this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
			this.tasks = new ObjectOutputStream(this.process.getOutputStream());
			this.tasks.flush();
			this.results = new ObjectInputStream(this.process.getInputStream());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Stream<String> properties() {
		return ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((argument) -> argument.startsWith("-D"));
	}

	/** Runs the task there, and returns its result. */
	@SuppressWarnings("unchecked")
	public <R> R run(Task<R> task) throws Exception {
		this.tasks.writeObject(task);
		this.tasks.flush();
		Object result = this.results.readObject();
		if (result instanceof Exception failure) {
			throw new IllegalStateException("Another process failed", failure);
		}
		return (R) result;
	}

	/** Asks the worker to end. It also ends when this process does. */
	@Override
	public void close() {
		try {
			this.tasks.close();
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (IOException ex) {
			this.process.destroyForcibly();
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

	/** Runs tasks until there are no more. */
	public static void main(String[] args) throws Exception {
		try (ObjectOutputStream results = new ObjectOutputStream(System.out)) {
			results.flush();
			// Output of others must not be mixed with the results.
			System.setOut(System.err);
			ObjectInputStream tasks = new ObjectInputStream(System.in);
			while (true) {
				Object result;
				try {
					result = ((Task<?>) tasks.readObject()).run();
				}
				catch (EOFException ex) {
					break;
				}
				catch (Exception ex) {
					result = ex;
				}
				results.writeObject(result);
				// Both ends of the stream would otherwise keep references to the objects.
				results.reset();
				results.flush();
			}
		}
		System.exit(0);
	}

}
