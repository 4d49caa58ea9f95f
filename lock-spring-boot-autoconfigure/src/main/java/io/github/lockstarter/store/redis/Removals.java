package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * Takes locks away from their owners, and repeats it until Redis has answered or the
 * lease has ended by itself. The driver repeats what was under way when a connection is
 * closed, but not all of it when the connection is reset, and none when it is replaced.
 * <p>
 * Each is a compare-and-delete, so it does no harm to send it twice. Only the number of
 * failed removals is bounded here: the others are no more than there were leases.
 */
final class Removals {

	private static final long FIRST_PAUSE_MILLIS = 20;

	private static final long LONGEST_PAUSE_MILLIS = 500;

	/** Locks whose removals fail beyond this number end with their time to live. */
	private static final int MOST_REPEATED = 1000;

	/** A power of two: 16 KB. */
	private static final int PLACES = 4096;

	/**
	 * A release does not say for how long its lock would live, so it is repeated as long
	 * as any lock of this store may: but not for less than this, since another instance
	 * may have acquired it.
	 */
	private static final long SHORTEST_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final LettuceConnector connector;

	private final Set<Removal> repeated = ConcurrentHashMap.newKeySet();

	/**
	 * How often owners that may have released a lock before acquired it, by the hash of
	 * both. Where two of them share a place, the lock of one may be left to its time to
	 * live.
	 */
	private final AtomicIntegerArray reacquired = new AtomicIntegerArray(PLACES);

	private final AtomicLong longestTtl = new AtomicLong(SHORTEST_NANOS);

	Removals(LettuceConnector connector) {
		this.connector = connector;
	}

	/** Notes the time to live of a lock that may be granted. */
	void mayLive(Duration ttl) {
		this.longestTtl.accumulateAndGet(ttl.toNanos(), Math::max);
	}

	/**
	 * Returns the removal of a lock that its owner releases. It begins now, and is sent
	 * when it is given a connection.
	 * @param outcome gets the reply, and the failure of an earlier attempt, which may
	 * have done the work; or the reason why there is no reply
	 */
	Consumer<RedisClusterAsyncCommands<byte[], byte[]>> release(LockKey key, String owner, Request<Long> script,
			BiConsumer<@Nullable Long, @Nullable Throwable> outcome) {
		return new Removal(key, owner, script, this.longestTtl.get(), outcome, false)::attempt;
	}

	/**
	 * Takes away a lock that was granted without its owner learning of it.
	 * @param mayCome whether it may be granted even after the first attempt, because its
	 * request may still be on the way
	 */
	void undo(LockKey key, String owner, Duration ttl, Request<Long> script, boolean mayCome) {
		new Removal(key, owner, script, ttl.toNanos(), (number, failure) -> {
		}, mayCome).attemptWhenConnected();
	}

	/**
	 * Ends the removals of the lock that began before: its owner acquires it again. Those
	 * that were sent by now reach Redis earlier than that acquire if both are sent over
	 * one connection. Grants that replicas have to acknowledge have a connection of their
	 * own, and a connection may have been replaced in between: then a removal may come
	 * later, and free the lock that was acquired again.
	 */
	void keep(LockKey key, String owner) {
		this.reacquired.incrementAndGet(place(key, owner));
	}

	private static int place(LockKey key, String owner) {
		int hash = 31 * key.hashCode() + owner.hashCode();
		return (hash ^ (hash >>> 16)) & (PLACES - 1);
	}

	/**
	 * The removal of one lock.
	 */
	private final class Removal {

		private final Request<Long> script;

		private final int place;

		/** How often the place had been counted when this began. */
		private final int begun;

		private final long until;

		private final BiConsumer<@Nullable Long, @Nullable Throwable> outcome;

		private boolean mayCome;

		/** Why it is not known what the attempts so far have done, if there were any. */
		private @Nullable Throwable failure;

		private long pause = FIRST_PAUSE_MILLIS;

		Removal(LockKey key, String owner, Request<Long> script, long nanos,
				BiConsumer<@Nullable Long, @Nullable Throwable> outcome, boolean mayCome) {
			this.script = script;
			this.place = place(key, owner);
			this.begun = Removals.this.reacquired.get(this.place);
			this.until = System.nanoTime() + nanos;
			this.outcome = outcome;
			this.mayCome = mayCome;
		}

		void attempt(RedisClusterAsyncCommands<byte[], byte[]> redis) {
			if (isKept()) {
				end(null, this.failure);
			}
			else {
				this.script.send(redis, () -> false, this::answered);
			}
		}

		/** Returns whether the owner has acquired the lock again since this began. */
		private boolean isKept() {
			return Removals.this.reacquired.get(this.place) != this.begun;
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

		/** Redis would refuse it again, unless it says that it is busy. */
		private static boolean mayPass(Throwable failure) {
			return !(failure instanceof RedisCommandExecutionException) || failure instanceof RedisBusyException
					|| failure instanceof RedisLoadingException || failure instanceof RedisReadOnlyException;
		}

		private void later() {
			Set<Removal> repeated = Removals.this.repeated;
			boolean inTime = System.nanoTime() - this.until < 0;
			if (!inTime || isKept() || (repeated.size() >= MOST_REPEATED && !repeated.contains(this))) {
				end(null, this.failure);
				return;
			}
			repeated.add(this);
			long pause = this.pause;
			this.pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
			if (!Removals.this.connector.after(pause, this::attemptWhenConnected)) {
				end(null, this.failure);
			}
		}

		private void end(@Nullable Long number, @Nullable Throwable failure) {
			Removals.this.repeated.remove(this);
			this.outcome.accept(number, failure);
		}

	}

}
