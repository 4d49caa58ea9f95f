package io.github.lockstarter.benchmarks.candidate;

/**
 * An implementation of locks that is compared with others on the same kind of server.
 *
 * @param <A> the address of such a server
 */
public interface Candidate<A> {

	/** Starts an instance. */
	LockClient connect(A server);

	/**
	 * Returns whether it is another product, and neither the baseline nor a version of
	 * this library.
	 */
	boolean isPeer();

}
