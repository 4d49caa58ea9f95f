package io.github.lockstarter.sample;

import java.net.URI;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Thrown when a user name is blank or too long.
 */
class InvalidUserNameException extends ErrorResponseException {

	InvalidUserNameException() {
		super(HttpStatus.BAD_REQUEST, problem(), null);
	}

	private static ProblemDetail problem() {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST,
				"A user name has 1 to 50 characters, and is not blank.");
		problem.setType(URI.create("urn:sample:invalid-user-name"));
		problem.setTitle("Invalid user name");
		return problem;
	}

}
