package io.github.lockstarter.web.servlet;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.ServletWebRequest;

import io.github.lockstarter.InvalidIdempotencyKeyException;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.RequestTooLargeException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.TooManyLockKeysException;
import io.github.lockstarter.web.LockProblems;

/**
 * One advice per lock exception, so that an application can replace each with its own
 * handler. They come before Spring Boot's advice, which has order 0, and so before an
 * unordered handler of the application for every {@link Exception}.
 */
public final class LockExceptionHandlers {

	private static final int BEFORE_SPRING_BOOT = -1;

	private LockExceptionHandlers() {
	}

	/** Answers a {@link LockConflictException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfConflict extends LockExceptionHandler {

		OfConflict(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(LockConflictException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers a {@link MissingLockKeyException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfMissingKey extends LockExceptionHandler {

		OfMissingKey(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(MissingLockKeyException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers a {@link TooManyLockKeysException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfTooManyKeys extends LockExceptionHandler {

		OfTooManyKeys(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(TooManyLockKeysException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers an {@link InvalidIdempotencyKeyException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfInvalidIdempotencyKey extends LockExceptionHandler {

		OfInvalidIdempotencyKey(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(InvalidIdempotencyKeyException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers a {@link PayloadMismatchException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfPayloadMismatch extends LockExceptionHandler {

		OfPayloadMismatch(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(PayloadMismatchException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers a {@link RequestTooLargeException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfTooLargeRequest extends LockExceptionHandler {

		OfTooLargeRequest(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(RequestTooLargeException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers a {@link ResultUnavailableException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfResultUnavailable extends LockExceptionHandler {

		OfResultUnavailable(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(ResultUnavailableException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers a {@link LeaseLostException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfLostLease extends LockExceptionHandler {

		OfLostLease(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(LeaseLostException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

	/** Answers a {@link LockStoreException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class OfStore extends LockExceptionHandler {

		OfStore(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(LockStoreException exception, ServletWebRequest request)
				throws IOException {
			return answer(exception, request);
		}

	}

}
