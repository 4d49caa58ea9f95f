package io.github.lockstarter.result;

import org.jspecify.annotations.Nullable;

/**
 * The first line of a result.
 *
 * @param shape the {@link TypeShape} of the value; empty if the result is an
 * {@linkplain SharedResult.Answered answer}
 * @param arguments a digest of the arguments of the call
 * @param entity the status and the headers of an entity; {@code null} if the value is not
 * an entity
 * @param response the status and the headers of the response
 * @param reason the message that was passed to the error page
 */
public record ResultHead(String shape, String arguments, @Nullable ResponseHead entity, ResponseHead response,
		@Nullable String reason) {

}
