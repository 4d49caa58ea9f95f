package io.github.lockstarter.benchmarks.measure;

/**
 * A server that stores locks, as a source of its own figures.
 */
public interface LockServer extends AutoCloseable {

	/** Returns the name of the server. */
	String name();

	String version();

	/** Removes all locks. */
	void clear();

	/** Returns the processor time that it has used, in seconds. */
	double processorSeconds();

	/**
	 * Counts the commands that reach the server exactly. The server may be slower in the
	 * meantime, so that times must not be measured.
	 */
	long count(Sender sender) throws Exception;

	@Override
	void close();

	/** Something that sends commands. */
	@FunctionalInterface
	interface Sender {

		void send() throws Exception;

	}

}
