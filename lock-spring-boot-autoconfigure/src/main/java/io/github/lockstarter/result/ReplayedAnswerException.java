package io.github.lockstarter.result;

import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.result.SharedResult.Answered;

/**
 * The call is answered with the answer to an earlier one, which failed, or whose result
 * was the name of a view. The web framework that calls a handler sends the answer in the
 * place of this exception; other callers get an exception with its status.
 */
public final class ReplayedAnswerException extends ResponseStatusException {

	private final transient Answered answer;

	public ReplayedAnswerException(Answered answer) {
		super(HttpStatusCode.valueOf(answer.status()), answer.reason());
		this.answer = answer;
	}

	/** Returns the answer. */
	public Answered answer() {
		return this.answer;
	}

}
