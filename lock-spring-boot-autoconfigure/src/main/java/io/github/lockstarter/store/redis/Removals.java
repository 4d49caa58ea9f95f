package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.redis.RedisCalls.Request;

/**
 * Takes locks away from their owners, and repeats it until Redis has answered or the
 * lease has ended by itself. The driver repeats what was under way when a connection is
 * closed, but not all of it when the connection is reset, and none when it is replaced.
 * <p>
 * What is sent is a compare-and-delete, so it does no harm to send it twice. Only the
 * number of those that have failed is bounded: the others are bounded by the leases that
 * there were.
 */
final class Removals {

	private static final long FIRST_PAUSE_MILLIS = 20;

	private static final long LONGEST_PAUSE_MILLIS = 500;

	/** What has failed beyond this number ends with its time to live. */
	private static final int MOST_REPEATED = 1000;

	/**
	 * A release does not say for how long its lock would live, so it is repeated as long
	 * as any lock of this store may: but not for less than this, since another instance
	 * may have acquired it.
	 */
	private static final long SHORTEST_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final LettuceConnector connector;

	private final Set<Removal> repeated = ConcurrentHashMap.newKeySet();

	private volatile long longestTtl = SHORTEST_NANOS;

	Removals(LettuceConnector connector) {
		this.connector = connector;
	}

	/** Notes for how long a lock may live that is to be granted. */
	void mayLive(Duration ttl) {
		if (ttl.toNanos() > this.longestTtl) {
			this.longestTtl = ttl.toNanos();
		}
	}

	/**
	 * Takes a lock away that its owner releases.
	 * @param outcome is told the reply, and the failure of an earlier attempt, which may
	 * have done the work; or why there is no reply
	 */
	void release(LockKey key, String owner, RedisClusterAsyncCommands<byte[], byte[]> redis, Request<Long> script,
			BiConsumer<@Nullable Long, @Nullable Throwable> outcome) {
		new Removal(key, owner, script, this.longestTtl, outcome, false).attempt(redis);
	}

	/**
	 * Takes a lock away that was granted to nobody.
	 * @param mayCome whether it may be granted even after the first attempt, because its
	 * request may still be on the way
	 */
	void undo(LockKey key, String owner, Duration ttl, Request<Long> script, boolean mayCome) {
		new Removal(key, owner, script, ttl.toNanos(), (number, failure) -> {
		}, mayCome).attemptWhenConnected();
	}

	/** Ends what is being repeated: the owner acquires that lock once more. */
	void forget(LockKey key, String owner) {
		if (!this.repeated.isEmpty()) {
			this.repeated.removeIf((removal) -> removal.key.equals(key) && removal.owner.equals(owner));
		}
	}

	/** Returns how many are being repeated. */
	int repeated() {
		return this.repeated.size();
	}

	/**
	 * One of them.
	 */
	private final class Removal {

		private final LockKey key;

		private final String owner;

		private final Request<Long> script;

		private final long until;

		private final BiConsumer<@Nullable Long, @Nullable Throwable> outcome;

		private boolean mayCome;

		/** Why it is not known what the attempts so far have done, if there were any. */
		private @Nullable Throwable failure;

		private long pause = FIRST_PAUSE_MILLIS;

		Removal(LockKey key, String owner, Request<Long> script, long nanos,
				BiConsumer<@Nullable Long, @Nullable Throwable> outcome, boolean mayCome) {
			this.key = key;
			this.owner = owner;
			this.script = script;
			this.until = System.nanoTime() + nanos;
			this.outcome = outcome;
			this.mayCome = mayCome;
		}

		void attempt(RedisClusterAsyncCommands<byte[], byte[]> redis) {
			this.script.send(redis, () -> false, this::answered);
		}

		void attemptWhenConnected() {
			RedisClusterAsyncCommands<byte[], byte[]> redis = Removals.this.connector.openOrConnect();
			if (redis != null) {
				attempt(redis);
			}
			else {
				later();
			}
		}

		private void answered(@Nullable Long number, @Nullable Throwable failure) {
			if (failure != null && mayPass(failure)) {
				this.failure = failure;
				later();
			}
			else if (number != null && number == 0 && this.mayCome) {
				this.mayCome = false;
				this.pause = LONGEST_PAUSE_MILLIS;
				later();
			}
			else {
				end(number, (failure != null) ? failure : this.failure);
			}
		}

		/** What Redis refuses it will refuse again, unless it says that it is busy. */
		private static boolean mayPass(Throwable failure) {
			return !(failure instanceof RedisCommandExecutionException) || failure instanceof RedisBusyException
					|| failure instanceof RedisLoadingException || failure instanceof RedisReadOnlyException;
		}

		private void later() {
			Set<Removal> repeated = Removals.this.repeated;
			boolean inTime = System.nanoTime() - this.until < 0;
			if (!inTime || (repeated.size() >= MOST_REPEATED && !repeated.contains(this))) {
				end(null, this.failure);
				return;
			}
			repeated.add(this);
			long pause = this.pause;
			this.pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
			if (!Removals.this.connector.after(pause, this::repeat)) {
				end(null, this.failure);
			}
		}

		private void repeat() {
			if (Removals.this.repeated.contains(this)) {
				attemptWhenConnected();
			}
		}

		private void end(@Nullable Long number, @Nullable Throwable failure) {
			Removals.this.repeated.remove(this);
			this.outcome.accept(number, failure);
		}

	}

}
