package io.github.lockstarter.test;

/**
 * Another instance of the application that holds a lock, played by the test.
 *
 * @see TestLockRegistry#heldElsewhere(String)
 */
@FunctionalInterface
public interface OtherHolder extends AutoCloseable {

	/**
	 * Releases the lock, so that a waiter may have it. Does nothing if the lock is not
	 * held any more.
	 */
	@Override
	void close();

}
