package io.github.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/**
 * The lock is held by somebody else. Nothing is broken, and what the lock protects was
 * not done: the same request may succeed later.
 * <p>
 * Its status is 409 until another is set. The {@link LockRegistry} of the
 * auto-configuration sets the status configured for the lock, and a method annotated with
 * {@code @ExclusiveRequest} its own. A conflict that the application creates itself is
 * answered with the status configured for the lock.
 * <p>
 * It has no stack trace. A conflict is one of two regular outcomes, and there may be
 * thousands of them in a second.
 */
public class LockConflictException extends LockException {

	private final LockKey key;

	private final Duration retryAfter;

	private final Reason reason;

	private @Nullable HttpStatusCode status;

	/**
	 * Creates the exception of a lock that is still held when the wait, if any, is over.
	 * @param key the lock
	 * @param options how it was asked for: decides whether the problem is called
	 * {@code request-in-progress} or, after a wait, {@code wait-timeout}
	 * @param retryAfter how long the holder's lease lasts unless it is renewed
	 */
	public LockConflictException(LockKey key, LockOptions options, Duration retryAfter) {
		this(key, retryAfter, options.waitTime().isZero() ? Reason.HELD : Reason.WAIT_TIMEOUT,
				"Lock '%s' is held by somebody else".formatted(key.name()));
	}

	private LockConflictException(LockKey key, Duration retryAfter, Reason reason, String message) {
		super(HttpStatus.CONFLICT, reason.problem, key.name(), message, null);
		this.key = key;
		this.retryAfter = retryAfter;
		this.reason = reason;
		getBody().setProperty("retryAfterMillis", retryAfter.toMillis());
	}

	/**
	 * Returns the exception of a caller that asked to wait and was refused at once: as
	 * many callers as {@code lock.max-waiters} allows wait already. Its problem is called
	 * {@code wait-queue-full}.
	 * @param key the lock
	 * @param options how it was asked for
	 * @param retryAfter how long the holder's lease lasts unless it is renewed
	 * @return the exception
	 */
	public static LockConflictException waitQueueFull(LockKey key, LockOptions options, Duration retryAfter) {
		return new LockConflictException(key, retryAfter, Reason.QUEUE_FULL,
				"Lock '%s' is held by somebody else, and too many callers wait for it already".formatted(key.name()));
	}

	/**
	 * Returns the lock. Its key may be personal data: no answer holds it.
	 */
	public LockKey getKey() {
		return this.key;
	}

	/**
	 * Returns why the lock was refused.
	 */
	public Reason getConflictReason() {
		return this.reason;
	}

	/**
	 * Returns how long the holder's lease lasts unless it is renewed.
	 */
	@Override
	public Duration getRetryAfter() {
		return this.retryAfter;
	}

	@Override
	public synchronized Throwable fillInStackTrace() {
		return this;
	}

	@Override
	public HttpStatusCode getStatusCode() {
		return (this.status != null) ? this.status : super.getStatusCode();
	}

	/**
	 * Sets the status of the answer, in place of the status that is configured for the
	 * lock.
	 * @param status the status, such as 422
	 */
	public void setStatusCode(HttpStatusCode status) {
		this.status = status;
		getBody().setStatus(status.value());
	}

	/**
	 * Returns whether the status has been set, by a registry, an annotation or otherwise.
	 */
	public boolean isStatusCodeSet() {
		return this.status != null;
	}

	/**
	 * Why a lock was refused.
	 */
	public enum Reason {

		/** The lock is held, and the caller did not ask to wait. */
		HELD("request-in-progress"),

		/** The lock was still held at the end of the wait. */
		WAIT_TIMEOUT("wait-timeout"),

		/**
		 * The caller asked to wait, and {@code lock.max-waiters} callers wait already.
		 */
		QUEUE_FULL("wait-queue-full");

		private final String problem;

		Reason(String problem) {
			this.problem = problem;
		}

	}

}
