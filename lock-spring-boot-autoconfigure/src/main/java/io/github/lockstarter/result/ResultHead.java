package io.github.lockstarter.result;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The first line of a result.
 *
 * @param shape the {@link TypeShape} of what was written
 * @param arguments a digest of the arguments that the result is for
 * @param status the status of an entity
 * @param headers the headers of an entity
 */
public record ResultHead(String shape, String arguments, @Nullable Integer status, Map<String, List<String>> headers) {

}
