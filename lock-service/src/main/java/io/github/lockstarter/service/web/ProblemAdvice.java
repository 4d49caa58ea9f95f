package io.github.lockstarter.service.web;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.web.LockProblems;

/**
 * Responds to exceptions with problem details. The types of the library and of this
 * service start with {@code lock.web.problem-base-uri}.
 */
@ControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

	private final LockProblems problems;

	ProblemAdvice(LockProblems problems) {
		this.problems = problems;
	}

	@Override
	protected Mono<ResponseEntity<Object>> createResponseEntity(@Nullable Object body, @Nullable HttpHeaders headers,
			HttpStatusCode status, ServerWebExchange exchange) {
		Object completed = (body instanceof ProblemDetail problem) ? this.problems.withBaseUri(problem) : body;
		return super.createResponseEntity(completed, headers, status, exchange);
	}

}
