package io.github.lockstarter.service.web;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.service.Problem;
import io.github.lockstarter.web.LockProblems;

/**
 * Responds with problem details, whose types start with
 * {@code lock.web.problem-base-uri}.
 */
@ControllerAdvice
class ProblemResponses extends ResponseEntityExceptionHandler {

	private final LockProblems problems;

	private final JsonMapper json;

	ProblemResponses(LockProblems problems, JsonMapper json) {
		this.problems = problems;
		this.json = json;
	}

	@Override
	protected Mono<ResponseEntity<Object>> createResponseEntity(@Nullable Object body, @Nullable HttpHeaders headers,
			HttpStatusCode status, ServerWebExchange exchange) {
		Object completed = (body instanceof ProblemDetail problem) ? this.problems.withBaseUri(problem) : body;
		return super.createResponseEntity(completed, headers, status, exchange);
	}

	/**
	 * Returns the body of a response to an invalid request, for code outside handlers.
	 */
	byte[] invalid(HttpStatus status, String detail) {
		return this.json.writeValueAsBytes(this.problems.withBaseUri(Problem.invalid(status, detail)));
	}

}
