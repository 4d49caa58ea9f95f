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
	 * Creates the exception of a lock that is still held when the wait, if any, is over.
	 * @param key the lock
	 * @param options how it was asked for: decides on the status, and whether the problem
	 * is called {@code request-in-progress} or, after a wait, {@code wait-timeout}
	 * @param retryAfter how long the holder's lease lasts unless it is renewed
	 */
	public LockConflictException(LockKey key, LockOptions options, Duration retryAfter) {
		this(key, options, retryAfter, options.waitTime().isZero() ? "request-in-progress" : "wait-timeout",
				"Lock '%s' is held by somebody else".formatted(key.name()));
	}

	private LockConflictException(LockKey key, LockOptions options, Duration retryAfter, String type, String message) {
		super(HttpStatusCode.valueOf(options.conflictStatus()), type, key.name(), message, null);
		this.retryAfter = retryAfter;
		getBody().setProperty("retryAfterMillis", retryAfter.toMillis());
	}

	/**
	 * Returns the exception of a caller that asked to wait and was refused at once: as
	 * many callers as {@code lock.max-waiters} allows wait already. Its problem is called
	 * {@code wait-queue-full}.
	 * @param key the lock
	 * @param options how it was asked for: decides on the status
	 * @param retryAfter how long the holder's lease lasts unless it is renewed
	 * @return the exception
	 */
	public static LockConflictException waitQueueFull(LockKey key, LockOptions options, Duration retryAfter) {
		return new LockConflictException(key, options, retryAfter, "wait-queue-full",
				"Lock '%s' is held by somebody else, and too many callers wait for it already".formatted(key.name()));
	}

	/**
	 * Returns how long the holder's lease lasts unless it is renewed.
	 */
	@Override
	public Duration getRetryAfter() {
		return this.retryAfter;
	}

}
