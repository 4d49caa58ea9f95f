package io.github.lockstarter.test;

/**
 * Another instance of the application that holds a lock, simulated by the test.
 *
 * @see TestLockRegistry#heldElsewhere(String)
 */
@FunctionalInterface
public interface OtherHolder extends AutoCloseable {

	/**
	 * Releases the lock, so that a waiter can acquire it. Has no effect if the lock is no
	 * longer held.
	 */
	@Override
	void close();

}
