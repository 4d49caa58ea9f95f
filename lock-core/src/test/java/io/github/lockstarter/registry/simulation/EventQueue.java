package io.github.lockstarter.registry.simulation;

import java.util.PriorityQueue;

/**
 * The events of a schedule, ordered by their times, and at equal times by insertion. Time
 * is virtual, in nanoseconds since the beginning of the schedule, and is not the clock of
 * any process.
 */
final class EventQueue {

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private long now;

	private long added;

	private long steps;

	/** A fingerprint that differs between two runs as soon as their events differ. */
	private long fingerprint;

	long now() {
		return this.now;
	}

	long steps() {
		return this.steps;
	}

	long fingerprint() {
		return this.fingerprint;
	}

	void at(long time, Runnable action) {
		this.events.add(new Event(Math.max(time, this.now), this.added++, action));
	}

	/** Returns the time of the next event, or the maximum time. */
	long nextTime() {
		Event next = this.events.peek();
		return (next != null) ? next.time() : Long.MAX_VALUE;
	}

	void runNext() {
		Event next = this.events.remove();
		this.now = next.time();
		this.steps++;
		this.fingerprint = 31 * (31 * this.fingerprint + next.time()) + next.number();
		next.action().run();
	}

	private record Event(long time, long number, Runnable action) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			return (this.time != other.time) ? Long.compare(this.time, other.time)
					: Long.compare(this.number, other.number);
		}

	}

}
