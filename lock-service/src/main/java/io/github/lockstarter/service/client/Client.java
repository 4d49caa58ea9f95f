package io.github.lockstarter.service.client;

import java.time.Duration;

/**
 * A user of the service. Clients share nothing: each has lock names of its own.
 *
 * @param name the name; empty where the service is open to everybody
 * @param maxTtl the longest time to live that it may ask for
 * @param maxWait the longest wait that it may ask for
 * @param maxLocks how many locks it may hold at a time that this server granted
 */
public record Client(String name, Duration maxTtl, Duration maxWait, int maxLocks) {

	/** Returns the name of its locks, in the sense of the library. */
	public String lockName() {
		return this.name.isEmpty() ? "service" : "service." + this.name;
	}

}
