package io.github.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult;

/**
 * The response to a request whose handler is an annotated method.
 */
public interface HandlerResponse {

	/**
	 * Marks that the handler is about to be called: if it has been called before, and
	 * failed, its failure is not the answer.
	 */
	void callAgain();

	/**
	 * Returns whether the web framework notifies of the answer at the end of the request,
	 * so that it can be kept for later duplicates.
	 */
	boolean notifiesOfAnswer();

	/**
	 * Returns what the handler has set on the response; {@code null} if it has written
	 * the response itself.
	 */
	@Nullable ResponseHead head();

	/**
	 * Marks the response as replayed, and sets what the handler had set there in another
	 * call.
	 * @return whether the response needs nothing from the handler any more
	 */
	boolean replay(SharedResult result);

}
