package io.github.lockstarter.web.reactive;

import java.util.Locale;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;

/**
 * The ways in which applications handle exceptions.
 */
final class ApplicationAdvices {

	private ApplicationAdvices() {
	}

	@RestControllerAdvice
	static class EveryException {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handle(Exception exception) {
			return ResponseEntity.internalServerError().body("own");
		}

	}

	@RestControllerAdvice
	@Order(-2)
	static class EveryExceptionFirst {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handle(Exception exception) {
			return ResponseEntity.internalServerError().body("first");
		}

	}

	@RestControllerAdvice
	static class OwnConflictHandler {

		@ExceptionHandler(LockConflictException.class)
		ResponseEntity<String> handle(LockConflictException exception) {
			return ResponseEntity.status(418).body("own");
		}

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handleAll(Exception exception) {
			return ResponseEntity.internalServerError().body("own");
		}

	}

	@RestControllerAdvice
	static class OwnResponseEntityExceptionHandler extends ResponseEntityExceptionHandler {

		@Override
		protected Mono<ResponseEntity<Object>> handleExceptionInternal(Exception exception, @Nullable Object body,
				@Nullable HttpHeaders headers, HttpStatusCode status, ServerWebExchange exchange) {
			return Mono.just(ResponseEntity.status(status)
				.body("own: "
						+ ((ErrorResponse) exception).updateAndGetBody(getMessageSource(), Locale.ENGLISH).getTitle()));
		}

	}

	@RestControllerAdvice(assignableTypes = String.class)
	static class OwnHandlerElsewhere {

		@ExceptionHandler(LockException.class)
		void handle(LockException exception) {
		}

	}

}
