package io.github.lockstarter.web.reactive;

import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.LockException;
import io.github.lockstarter.web.AcceptHeader;
import io.github.lockstarter.web.LockProblems;

/**
 * Responds to a lock exception in Spring WebFlux with problem details for programs.
 * Requests of browsers, and requests whose response is committed, are left to
 * {@link LockWebExceptionHandler}.
 */
abstract class ReactiveLockExceptionHandler {

	private final LockProblems problems;

	ReactiveLockExceptionHandler(LockProblems problems) {
		this.problems = problems;
	}

	final Mono<ResponseEntity<ProblemDetail>> respond(LockException exception, ServerWebExchange exchange) {
		if (exchange.getResponse().isCommitted() || prefersHtml(exchange)) {
			return Mono.error(exception);
		}
		ProblemDetail body = this.problems.describe(exception, RequestLocale.of(exchange));
		return Mono.just(ResponseEntity.status(exception.getStatusCode()).headers(exception.getHeaders()).body(body));
	}

	static boolean prefersHtml(ServerWebExchange exchange) {
		return AcceptHeader.prefersHtml(exchange.getRequest().getHeaders().getOrEmpty(HttpHeaders.ACCEPT));
	}

}
