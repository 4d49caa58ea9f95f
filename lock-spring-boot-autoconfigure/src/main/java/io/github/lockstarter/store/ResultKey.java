package io.github.lockstarter.store;

import java.time.Duration;

/**
 * Identifies the results of a lock that belong together.
 *
 * @param name distinguishes them from other results of the same lock; any text of any
 * length
 * @param keep how long a result is kept; in whole milliseconds
 * @param replayed whether a result is for every caller that arrives while it is kept;
 * otherwise only for the callers that waited for the lock when it was stored
 */
public record ResultKey(String name, Duration keep, boolean replayed) {

}
