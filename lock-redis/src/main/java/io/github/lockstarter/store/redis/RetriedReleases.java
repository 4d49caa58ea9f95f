package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * Releases locks, and retries until Redis has answered or the lease has expired. The
 * driver repeats commands in flight when a connection is closed, but not all of them when
 * the connection is reset, and none when it is replaced.
 * <p>
 * Each release compares the owner, so that it can safely be sent twice. Only the number
 * of retried releases is bounded here: that of the others is bounded by the number of
 * leases.
 */
final class RetriedReleases {

	private static final long FIRST_PAUSE_MILLIS = 20;

	private static final long LONGEST_PAUSE_MILLIS = 500;

	/** Locks whose releases fail beyond this number are left to expire. */
	private static final int MOST_RETRIED = 1000;

	/**
	 * Permanent errors. All others may be transient: Redis is busy, loads its data, has
	 * no master or too few replicas, cannot save, moves a slot, or does not accept the
	 * credentials of this connection.
	 */
	private static final Set<String> FINAL_ERRORS = Set.of("ERR", "NOPERM", "NOSCRIPT", "WRONGTYPE");

	/** A power of two: 16 KB. */
	private static final int PLACES = 4096;

	/**
	 * A release does not know when its lock expires, so it is retried for the longest
	 * time to live of this store. It is retried for at least this time, because another
	 * instance may have acquired the lock with a longer time to live.
	 */
	private static final long SHORTEST_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final WatchedConnection connection;

	private final Set<Release> retried = ConcurrentHashMap.newKeySet();

	/**
	 * The number of acquisitions by owners that may have released the lock before, by the
	 * hash of lock and owner. If two of them share a hash, the lock of one may be left to
	 * expire.
	 */
	private final AtomicIntegerArray reacquired = new AtomicIntegerArray(PLACES);

	private final AtomicLong longestTtl = new AtomicLong(SHORTEST_NANOS);

	RetriedReleases(WatchedConnection connection) {
		this.connection = connection;
	}

	/** Records the time to live of a lock that may be granted. */
	void noteTtl(Duration ttl) {
		this.longestTtl.accumulateAndGet(ttl.toNanos(), Math::max);
	}

	/**
	 * Returns the release of a lock by its owner. It begins now, and is sent when it
	 * receives a connection.
	 * @param outcome receives the reply, and the failure of an earlier attempt, which may
	 * have released the lock; or the failure if there is no reply
	 */
	Consumer<RedisClusterAsyncCommands<byte[], byte[]>> release(LockKey key, String owner, StoreCommand<Long> script,
			BiConsumer<@Nullable Long, @Nullable Throwable> outcome) {
		return new Release(place(key, owner), script, this.longestTtl.get(), outcome, false)::attempt;
	}

	/**
	 * Releases a lock that may have been granted without the knowledge of its owner.
	 * @param inFlight whether it may be granted even after the first attempt, because its
	 * command may still be in flight: a server that stood still may execute it long after
	 * its failure, and the time to live begins then
	 */
	void undo(LockKey key, String owner, Duration ttl, StoreCommand<Long> script, boolean inFlight) {
		long nanos = inFlight ? Math.max(ttl.toNanos(), SHORTEST_NANOS) : ttl.toNanos();
		new Release(place(key, owner), script, nanos, (number, failure) -> {
		}, inFlight).attemptWhenConnected();
	}

	/**
	 * Cancels earlier releases of the lock, because its owner acquires it again. Releases
	 * that have been sent already reach Redis before the acquire if both use one
	 * connection. Grants that replicas have to acknowledge use a connection of their own,
	 * and a connection may have been replaced in between. In these cases, a release may
	 * arrive later, and release the lock that was acquired again.
	 */
	void cancel(LockKey key, String owner) {
		this.reacquired.incrementAndGet(place(key, owner));
	}

	private static int place(LockKey key, String owner) {
		int hash = 31 * key.hashCode() + owner.hashCode();
		return (hash ^ (hash >>> 16)) & (PLACES - 1);
	}

	/** Returns whether a later attempt may have another outcome. */
	static boolean isTransient(Throwable failure) {
		return !(failure instanceof RedisCommandExecutionException)
				|| !FINAL_ERRORS.contains(String.valueOf(failure.getMessage()).split(" ", 2)[0]);
	}

	/**
	 * The release of one lock.
	 */
	private final class Release {

		private final StoreCommand<Long> script;

		private final int place;

		/** The number of acquisitions at the start of this release. */
		private final int begun;

		private final long deadline;

		private final BiConsumer<@Nullable Long, @Nullable Throwable> outcome;

		private boolean inFlight;

		/** The failure of the last attempt, whose effect is unknown, if there was one. */
		private @Nullable Throwable failure;

		private long pause = FIRST_PAUSE_MILLIS;

		Release(int place, StoreCommand<Long> script, long nanos,
				BiConsumer<@Nullable Long, @Nullable Throwable> outcome, boolean inFlight) {
			this.script = script;
			this.place = place;
			this.begun = RetriedReleases.this.reacquired.get(place);
			this.deadline = System.nanoTime() + nanos;
			this.outcome = outcome;
			this.inFlight = inFlight;
		}

		void attempt(RedisClusterAsyncCommands<byte[], byte[]> redis) {
			if (isCancelled()) {
				end(null, this.failure);
			}
			else {
				this.script.send(redis, () -> false, this::answered);
			}
		}

		/**
		 * Returns whether the owner has acquired the lock again since the start of this
		 * release.
		 */
		private boolean isCancelled() {
			return RetriedReleases.this.reacquired.get(this.place) != this.begun;
		}

		void attemptWhenConnected() {
			RedisClusterAsyncCommands<byte[], byte[]> redis = RetriedReleases.this.connection.connector()
				.openOrConnect();
			if (redis != null) {
				attempt(redis);
			}
			else {
				retryLater();
			}
		}

		private void answered(@Nullable Long number, @Nullable Throwable failure) {
			if (failure != null) {
				RetriedReleases.this.connection.watch().failed(failure);
			}
			if (failure != null && isTransient(failure)) {
				this.failure = failure;
				retryLater();
			}
			else if (number != null && number == 0 && this.inFlight) {
				this.inFlight = false;
				this.pause = LONGEST_PAUSE_MILLIS;
				retryLater();
			}
			else {
				end(number, (failure != null) ? failure : this.failure);
			}
		}

		private void retryLater() {
			Set<Release> retried = RetriedReleases.this.retried;
			boolean inTime = System.nanoTime() - this.deadline < 0;
			if (!inTime || isCancelled() || (retried.size() >= MOST_RETRIED && !retried.contains(this))) {
				end(null, this.failure);
				return;
			}
			retried.add(this);
			long pause = this.pause;
			this.pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
			if (!RetriedReleases.this.connection.timer().after(pause, this::attemptWhenConnected)) {
				end(null, this.failure);
			}
		}

		private void end(@Nullable Long number, @Nullable Throwable failure) {
			RetriedReleases.this.retried.remove(this);
			this.outcome.accept(number, failure);
		}

	}

}
