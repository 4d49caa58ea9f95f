package io.github.lockstarter;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happened to the locks of an application since it started, by the name of
 * the lock, never by its key. A bean of this type is there to be read, as in
 * {@code counts.get("reports", Event.CONTENDED)}.
 */
public final class LockCounts {

	private final Map<String, Map<Event, LongAdder>> counts = new ConcurrentHashMap<>();

	/**
	 * Adds one.
	 * @param lockName the name of the lock
	 * @param event what happened
	 */
	public void add(String lockName, Event event) {
		Map<Event, LongAdder> ofName = this.counts.get(lockName);
		if (ofName == null) {
			ofName = this.counts.computeIfAbsent(lockName, (name) -> zeros());
		}
		Objects.requireNonNull(ofName.get(event)).increment();
	}

	/** Complete from the beginning, so that it can be read by all threads. */
	private static Map<Event, LongAdder> zeros() {
		Map<Event, LongAdder> zeros = new EnumMap<>(Event.class);
		EnumSet.allOf(Event.class).forEach((event) -> zeros.put(event, new LongAdder()));
		return zeros;
	}

	/**
	 * Returns how often it happened.
	 * @param lockName the name of the lock
	 * @param event what happened
	 * @return how often, in this application
	 */
	public long get(String lockName, Event event) {
		Map<Event, LongAdder> ofName = this.counts.get(lockName);
		return (ofName != null) ? Objects.requireNonNull(ofName.get(event)).sum() : 0;
	}

	/**
	 * Returns the names of the locks to which something has happened.
	 * @return the names
	 */
	public Set<String> lockNames() {
		return Set.copyOf(this.counts.keySet());
	}

	/**
	 * What is counted.
	 */
	public enum Event {

		/** Somebody wanted a lock that was taken; whether it got it later or not. */
		CONTENDED,

		/** Somebody who waited was given the result of the holder. */
		SHARED,

		/** A later duplicate was given a stored result. */
		REPLAYED,

		/** A result was larger than {@code lock.share.max-size}, so nobody got it. */
		TOO_LARGE,

		/** A result could not be written as JSON, so nobody else got it. */
		NOT_WRITABLE,

		/** A stored result could not be read, so it was taken for absent. */
		NOT_READABLE

	}

}
