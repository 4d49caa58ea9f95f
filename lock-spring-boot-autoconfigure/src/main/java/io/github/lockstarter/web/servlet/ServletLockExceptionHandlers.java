package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.util.List;

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
import io.github.lockstarter.operation.ConflictStatuses;
import io.github.lockstarter.web.LockProblems;

/**
 * One advice per lock exception, so that an application can replace each with its own
 * handler. They come before Spring Boot's advice, which has order 0, and so before an
 * unordered handler of the application for every {@link Exception}.
 */
public final class ServletLockExceptionHandlers {

	/** The advices, in one order, so that builds generate the same code. */
	public static final List<Class<?>> ALL = List.of(ServletConflictAdvice.class, ServletMissingKeyAdvice.class,
			ServletTooManyKeysAdvice.class, ServletInvalidIdempotencyKeyAdvice.class,
			ServletPayloadMismatchAdvice.class, ServletTooLargeRequestAdvice.class,
			ServletResultUnavailableAdvice.class, ServletLostLeaseAdvice.class, ServletStoreAdvice.class);

	private static final int BEFORE_SPRING_BOOT = -1;

	private ServletLockExceptionHandlers() {
	}

	/** Responds to a {@link LockConflictException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletConflictAdvice extends ServletLockExceptionHandler {

		private final ConflictStatuses statuses;

		ServletConflictAdvice(LockProblems problems, ConflictStatuses statuses) {
			super(problems);
			this.statuses = statuses;
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(LockConflictException exception, ServletWebRequest request)
				throws IOException {
			return respond(this.statuses.withStatus(exception), request);
		}

	}

	/** Responds to a {@link MissingLockKeyException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletMissingKeyAdvice extends ServletLockExceptionHandler {

		ServletMissingKeyAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(MissingLockKeyException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

	/** Responds to a {@link TooManyLockKeysException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletTooManyKeysAdvice extends ServletLockExceptionHandler {

		ServletTooManyKeysAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(TooManyLockKeysException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

	/** Responds to an {@link InvalidIdempotencyKeyException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletInvalidIdempotencyKeyAdvice extends ServletLockExceptionHandler {

		ServletInvalidIdempotencyKeyAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(InvalidIdempotencyKeyException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

	/** Responds to a {@link PayloadMismatchException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletPayloadMismatchAdvice extends ServletLockExceptionHandler {

		ServletPayloadMismatchAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(PayloadMismatchException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

	/** Responds to a {@link RequestTooLargeException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletTooLargeRequestAdvice extends ServletLockExceptionHandler {

		ServletTooLargeRequestAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(RequestTooLargeException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

	/** Responds to a {@link ResultUnavailableException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletResultUnavailableAdvice extends ServletLockExceptionHandler {

		ServletResultUnavailableAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(ResultUnavailableException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

	/** Responds to a {@link LeaseLostException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletLostLeaseAdvice extends ServletLockExceptionHandler {

		ServletLostLeaseAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(LeaseLostException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

	/** Responds to a {@link LockStoreException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ServletStoreAdvice extends ServletLockExceptionHandler {

		ServletStoreAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		@Nullable ResponseEntity<ProblemDetail> handle(LockStoreException exception, ServletWebRequest request)
				throws IOException {
			return respond(exception, request);
		}

	}

}
