package io.github.lockstarter.sample.demo;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One execution of a handler, as recorded by its instance.
 *
 * @param request the number of the request
 * @param instance the instance
 * @param started the time of its start
 * @param ended the time of its end, if it has ended
 */
record Execution(int request, String instance, Instant started, @Nullable Instant ended) {

}
