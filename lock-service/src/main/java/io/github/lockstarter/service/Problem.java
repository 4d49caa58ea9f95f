package io.github.lockstarter.service;

import java.net.URI;
import java.time.Duration;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

import io.github.lockstarter.LockException;

/**
 * The reason why a request was rejected, as problem details. A lock that is held and a
 * store that is unavailable are reported with the exceptions of the library.
 */
public final class Problem extends ErrorResponseException {

	private Problem(HttpStatus status, String type, String title, String detail) {
		this(status, body(status, type, title, detail));
	}

	private Problem(HttpStatus status, ProblemDetail body) {
		super(status, body, null);
	}

	/** Returns the body of a response to an invalid request. */
	public static ProblemDetail invalid(HttpStatus status, String detail) {
		return body(status, "invalid-request", "Invalid request", detail);
	}

	private static ProblemDetail body(HttpStatus status, String type, String title, String detail) {
		ProblemDetail body = ProblemDetail.forStatusAndDetail(status, detail);
		body.setType(URI.create(LockException.PROBLEM_BASE_URI + type));
		body.setTitle(title);
		return body;
	}

	/** The request has no key. */
	public static Problem keyMissing() {
		return unauthorized("api-key-missing", "No API key",
				"Send the key of a client as X-API-Key, or as Authorization: Bearer.");
	}

	/** The request has a key that belongs to no client. */
	public static Problem keyUnknown() {
		return unauthorized("api-key-unknown", "Unknown API key", "No client has this key.");
	}

	private static Problem unauthorized(String type, String title, String detail) {
		Problem problem = new Problem(HttpStatus.UNAUTHORIZED, type, title, detail);
		problem.getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"locks\"");
		return problem;
	}

	/** One address has sent too many wrong keys. */
	public static Problem tooManyKeys(Duration pause) {
		Problem problem = new Problem(HttpStatus.TOO_MANY_REQUESTS, "too-many-wrong-keys", "Too many wrong API keys",
				"This address has sent too many unknown API keys. Correct the key, and retry later.");
		problem.getHeaders().set(HttpHeaders.RETRY_AFTER, Long.toString(pause.plusMillis(999).toSeconds()));
		return problem;
	}

	/** The request exceeds a limit of the client. */
	public static Problem limitExceeded(String detail) {
		return new Problem(HttpStatus.FORBIDDEN, "limit-exceeded", "Limit of the client exceeded", detail);
	}

	/** The request is invalid. */
	public static Problem invalid(String detail) {
		return new Problem(HttpStatus.BAD_REQUEST, invalid(HttpStatus.BAD_REQUEST, detail));
	}

	/** The token does not hold the lock, or no longer holds it. */
	public static Problem notHolder() {
		return new Problem(HttpStatus.CONFLICT, "not-holder", "Not the holder of the lock",
				"This token does not hold the lock: it never did, or the lock has expired or was released.");
	}

}
