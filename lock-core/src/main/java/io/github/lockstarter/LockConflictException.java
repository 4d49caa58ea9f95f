package io.github.lockstarter;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.Assert;

/**
 * Thrown when the lock is held by another holder. This is not a failure: the protected
 * work has not run, and the same request may succeed later.
 * <p>
 * The auto-configured {@link LockRegistry} throws it with the status that is configured
 * for the lock, and a method annotated with {@code @ExclusiveRequest} with the status of
 * its annotation. An exception without a status of its own has status 409. The advice of
 * the library sends it with the status that is configured for the lock.
 * <p>
 * The exception has no stack trace: a conflict is a regular outcome, and thousands of
 * conflicts per second are possible.
 */
public sealed class LockConflictException extends LockException permits LockDeadlockException {

	private final LockKey key;

	private final Duration retryAfter;

	private final ConflictReason reason;

	private final @Nullable HttpStatusCode status;

	/**
	 * Creates the exception for a lock that is still held after the wait time, if any.
	 * @param key the lock
	 * @param options the options of the attempt: the reason is
	 * {@link ConflictReason#WAIT_TIMEOUT} if they have a wait time, otherwise
	 * {@link ConflictReason#HELD}
	 * @param retryAfter the remaining time of the holder's lease, if it is not renewed
	 */
	public LockConflictException(LockKey key, LockOptions options, Duration retryAfter) {
		this(key, options.waitTime().isZero() ? ConflictReason.HELD : ConflictReason.WAIT_TIMEOUT, retryAfter, null);
	}

	/**
	 * Creates the exception.
	 * @param key the lock
	 * @param reason why the caller is rejected, which determines the problem type
	 * @param retryAfter the remaining time of the holder's lease, if it is not renewed
	 * @param status the status of the response, such as 422; {@code null} for none of its
	 * own
	 * @throws IllegalArgumentException if the status is not that of an error
	 */
	public LockConflictException(LockKey key, ConflictReason reason, Duration retryAfter,
			@Nullable HttpStatusCode status) {
		this(key, reason, retryAfter, status, reason.message.formatted(key.name()));
	}

	LockConflictException(LockKey key, ConflictReason reason, Duration retryAfter, @Nullable HttpStatusCode status,
			String message) {
		super((status != null) ? status : HttpStatus.CONFLICT, reason.problem, key.name(), message, null);
		Assert.isTrue(status == null || status.isError(),
				() -> "A conflict needs a status of an error, such as 409 or 422, not " + status);
		this.key = key;
		this.retryAfter = retryAfter;
		this.reason = reason;
		this.status = status;
		getBody().setProperty("retryAfterMillis", retryAfter.toMillis());
	}

	/**
	 * Returns the same conflict with a status of its own, which replaces the status that
	 * is configured for the lock. Its body has the type, the instance and the properties
	 * of this one.
	 * @param status the status of the response, such as 422
	 * @return a new exception, or this one if it has that status already
	 * @throws IllegalArgumentException if the status is not that of an error
	 */
	public LockConflictException withStatusCode(HttpStatusCode status) {
		return status.equals(this.status) ? this
				: completed(new LockConflictException(this.key, this.reason, this.retryAfter, status));
	}

	/** Adds what others have added to this exception to a copy of it. */
	final <T extends LockConflictException> T completed(T copy) {
		copy.setType(getBody().getType());
		copy.setInstance(getBody().getInstance());
		Map<String, Object> properties = getBody().getProperties();
		if (properties != null) {
			properties.forEach(copy.getBody()::setProperty);
		}
		Stream.of(getSuppressed()).forEach(copy::addSuppressed);
		return copy;
	}

	/**
	 * Returns whether the exception has a status of its own.
	 */
	public boolean hasOwnStatusCode() {
		return this.status != null;
	}

	/**
	 * Returns the key of the lock. It may contain personal data and is never part of a
	 * response.
	 */
	public LockKey getKey() {
		return this.key;
	}

	/**
	 * Returns why the caller was rejected.
	 */
	public ConflictReason getConflictReason() {
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

	/**
	 * Why a caller was rejected.
	 */
	public enum ConflictReason {

		/** The lock is held, and the caller did not ask to wait. */
		HELD("request-in-progress", "Lock '%s' is held by another caller"),

		/** The lock was still held at the end of the wait. */
		WAIT_TIMEOUT("wait-timeout", "Lock '%s' is held by another caller"),

		/**
		 * The caller wanted to wait, and {@code lock.max-waiters} callers are waiting
		 * already.
		 */
		QUEUE_FULL("wait-queue-full",
				"Lock '%s' is held by another caller, and too many callers are waiting for it already");

		private final String problem;

		private final String message;

		ConflictReason(String problem, String message) {
			this.problem = problem;
			this.message = message;
		}

	}

}
