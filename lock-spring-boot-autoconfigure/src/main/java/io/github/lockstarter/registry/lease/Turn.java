package io.github.lockstarter.registry.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.lockstarter.TokenLocks.TokenLock;

/**
 * The leases that this JVM hands off, one after the other, under one owner token; at
 * first, the acquisition that may begin it. A turn is bounded in count and in time, so
 * that other instances get the lock, too (lock cohorting).
 * <p>
 * The fencing token of a lease is the number that the store gave to the turn, and in the
 * lowest bits the place within the turn.
 *
 * @param owner 128 random bits that no other turn has, or the token that is to hold the
 * lock
 * @param asked when the store was asked, on the clock of the runtime: before the store
 * received it, so that a deadline counted from it is no later than the store's own
 * @param ttl the time to live that was asked for
 */
public record Turn(String owner, long asked, Duration ttl) {

	private static final int PLACE_BITS = 4;

	/** With sixteen leases, letting another instance in costs each of them little. */
	private static final long LAST_PLACE = (1 << PLACE_BITS) - 1;

	private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(50);

	/** Returns when the lock ends in the store if it is not renewed. */
	public long deadline() {
		return this.asked + this.ttl.toNanos();
	}

	/** Returns whether the lock may have ended in the store. */
	public boolean isOver(long now) {
		return deadline() - now <= 0;
	}

	/** Returns what a token holds that is not part of this JVM. */
	public TokenLock held(long storeToken, boolean extended, long now) {
		return new TokenLock(this.owner, firstToken(storeToken), Duration.ofNanos(Math.max(deadline() - now, 0)),
				extended);
	}

	/** Returns the fencing token of the first lease of the turn. */
	public static long firstToken(long storeToken) {
		return storeToken << PLACE_BITS;
	}

	/** Returns what the store gave to the turn of a lease. */
	public static long storeToken(long fencingToken) {
		return fencingToken >> PLACE_BITS;
	}

	/**
	 * Returns whether another lease may follow in this turn.
	 * @param fencingToken the token of the last lease
	 * @param next the time to live of the next one
	 */
	public boolean allowsAnother(long fencingToken, Duration next, long now) {
		// A turn is over before the first renewal is due.
		long longest = Math.min(LONGEST, this.ttl.toNanos() / 8);
		return (fencingToken & LAST_PLACE) < LAST_PLACE && next.equals(this.ttl) && now - this.asked < longest;
	}

}
