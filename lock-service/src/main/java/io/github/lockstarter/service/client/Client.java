package io.github.lockstarter.service.client;

import java.time.Duration;

/**
 * A client of the service. Clients do not share locks: each has its own lock names.
 *
 * @param name the name; empty if the service is open
 * @param maxTtl the longest time to live that it may request
 * @param maxWait the longest wait time that it may request
 * @param maxLocks the largest number of locks of this instance that it may hold at a time
 */
public record Client(String name, Duration maxTtl, Duration maxWait, int maxLocks) {

	/** Returns the name of its locks in the library. */
	public String lockName() {
		return this.name.isEmpty() ? "service" : "service." + this.name;
	}

}
