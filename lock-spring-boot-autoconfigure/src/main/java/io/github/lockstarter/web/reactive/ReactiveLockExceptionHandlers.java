package io.github.lockstarter.web.reactive;

import java.util.List;

import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;

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
public final class ReactiveLockExceptionHandlers {

	/** The advices, in one order, so that builds generate the same code. */
	public static final List<Class<?>> ALL = List.of(ReactiveConflictAdvice.class, ReactiveMissingKeyAdvice.class,
			ReactiveTooManyKeysAdvice.class, ReactiveInvalidIdempotencyKeyAdvice.class,
			ReactivePayloadMismatchAdvice.class, ReactiveTooLargeRequestAdvice.class,
			ReactiveResultUnavailableAdvice.class, ReactiveLostLeaseAdvice.class, ReactiveStoreAdvice.class);

	private static final int BEFORE_SPRING_BOOT = -1;

	private ReactiveLockExceptionHandlers() {
	}

	/** Responds to a {@link LockConflictException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveConflictAdvice extends ReactiveLockExceptionHandler {

		private final MethodParameter type;

		private final ConflictStatuses statuses;

		private final PreparedRejectionWriter writer;

		ReactiveConflictAdvice(LockProblems problems, ConflictStatuses statuses, PreparedRejectionWriter writer)
				throws NoSuchMethodException {
			super(problems);
			this.type = MethodParameter.forExecutable(ReactiveConflictAdvice.class.getDeclaredMethod("handle",
					LockConflictException.class, ServerWebExchange.class), -1);
			this.statuses = statuses;
			this.writer = writer;
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(LockConflictException exception, ServerWebExchange exchange) {
			return respond(this.statuses.withStatus(exception), exchange).flatMap((entity) -> {
				Mono<Void> written = this.writer.writeSignalled(exception, entity, this.type, exchange);
				return (written != null) ? written.then(Mono.empty()) : Mono.just(entity);
			});
		}

	}

	/** Responds to a {@link MissingLockKeyException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveMissingKeyAdvice extends ReactiveLockExceptionHandler {

		ReactiveMissingKeyAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(MissingLockKeyException exception, ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

	/** Responds to a {@link TooManyLockKeysException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveTooManyKeysAdvice extends ReactiveLockExceptionHandler {

		ReactiveTooManyKeysAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(TooManyLockKeysException exception, ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

	/** Responds to an {@link InvalidIdempotencyKeyException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveInvalidIdempotencyKeyAdvice extends ReactiveLockExceptionHandler {

		ReactiveInvalidIdempotencyKeyAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(InvalidIdempotencyKeyException exception,
				ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

	/** Responds to a {@link PayloadMismatchException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactivePayloadMismatchAdvice extends ReactiveLockExceptionHandler {

		ReactivePayloadMismatchAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(PayloadMismatchException exception, ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

	/** Responds to a {@link RequestTooLargeException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveTooLargeRequestAdvice extends ReactiveLockExceptionHandler {

		ReactiveTooLargeRequestAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(RequestTooLargeException exception, ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

	/** Responds to a {@link ResultUnavailableException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveResultUnavailableAdvice extends ReactiveLockExceptionHandler {

		ReactiveResultUnavailableAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(ResultUnavailableException exception, ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

	/** Responds to a {@link LeaseLostException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveLostLeaseAdvice extends ReactiveLockExceptionHandler {

		ReactiveLostLeaseAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(LeaseLostException exception, ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

	/** Responds to a {@link LockStoreException}. */
	@ControllerAdvice
	@Order(BEFORE_SPRING_BOOT)
	public static final class ReactiveStoreAdvice extends ReactiveLockExceptionHandler {

		ReactiveStoreAdvice(LockProblems problems) {
			super(problems);
		}

		@ExceptionHandler
		Mono<ResponseEntity<ProblemDetail>> handle(LockStoreException exception, ServerWebExchange exchange) {
			return respond(exception, exchange);
		}

	}

}
