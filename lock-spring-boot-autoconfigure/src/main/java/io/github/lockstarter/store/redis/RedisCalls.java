package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * Calls of scripts, each with an answer within a time-out of our own, which is a
 * {@link LockStoreException} if Redis fails or is slow.
 */
final class RedisCalls {

	private final LettuceConnector connector;

	private final LettuceConnector grants;

	private final Duration timeout;

	private final @Nullable ReplicatedGrants replicated;

	private final Releases releases;

	/**
	 * Creates calls.
	 * @param connector the connection that they are sent over
	 * @param grants the connection that grants are sent over
	 * @param replicasToAck how many replicas have to acknowledge a grant
	 */
	RedisCalls(LettuceConnector connector, LettuceConnector grants, Duration timeout, int replicasToAck) {
		this.connector = connector;
		this.timeout = timeout;
		this.grants = grants;
		this.replicated = (replicasToAck > 0) ? new ReplicatedGrants(grants, replicasToAck, timeout) : null;
		this.releases = new Releases(connector);
	}

	/** Calls a script if Redis is connected, or soon is. */
	<T, R> CompletionStage<R> call(LockKey key, Request<T> script, Function<T, R> result) {
		Call<R> call = begin(key, this.connector);
		this.connector.whenConnected(call, (redis) -> script.send(redis, call::isDone, (value, failure) -> {
			if (failure != null) {
				call.fail(failure);
			}
			else if (value != null) {
				call.complete(result.apply(value));
			}
		}));
		return call;
	}

	/**
	 * Calls a script that releases a lock, and retries until the lock has expired, also
	 * after the call has failed for lack of an answer in time.
	 * @return whether the lock was there; fails if that cannot be known
	 */
	CompletionStage<Boolean> release(LockKey key, String owner, Request<Long> script) {
		Call<Boolean> call = begin(key, this.connector);
		int reconnects = this.connector.reconnects();
		this.connector.whenEverConnected(call, this.releases.release(key, owner, script, (number, failure) -> {
			if (number == null) {
				call.fail((failure != null) ? failure : new RedisException("No answer"));
			}
			else if (number == 0 && (failure != null || reconnects != this.connector.reconnects())) {
				// Repeated, it may have found its own work done.
				call.fail(new LockStoreException(key, "the connection was lost while it was released", failure));
			}
			else {
				call.complete(number == 1);
			}
		}));
		return call;
	}

	/** Cancels the releases of the lock under way: its owner acquires it again. */
	void cancelReleases(LockKey key, String owner) {
		this.releases.cancel(key, owner);
	}

	/**
	 * Calls a script that may grant a lock. Unless the caller has got that answer in
	 * time, it is undone, if there is a way to: its owner would never release it.
	 */
	<T, R> CompletionStage<R> grant(LockKey key, String owner, Duration ttl, Request<T> script, Predicate<T> granted,
			Function<T, R> result, @Nullable Supplier<Request<Long>> undo) {
		return grant(key, ttl, script, granted, result, (failure) -> {
			if (undo != null) {
				undo(key, owner, ttl, undo.get(), failure);
			}
		});
	}

	/**
	 * Calls a script that may grant locks.
	 * @param key one of the locks
	 * @param undo runs unless the caller has got that answer in time; it is given the
	 * failure, or {@code null} if the locks were granted too late
	 */
	<T, R> CompletionStage<R> grant(LockKey key, Duration ttl, Request<T> script, Predicate<T> granted,
			Function<T, R> result, Consumer<@Nullable Throwable> undo) {
		Call<R> call = begin(key, this.grants);
		this.releases.noteTtl(ttl);
		BiConsumer<@Nullable T, @Nullable Throwable> replied = (reply, failure) -> {
			boolean inTime = reply != null && call.complete(result.apply(reply));
			if (failure != null) {
				call.fail(failure);
			}
			boolean refused = reply != null && !granted.test(reply);
			if (!inTime && !refused && !(failure instanceof NotSentException)) {
				undo.accept(failure);
			}
		};
		if (this.replicated != null) {
			this.replicated.send(key, call, script, granted, replied);
		}
		else {
			this.grants.whenConnected(call, (redis) -> script.send(redis, call::isDone, replied));
		}
		return call;
	}

	/**
	 * Releases a lock that may have been granted without its owner learning of it.
	 * @param failure why that is not known, if the script failed
	 */
	void undo(LockKey key, String owner, Duration ttl, Request<Long> release, @Nullable Throwable failure) {
		this.releases.undo(key, owner, ttl, release, failure != null && !isAnswer(failure));
	}

	/**
	 * Returns whether Redis has surely done already what it was asked for, or will not.
	 */
	private static boolean isAnswer(Throwable failure) {
		return failure instanceof RedisCommandExecutionException || failure instanceof LockStoreException;
	}

	/** Returns a question for how long a key lives: -2 if there is none. */
	static Request<Long> millisLeft(byte[] redisKey) {
		return (redis, abandoned, reply) -> redis.pttl(redisKey).whenComplete(reply);
	}

	private <R> Call<R> begin(LockKey key, LettuceConnector connector) {
		Call<R> call = new Call<>(key);
		connector.expire(call, this.timeout);
		return call;
	}

}
