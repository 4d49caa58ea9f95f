package io.github.lockstarter.sample;

import java.net.URI;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Thrown when the points service failed. The user is registered, but without points.
 */
class PointsUnavailableException extends ErrorResponseException {

	PointsUnavailableException(@Nullable Throwable cause) {
		super(HttpStatus.BAD_GATEWAY, problem(), cause);
	}

	private static ProblemDetail problem() {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY,
				"You are registered, but your bonus points could not be granted.");
		problem.setType(URI.create("urn:sample:points-unavailable"));
		problem.setTitle("Points unavailable");
		return problem;
	}

}
