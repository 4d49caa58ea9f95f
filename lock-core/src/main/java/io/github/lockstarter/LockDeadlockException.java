package io.github.lockstarter;

import java.time.Duration;

/**
 * Thrown when waiting would be a deadlock: two calls each hold a lock that the other one
 * needs, or a call needs a lock that its own request holds. The caller is rejected at
 * once instead of after its wait time. The other call is not affected. Answered like
 * another conflict without a wait, with the problem type {@code request-in-progress}.
 */
public class LockDeadlockException extends LockConflictException {

	private final String message;

	/**
	 * Creates the exception.
	 * @param key the lock that the caller needs
	 * @param options the options of the attempt
	 * @param reason a description of the calls that wait for each other
	 */
	public LockDeadlockException(LockKey key, LockOptions options, String reason) {
		super(key, options.withWaitTime(Duration.ZERO), Duration.ofSeconds(1));
		this.message = "A wait for lock '%s' would be a deadlock: %s".formatted(key.name(), reason);
	}

	@Override
	public String getMessage() {
		return this.message;
	}

}
