package io.github.lockstarter.benchmarks.measure;

/**
 * The server that keeps the locks, asked about itself.
 */
public interface LockServer extends AutoCloseable {

	/** Returns what it is called. */
	String name();

	String version();

	/** Forgets all locks. */
	void clear();

	/** Returns the processor time that it has used, in seconds. */
	double processorSeconds();

	/**
	 * Counts the requests that reach it, exactly. It may be slower meanwhile, so that
	 * nothing can be timed.
	 */
	long count(Sender sender) throws Exception;

	@Override
	void close();

	/** Something that sends requests. */
	@FunctionalInterface
	interface Sender {

		void send() throws Exception;

	}

}
