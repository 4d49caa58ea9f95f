package io.github.lockstarter.service.web;

import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

import io.github.lockstarter.service.Problem;
import io.github.lockstarter.web.LockProblems;

/**
 * Writes the problem details of requests that reach no controller.
 */
@Component
class ProblemBodies {

	private final LockProblems problems;

	private final JsonMapper json;

	ProblemBodies(LockProblems problems, JsonMapper json) {
		this.problems = problems;
		this.json = json;
	}

	/** Returns the body of a response to an invalid request. */
	byte[] invalid(HttpStatus status, String detail) {
		return this.json.writeValueAsBytes(this.problems.withBaseUri(Problem.invalid(status, detail)));
	}

}
