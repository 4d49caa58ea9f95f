package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.lockstarter.TokenLocks.TokenLock;

/**
 * One attempt to take a lock in the store, and once it is granted, the turn of those who
 * hold the lock one after the other in this JVM. A turn is bounded in count and in time,
 * so that others get the lock, too.
 * <p>
 * The fencing token of a lease is the number that the store gave to the turn, and in the
 * lowest bits the place within the turn.
 *
 * @param owner 128 random bits that no other attempt has, or the token that is to hold
 * the lock
 * @param asked when it was made, in {@link System#nanoTime()}: before the store heard of
 * it, so that a deadline counted from it comes no later than the store's own
 * @param ttl the time to live that was asked for
 */
record Bid(String owner, long asked, Duration ttl) {

	private static final int PLACE_BITS = 4;

	/** With sixteen leases, letting another instance in costs each of them little. */
	private static final long LAST_PLACE = (1 << PLACE_BITS) - 1;

	private static final long LONGEST_TURN = TimeUnit.MILLISECONDS.toNanos(50);

	static Bid now(String owner, Duration ttl) {
		return new Bid(owner, System.nanoTime(), ttl);
	}

	/** Returns when the lock ends in the store if nobody renews it. */
	long deadline() {
		return this.asked + this.ttl.toNanos();
	}

	/** Returns whether the lock may have ended in the store. */
	boolean isOver() {
		return deadline() - System.nanoTime() <= 0;
	}

	/** Returns what the owner holds that is not part of this JVM. */
	TokenLock held(long storeToken, boolean extended) {
		Duration remaining = Duration.ofNanos(Math.max(deadline() - System.nanoTime(), 0));
		return new TokenLock(this.owner, firstToken(storeToken), remaining, extended);
	}

	/** Returns the fencing token of the first lease of the turn. */
	static long firstToken(long storeToken) {
		return storeToken << PLACE_BITS;
	}

	/** Returns what the store gave to the turn of a lease. */
	static long storeToken(long fencingToken) {
		return fencingToken >> PLACE_BITS;
	}

	/** Returns whether another lease may follow in this turn. */
	boolean goesOn(long token, Duration ttl) {
		// A turn is over before the first renewal is due.
		long longest = Math.min(LONGEST_TURN, this.ttl.toNanos() / 8);
		return (token & LAST_PLACE) < LAST_PLACE && ttl.equals(this.ttl) && System.nanoTime() - this.asked < longest;
	}

}
