package io.github.lockstarter.result;

import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.result.SharedResult.Response;

/**
 * Thrown to respond to a call with the response to an earlier one, which failed, or whose
 * result was the name of a view. The web framework that calls a handler sends the
 * response instead of this exception. Other callers receive an exception with the status
 * of the response.
 */
public final class ReplayedResponseException extends ResponseStatusException {

	private final transient Response response;

	public ReplayedResponseException(Response response) {
		super(HttpStatusCode.valueOf(response.status()), response.reason());
		this.response = response;
	}

	/** Returns the response. */
	public Response response() {
		return this.response;
	}

}
