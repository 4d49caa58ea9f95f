package io.github.lockstarter.completion;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.result.SharedResult.Response;

/**
 * The response to the request of a call.
 */
public interface CallResponse {

	/**
	 * Returns whether the web framework notifies of the response at the end of the
	 * request, so that it can be kept for later duplicates.
	 */
	boolean notifiesOfResponse();

	/**
	 * Makes the response from the value that the handler returned, before the handler's
	 * transaction ends. It is sent if the handler returns that value.
	 * @return the response; {@code null} if it is known only later
	 */
	@Nullable Response make(@Nullable Object value);

	/**
	 * Makes the response like {@link #make}, without blocking a thread. By default it is
	 * known only later.
	 * @return completes with the response; with {@code null} if it is known only later
	 */
	default CompletionStage<@Nullable Response> makeLater(@Nullable Object value) {
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Returns the status that the handler has set; {@code null} if it has not set any, or
	 * if this thread does not handle the request.
	 */
	@Nullable Integer status();

}
