package io.github.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/**
 * Thrown when the lock is held by another holder. This is not a failure: the protected
 * work has not run, and the same request may succeed later.
 * <p>
 * The status is 409 unless another one is set. The auto-configured {@link LockRegistry}
 * sets the status that is configured for the lock. A method annotated with
 * {@code @ExclusiveRequest} sets the status of its annotation. An exception that the
 * application creates is answered with the status configured for the lock.
 * <p>
 * The exception has no stack trace: a conflict is a regular outcome, and thousands of
 * conflicts per second are possible.
 */
public class LockConflictException extends LockException {

	private final LockKey key;

	private final Duration retryAfter;

	private final Reason reason;

	private @Nullable HttpStatusCode status;

	/**
	 * Creates the exception for a lock that is still held after the wait time, if any.
	 * @param key the lock
	 * @param options the options of the attempt: the problem type is {@code wait-timeout}
	 * if they have a wait time, otherwise {@code request-in-progress}
	 * @param retryAfter the remaining time of the holder's lease, if it is not renewed
	 */
	public LockConflictException(LockKey key, LockOptions options, Duration retryAfter) {
		this(key, retryAfter, options.waitTime().isZero() ? Reason.HELD : Reason.WAIT_TIMEOUT,
				"Lock '%s' is held by another caller".formatted(key.name()));
	}

	private LockConflictException(LockKey key, Duration retryAfter, Reason reason, String message) {
		super(HttpStatus.CONFLICT, reason.problem, key.name(), message, null);
		this.key = key;
		this.retryAfter = retryAfter;
		this.reason = reason;
		getBody().setProperty("retryAfterMillis", retryAfter.toMillis());
	}

	/**
	 * Returns the exception for a caller that wanted to wait and is rejected at once,
	 * because {@code lock.max-waiters} callers are waiting already. The problem type is
	 * {@code wait-queue-full}.
	 * @param key the lock
	 * @param retryAfter the remaining time of the holder's lease, if it is not renewed
	 * @return the exception
	 */
	public static LockConflictException waitQueueFull(LockKey key, Duration retryAfter) {
		return new LockConflictException(key, retryAfter, Reason.QUEUE_FULL,
				"Lock '%s' is held by another caller, and too many callers are waiting for it already"
					.formatted(key.name()));
	}

	/**
	 * Returns the key of the lock. It may contain personal data and is never part of an
	 * answer.
	 */
	public LockKey getKey() {
		return this.key;
	}

	/**
	 * Returns why the caller was rejected.
	 */
	public Reason getConflictReason() {
		return this.reason;
	}

	/**
	 * Returns the remaining time of the holder's lease, if it is not renewed.
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
	 * Sets the status of the answer, which replaces the status that is configured for the
	 * lock.
	 * @param status the status, such as 422
	 */
	public void setStatusCode(HttpStatusCode status) {
		this.status = status;
		getBody().setStatus(status.value());
	}

	/**
	 * Returns whether {@link #setStatusCode} has been called.
	 */
	public boolean isStatusCodeSet() {
		return this.status != null;
	}

	/**
	 * Why a caller was rejected.
	 */
	public enum Reason {

		/** The lock is held, and the caller did not ask to wait. */
		HELD("request-in-progress"),

		/** The lock was still held at the end of the wait. */
		WAIT_TIMEOUT("wait-timeout"),

		/**
		 * The caller wanted to wait, and {@code lock.max-waiters} callers are waiting
		 * already.
		 */
		QUEUE_FULL("wait-queue-full");

		private final String problem;

		Reason(String problem) {
			this.problem = problem;
		}

	}

}
