package io.github.lockstarter;

/**
 * Thrown at start-up, when a lock cannot work as it is configured. The application does
 * not start.
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
