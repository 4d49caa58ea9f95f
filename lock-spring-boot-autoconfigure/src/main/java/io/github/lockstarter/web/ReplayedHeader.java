package io.github.lockstarter.web;

/**
 * The header that tells a client that it gets the result of another request.
 */
public final class ReplayedHeader {

	/** Its name. */
	public static final String NAME = "Idempotent-Replayed";

	/** Its value. */
	public static final String VALUE = "true";

	private ReplayedHeader() {
	}

}
