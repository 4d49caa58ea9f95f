package io.github.lockstarter.store.memcached;

import java.time.Duration;

import org.springframework.util.Assert;

import static org.springframework.format.annotation.DurationFormat.Style.COMPOSITE;
import static org.springframework.format.datetime.standard.DurationFormatterUtils.print;

/**
 * The value of a lock in memcached: the owner and the end of its lease, which memcached
 * itself does not return. The end is only an estimate for callers, because it is written
 * and read with different clocks.
 *
 * @param owner the owner of the lock
 * @param end the end of the lease, in milliseconds since 1970
 * @param seconds the time for which memcached keeps the item
 */
record Item(String owner, long end, int seconds) {

	/** Memcached expires an item up to one second early. */
	private static final int EARLY = 1;

	static Item of(String owner, Duration ttl) {
		Assert.isTrue(ttl.compareTo(MemcachedLockStore.LONGEST_TTL) <= 0,
				() -> "Memcached cannot keep a lock for %s, but for at most %s".formatted(print(ttl, COMPOSITE),
						print(MemcachedLockStore.LONGEST_TTL, COMPOSITE)));
		int seconds = Math.toIntExact(ttl.plusSeconds(1).minusNanos(1).toSeconds()) + EARLY;
		return new Item(owner, System.currentTimeMillis() + ttl.toMillis(), seconds);
	}

	/**
	 * Parses a text that {@link #text()} has written. Any other text results in an item
	 * without an owner.
	 */
	static Item parse(String text) {
		int space = text.indexOf(' ');
		try {
			return (space > 0) ? new Item(text.substring(0, space), Long.parseLong(text.substring(space + 1)), 0)
					: new Item("", 0, 0);
		}
		catch (NumberFormatException ex) {
			return new Item("", 0, 0);
		}
	}

	String text() {
		return this.owner + " " + this.end;
	}

	boolean isOf(String owner) {
		return this.owner.equals(owner);
	}

	boolean hasSameOwnerAs(Item other) {
		return isOf(other.owner);
	}

	/** Returns the remaining time of the lease; zero if it should have ended. */
	Duration remaining() {
		return Duration.ofMillis(Math.max(this.end - System.currentTimeMillis(), 0));
	}

}
