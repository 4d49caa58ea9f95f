package io.github.lockstarter.web;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

import org.springframework.context.MessageSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.util.Assert;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockException;

/**
 * Creates the problem details for a {@link LockException}, in the language of the
 * request. Messages of the application take precedence over those of the library, which
 * exist in English and Japanese. The codes are {@code problemDetail.title.lock.*} and
 * {@code problemDetail.lock.*}, each followed by the last segment of the problem type.
 */
public final class LockProblems {

	private final MessageSource application;

	private final String baseUri;

	/**
	 * Creates the problems.
	 * @param application the messages of the application
	 * @param baseUri the start of each problem type, by default
	 * {@link LockException#PROBLEM_BASE_URI}
	 * @throws IllegalArgumentException if it is not the start of a URI
	 * @see #checkBaseUri
	 */
	public LockProblems(MessageSource application, String baseUri) {
		checkBaseUri(baseUri);
		this.application = application;
		this.baseUri = baseUri;
	}

	/**
	 * Checks that problem types with this start are URIs, in whose last segment clients
	 * recognize the problem.
	 * @throws IllegalArgumentException if they are not
	 */
	public static void checkBaseUri(String baseUri) {
		Assert.isTrue(baseUri.matches(".*[/#:]"), "It must end with '/', '#' or ':', before the name of a problem");
		Assert.isTrue(baseUri.chars().allMatch((each) -> each < 0x80), "It must be ASCII");
		try {
			new URI(baseUri + "request-in-progress");
		}
		catch (URISyntaxException ex) {
			throw new IllegalArgumentException("It must be the start of a URI: " + ex.getReason(), ex);
		}
	}

	/**
	 * Returns the body of the response.
	 * @param exception the exception to respond to
	 * @param locale the language of the response
	 * @return the body, including title and detail
	 */
	public ProblemDetail describe(LockException exception, Locale locale) {
		return withBaseUri(exception.localizedBody(this.application, locale));
	}

	/**
	 * Sets the start of the type of a problem of this library.
	 * @param problem the body of a response; the types of other problems do not change
	 * @return the same body
	 */
	public ProblemDetail withBaseUri(ProblemDetail problem) {
		String type = String.valueOf(problem.getType());
		if (type.startsWith(LockException.PROBLEM_BASE_URI)) {
			problem.setType(URI.create(this.baseUri + type.substring(LockException.PROBLEM_BASE_URI.length())));
		}
		return problem;
	}

	/** Returns what the client can do, for protocols that have no HTTP status. */
	public static ProblemKind kind(LockException exception) {
		if (exception instanceof LockConflictException conflict) {
			return (conflict.getConflictReason() == ConflictReason.QUEUE_FULL) ? ProblemKind.OVERLOAD
					: ProblemKind.CONFLICT;
		}
		if (exception instanceof LeaseLostException) {
			return ProblemKind.CONFLICT;
		}
		if (exception.getStatusCode().is5xxServerError()) {
			return ProblemKind.UNAVAILABLE;
		}
		return (exception.getStatusCode().isSameCodeAs(HttpStatus.BAD_REQUEST)
				|| exception.getStatusCode().isSameCodeAs(HttpStatus.CONTENT_TOO_LARGE)) ? ProblemKind.INVALID
						: ProblemKind.REUSED_KEY;
	}

	/**
	 * What a client can do about a problem.
	 */
	public enum ProblemKind {

		/** Repeat the whole operation later. */
		CONFLICT,

		/** Repeat the whole operation later, when fewer clients wait. */
		OVERLOAD,

		/** Repeat the request later. */
		UNAVAILABLE,

		/** Correct the request. */
		INVALID,

		/** Use another key. */
		REUSED_KEY

	}

}
