package io.github.lockstarter;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happened to the locks of an application since it started, by the name of
 * the lock, never by its key. A bean of this type is there to be read, as in
 * {@code counts.get("reports", Event.CONTENDED)}.
 */
public final class LockCounts {

	private final Map<Counted, LongAdder> counts = new ConcurrentHashMap<>();

	/**
	 * Adds one.
	 * @param lockName the name of the lock
	 * @param event what happened
	 */
	public void add(String lockName, Event event) {
		this.counts.computeIfAbsent(new Counted(lockName, event), (counted) -> new LongAdder()).increment();
	}

	/**
	 * Returns how often it happened.
	 * @param lockName the name of the lock
	 * @param event what happened
	 * @return how often, in this application
	 */
	public long get(String lockName, Event event) {
		LongAdder count = this.counts.get(new Counted(lockName, event));
		return (count != null) ? count.sum() : 0;
	}

	/**
	 * Returns all that has happened.
	 * @return how often what happened, by name of the lock; what never happened is left
	 * out
	 */
	public Map<String, Map<Event, Long>> all() {
		Map<String, Map<Event, Long>> all = new TreeMap<>();
		this.counts.forEach((counted, count) -> all.computeIfAbsent(counted.lockName(), (name) -> new TreeMap<>())
			.put(counted.event(), count.sum()));
		return all;
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

	private record Counted(String lockName, Event event) {
	}

}
