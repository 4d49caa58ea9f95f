package io.github.lockstarter.interceptor;

import io.github.lockstarter.completion.CallResponse;
import io.github.lockstarter.result.SharedResult;

/**
 * The response to a request whose handler is an annotated method.
 */
public interface HandlerResponse extends CallResponse {

	/**
	 * Marks that the handler is about to be called. If an earlier call of it failed, that
	 * failure is not the response.
	 */
	void callAgain();

	/**
	 * Marks the response as replayed.
	 * @return whether the response is complete without the handler
	 */
	boolean replay(SharedResult result);

}
