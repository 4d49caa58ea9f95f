package io.github.lockstarter.sample;

import java.net.URI;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Thrown when the user name is registered already.
 */
class AlreadyRegisteredException extends ErrorResponseException {

	AlreadyRegisteredException() {
		super(HttpStatus.UNPROCESSABLE_CONTENT, problem(), null);
	}

	private static ProblemDetail problem() {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT,
				"This user name is already registered.");
		problem.setType(URI.create("urn:sample:already-registered"));
		problem.setTitle("Already registered");
		return problem;
	}

}
