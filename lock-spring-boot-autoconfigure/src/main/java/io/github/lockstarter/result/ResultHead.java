package io.github.lockstarter.result;

import org.jspecify.annotations.Nullable;

/**
 * The first line of a stored result.
 *
 * @param kind the kind of the result
 * @param fingerprint the fingerprint of the call
 * @param shape the {@link TypeShape} of a value; {@code null} for other kinds
 * @param head the status and the headers of a response, or of a value that is an entity
 * @param reason the message that was passed to the error page
 * @param length the number of characters of a body that is text, whose lines could
 * otherwise be cut off unnoticed; {@code null} for other kinds
 */
public record ResultHead(ResultKind kind, String fingerprint, @Nullable String shape, @Nullable ResponseHead head,
		@Nullable String reason, @Nullable Integer length) {

	/** The kinds of results. */
	public enum ResultKind {

		/** JSON of the declared type. */
		VALUE,

		/** A response whose body is text. */
		TEXT,

		/** A response whose body is stored in Base64. */
		BINARY,

		/** A response that the application's error page writes. */
		ERROR_PAGE,

		/** There was a result, and it is not kept. */
		UNAVAILABLE

	}

}
