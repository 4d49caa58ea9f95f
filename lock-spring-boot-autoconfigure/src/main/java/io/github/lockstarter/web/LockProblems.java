package io.github.lockstarter.web;

import java.util.Locale;

import org.springframework.context.MessageSource;
import org.springframework.http.ProblemDetail;

import io.github.lockstarter.LockException;

/**
 * Words the answer to a {@link LockException}, in the language of the request: with the
 * application's messages where it has them, otherwise with those that come with the
 * library, in English and Japanese. The codes are {@code problemDetail.title.lock.*} and
 * {@code problemDetail.lock.*}, each with the last segment of the problem type.
 */
public final class LockProblems {

	private final MessageSource application;

	/**
	 * Creates the problems.
	 * @param application the messages to prefer
	 */
	public LockProblems(MessageSource application) {
		this.application = application;
	}

	/**
	 * Returns the body of the answer.
	 * @param exception what happened
	 * @param locale the language to answer in
	 * @return the body, title and detail included
	 */
	public ProblemDetail describe(LockException exception, Locale locale) {
		return exception.updateAndGetBody(this.application, locale);
	}

}
