package io.github.lockstarter.registry.acquisition;

/**
 * A token that applications share, for one lock.
 */
public interface SharedToken {

	/** Returns the token. */
	String value();

	/**
	 * Extends the lock and answers the acquisition if the token holds the lock. If the
	 * store fails, it fails the acquisition.
	 * @param acquisition an acquisition for this token
	 * @param otherwise the action if the token does not hold the lock
	 */
	void extend(SharedTokenAcquisition acquisition, Runnable otherwise);

}
