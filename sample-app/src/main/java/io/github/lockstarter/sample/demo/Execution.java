package io.github.lockstarter.sample.demo;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One run of a handler, as the server that ran it wrote it down.
 *
 * @param request the number of the request
 * @param server the server
 * @param started when it began
 * @param ended when it ended, if it has
 */
record Execution(int request, String server, Instant started, @Nullable Instant ended) {

}
