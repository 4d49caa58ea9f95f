package io.github.lockstarter.store.memcached;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * What memcached keeps of a lock: the owner, and when its lease ends, which memcached
 * does not return. That is only good for saying how long the lock may be held: it is
 * written by one clock and read by another.
 *
 * @param owner the owner of the lock
 * @param end when the lease ends, in milliseconds since 1970
 * @param seconds how long memcached is to keep it
 */
record Item(String owner, long end, int seconds) {

	/** Memcached ends an item up to a second early. */
	private static final int EARLY = 1;

	static Item of(String owner, Duration ttl) {
		Assert.isTrue(ttl.compareTo(MemcachedLockStore.LONGEST_TTL) <= 0,
				() -> "Memcached cannot keep a lock for %s, but for %s at most".formatted(ttl,
						MemcachedLockStore.LONGEST_TTL));
		int seconds = Math.toIntExact(ttl.plusSeconds(1).minusNanos(1).toSeconds()) + EARLY;
		return new Item(owner, System.currentTimeMillis() + ttl.toMillis(), seconds);
	}

	/** Reads what was written by {@link #text()}, or else has no owner. */
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

	/** Returns how long the lease lasts; zero if it should have ended. */
	Duration remaining() {
		return Duration.ofMillis(Math.max(this.end - System.currentTimeMillis(), 0));
	}

}
