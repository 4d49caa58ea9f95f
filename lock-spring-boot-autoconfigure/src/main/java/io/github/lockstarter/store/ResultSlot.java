package io.github.lockstarter.store;

import java.time.Duration;

/**
 * Which results of a lock belong together.
 *
 * @param name tells them from other results of the same lock, which are for others; any
 * text of any length
 * @param keep how long a result is kept; in whole milliseconds
 * @param replayed whether a result is for everybody who comes while it is kept; otherwise
 * only for those who waited for the lock when it came
 */
public record ResultSlot(String name, Duration keep, boolean replayed) {

}
