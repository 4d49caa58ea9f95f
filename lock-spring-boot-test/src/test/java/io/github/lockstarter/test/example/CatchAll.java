package io.github.lockstarter.test.example;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * An advice that handles every exception, as many applications have.
 */
@RestControllerAdvice
class CatchAll {

	@ExceptionHandler
	@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
	String handle(Exception exception) {
		return "Something went wrong";
	}

}
