package io.github.lockstarter.operation;

/**
 * What happens to a request without a principal whose response is to be replayed.
 */
public enum AnonymousReplay {

	/**
	 * It shares its response with all requests without a principal. If it carries
	 * credentials that the application checks itself, it shares the response only with
	 * requests that carry the same ones, and a warning is logged. A request with the same
	 * key and other credentials is rejected with status 422.
	 */
	ALLOW,

	/** It is rejected with status 400. */
	REJECT

}
