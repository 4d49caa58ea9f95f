package io.github.lockstarter;

/**
 * Thrown when a lock cannot work as it is configured: normally at startup, so that the
 * application does not start. It is thrown by a call if the error depends on the
 * arguments of the call, or on a capability that the store does not have.
 */
public class LockConfigurationException extends RuntimeException {

	private final String action;

	/**
	 * Creates the exception.
	 * @param description the error and its location
	 * @param action how to correct it
	 */
	public LockConfigurationException(String description, String action) {
		super(description);
		this.action = action;
	}

	/**
	 * Returns how to correct the configuration.
	 */
	public String getAction() {
		return this.action;
	}

}
