package io.github.lockstarter.benchmarks.candidate;

/**
 * A way to lock that is compared with others on the same kind of server.
 *
 * @param <A> where such a server is
 */
public interface Candidate<A> {

	/** Starts an instance. */
	LockClient connect(A server);

	/**
	 * Returns whether it is a product to compare with, not the floor and no version of
	 * this library.
	 */
	boolean isPeer();

}
