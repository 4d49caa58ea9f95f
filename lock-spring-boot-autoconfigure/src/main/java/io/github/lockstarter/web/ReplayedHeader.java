package io.github.lockstarter.web;

/**
 * The header that marks a response as the result of another request.
 */
public final class ReplayedHeader {

	/** The name of the header. */
	public static final String NAME = "Idempotent-Replayed";

	/** The value of the header. */
	public static final String VALUE = "true";

	private ReplayedHeader() {
	}

}
