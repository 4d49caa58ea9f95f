package io.github.lockstarter;

import java.time.Duration;

import org.springframework.http.HttpStatusCode;

/**
 * The lock is held by somebody else. Nothing is broken, and what the lock protects was
 * not done: the same request may succeed later.
 */
public class LockConflictException extends LockException {

	private final Duration retryAfter;

	/**
	 * Creates the exception.
	 * @param key the lock
	 * @param options how it was asked for: decides on the status, and whether the problem
	 * is called {@code request-in-progress} or, after a wait, {@code wait-timeout}
	 * @param retryAfter how long the holder's lease lasts unless it is renewed
	 */
	public LockConflictException(LockKey key, LockOptions options, Duration retryAfter) {
		super(HttpStatusCode.valueOf(options.conflictStatus()),
				options.waitTime().isZero() ? "request-in-progress" : "wait-timeout", key.name(),
				"Lock '%s' is held by somebody else".formatted(key.name()), null);
		this.retryAfter = retryAfter;
		getBody().setProperty("retryAfterMillis", retryAfter.toMillis());
	}

	/**
	 * Returns how long the holder's lease lasts unless it is renewed.
	 */
	@Override
	public Duration getRetryAfter() {
		return this.retryAfter;
	}

}
