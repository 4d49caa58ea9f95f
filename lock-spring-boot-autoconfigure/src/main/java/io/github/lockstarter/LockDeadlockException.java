package io.github.lockstarter;

import java.time.Duration;

/**
 * The caller would wait for itself: it is refused at once, and not after its wait. Two
 * calls hold one lock each and ask for the other's, or a call asks for a lock that its
 * own request holds. The other call goes on.
 */
public class LockDeadlockException extends LockConflictException {

	private final String message;

	/**
	 * Creates the exception.
	 * @param key the lock that was asked for
	 * @param options how it was asked for
	 * @param reason which calls wait for each other
	 */
	public LockDeadlockException(LockKey key, LockOptions options, String reason) {
		super(key, options.withWaitTime(Duration.ZERO), Duration.ofSeconds(1));
		this.message = "A wait for lock '%s' would never end: %s".formatted(key.name(), reason);
	}

	@Override
	public String getMessage() {
		return this.message;
	}

}
