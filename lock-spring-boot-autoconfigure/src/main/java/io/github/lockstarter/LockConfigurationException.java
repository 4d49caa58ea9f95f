package io.github.lockstarter;

/**
 * The application is set up in a way that could not lock as it says. Thrown at start-up,
 * which it ends.
 */
public class LockConfigurationException extends RuntimeException {

	private final String action;

	/**
	 * Creates the exception.
	 * @param description what is wrong, and where
	 * @param action what to do about it
	 */
	public LockConfigurationException(String description, String action) {
		super(description);
		this.action = action;
	}

	/**
	 * Returns what to do about it.
	 */
	public String getAction() {
		return this.action;
	}

}
