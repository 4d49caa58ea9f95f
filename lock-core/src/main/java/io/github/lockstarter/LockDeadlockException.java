package io.github.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatusCode;

/**
 * Thrown when waiting would be a deadlock: two calls each hold a lock that the other one
 * needs, or a call needs a lock that its own request holds. The caller is rejected at
 * once instead of after its wait time. The other call is not affected. The response is
 * the same as for a conflict without a wait, with the problem type
 * {@code request-in-progress}.
 */
public final class LockDeadlockException extends LockConflictException {

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	/**
	 * Creates the exception.
	 * @param key the lock that the caller needs
	 * @param reason a description of the calls that wait for each other
	 */
	public LockDeadlockException(LockKey key, String reason) {
		this(key, null, "A wait for lock '%s' would be a deadlock: %s".formatted(key.name(), reason));
	}

	private LockDeadlockException(LockKey key, @Nullable HttpStatusCode status, String message) {
		super(key, ConflictReason.HELD, RETRY_AFTER, status, message);
	}

	@Override
	public LockDeadlockException withStatusCode(HttpStatusCode status) {
		return (hasOwnStatusCode() && status.equals(getStatusCode())) ? this
				: completed(new LockDeadlockException(getKey(), status, getMessage()));
	}

}
