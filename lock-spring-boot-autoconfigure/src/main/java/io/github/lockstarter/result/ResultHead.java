package io.github.lockstarter.result;

import org.jspecify.annotations.Nullable;

/**
 * The first line of a result.
 *
 * @param shape the {@link TypeShape} of the value; empty if the result is an
 * {@linkplain SharedResult.Answered answer}
 * @param arguments a digest of the arguments that the result is for
 * @param entity the status and the headers of an entity; {@code null} if the value is
 * none
 * @param response the status and the headers of the response
 * @param reason what the error page was told
 */
public record ResultHead(String shape, String arguments, @Nullable ResponseHead entity, ResponseHead response,
		@Nullable String reason) {

}
