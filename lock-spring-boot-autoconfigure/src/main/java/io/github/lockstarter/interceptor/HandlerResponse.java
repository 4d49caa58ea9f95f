package io.github.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult;

/**
 * The response to a request whose handler is an annotated method.
 */
public interface HandlerResponse {

	/**
	 * Marks that the handler is about to be called. If an earlier call of it failed, that
	 * failure is not the answer.
	 */
	void callAgain();

	/**
	 * Returns whether the web framework notifies of the answer at the end of the request,
	 * so that it can be kept for later duplicates.
	 */
	boolean notifiesOfAnswer();

	/**
	 * Returns the status and headers that the handler has set; {@code null} if it has
	 * written the response itself.
	 */
	@Nullable ResponseHead head();

	/**
	 * Marks the response as replayed, and sets the status and headers of the original
	 * call.
	 * @return whether the response is complete without the handler
	 */
	boolean replay(SharedResult result);

}
