package io.github.lockstarter.store;

import java.time.Duration;

/**
 * Identifies those results of a lock that are shared with each other's callers.
 *
 * @param name the name that distinguishes them from other results of the same lock; any
 * text of any length
 * @param keep the time for which a result is kept; in whole milliseconds
 * @param replayed whether a result is for every caller that arrives while it is kept;
 * otherwise it is only for the callers that waited for the lock when the result was
 * stored
 */
public record ResultKey(String name, Duration keep, boolean replayed) {

}
