package io.github.lockstarter.benchmarks.http;

import java.net.URI;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

import io.github.lockstarter.benchmarks.candidate.LockClient;

/**
 * The response of this library to a rejected request, written by hand and without an
 * exception.
 */
final class Problem {

	private static final URI TYPE = URI.create("https://lockstarter.github.io/problems/request-in-progress");

	private Problem() {
	}

	static ResponseEntity<ProblemDetail> rejected() {
		ProblemDetail body = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT,
				"Another request for the same resource is being processed. Retry later.");
		body.setType(TYPE);
		body.setTitle("Request already in progress");
		body.setProperty("retryAfterMillis", LockClient.TTL.toMillis());
		return ResponseEntity.status(HttpStatus.CONFLICT)
			.cacheControl(CacheControl.noStore())
			.header(HttpHeaders.RETRY_AFTER, Long.toString(LockClient.TTL.toSeconds()))
			.body(body);
	}

}
