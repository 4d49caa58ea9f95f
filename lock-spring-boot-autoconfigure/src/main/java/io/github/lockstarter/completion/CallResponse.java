package io.github.lockstarter.completion;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.result.SharedResult.Response;

/**
 * The response to the request of a call.
 */
public interface CallResponse {

	/**
	 * Makes the response from the value that the handler returned, before the handler's
	 * transaction ends. It is sent if the handler returns that value.
	 * @return the response; {@code null} if it is known only later
	 */
	@Nullable Response make(@Nullable Object value);

	/**
	 * Returns the status that the handler has set; {@code null} if it has not set any, or
	 * if this thread does not handle the request.
	 */
	@Nullable Integer status();

}
