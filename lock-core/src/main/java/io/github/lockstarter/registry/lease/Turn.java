package io.github.lockstarter.registry.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.lockstarter.TokenLocks.TokenLock;

/**
 * A sequence of leases that this instance hands off under one owner token (lock
 * cohorting). It begins with an acquire command. A turn is bounded in count and in time,
 * so that other instances can acquire the lock.
 * <p>
 * The fencing token of a lease consists of the fencing token that the store granted to
 * the turn and, in the lowest bits, the position within the turn.
 *
 * @param owner the owner token: 128 random bits, unique for the turn, or the token of a
 * {@link io.github.lockstarter.TokenLocks token lock}
 * @param asked the time of the acquire command on the clock of the runtime. It is before
 * the store received the command, so that a deadline counted from it is no later than the
 * expiry in the store
 * @param ttl the time to live of the command
 */
public record Turn(String owner, long asked, Duration ttl) {

	private static final int PLACE_BITS = 4;

	/**
	 * With sixteen leases per turn, yielding to another instance costs each of them
	 * little.
	 */
	private static final long LAST_PLACE = (1 << PLACE_BITS) - 1;

	private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(50);

	/** Returns the time at which the lock expires in the store if it is not renewed. */
	public long deadline() {
		return this.asked + this.ttl.toNanos();
	}

	/** Returns whether the lock may have expired in the store. */
	public boolean isOver(long now) {
		return deadline() - now <= 0;
	}

	/** Returns the lock that a token holds. */
	public TokenLock held(long storeToken, boolean extended, long now) {
		return new TokenLock(this.owner, firstToken(storeToken), Duration.ofNanos(Math.max(deadline() - now, 0)),
				extended);
	}

	/** Returns the fencing token of the first lease of the turn. */
	public static long firstToken(long storeToken) {
		return storeToken << PLACE_BITS;
	}

	/** Returns the fencing token that the store granted to the turn of a lease. */
	public static long storeToken(long fencingToken) {
		return fencingToken >> PLACE_BITS;
	}

	/**
	 * Returns whether another lease may follow in this turn.
	 * @param fencingToken the token of the last lease
	 * @param next the time to live of the next one
	 */
	public boolean allowsAnother(long fencingToken, Duration next, long now) {
		// A turn ends before its first renewal is due.
		long longest = Math.min(LONGEST, this.ttl.toNanos() / 8);
		return (fencingToken & LAST_PLACE) < LAST_PLACE && next.equals(this.ttl) && now - this.asked < longest;
	}

}
