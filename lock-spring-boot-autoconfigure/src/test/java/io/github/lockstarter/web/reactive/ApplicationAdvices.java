package io.github.lockstarter.web.reactive;

import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;

/**
 * What applications do about exceptions.
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

	@RestControllerAdvice(assignableTypes = String.class)
	static class OwnHandlerElsewhere {

		@ExceptionHandler(LockException.class)
		void handle(LockException exception) {
		}

	}

}
