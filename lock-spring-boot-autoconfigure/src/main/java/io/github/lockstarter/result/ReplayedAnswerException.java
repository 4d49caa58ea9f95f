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
public final class ReplayedAnswerException extends ResponseStatusException {

	private final transient Response answer;

	public ReplayedAnswerException(Response answer) {
		super(HttpStatusCode.valueOf(answer.status()), answer.reason());
		this.answer = answer;
	}

	/** Returns the response. */
	public Response answer() {
		return this.answer;
	}

}
