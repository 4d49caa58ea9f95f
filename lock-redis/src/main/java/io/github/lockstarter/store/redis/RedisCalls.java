package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * Calls scripts. Each call completes within the timeout of the store, with a
 * {@link LockStoreException} if Redis fails or is slow.
 */
final class RedisCalls {

	private final WatchedConnection shared;

	private final WatchedConnection grants;

	private final @Nullable ReplicatedGrants replicated;

	private final RetriedReleases releases;

	/**
	 * Creates calls.
	 * @param shared the connection for all calls except grants
	 * @param grants the connection for grants
	 * @param replicated acknowledges grants, if replicas have to
	 */
	RedisCalls(WatchedConnection shared, WatchedConnection grants, @Nullable ReplicatedGrants replicated) {
		this.shared = shared;
		this.grants = grants;
		this.replicated = replicated;
		this.releases = new RetriedReleases(shared);
	}

	/** Calls a script as soon as Redis is connected. */
	<T, R> CompletionStage<R> call(LockKey key, StoreCommand<T> script, Function<T, R> result) {
		Call<R> call = this.shared.timeouts().begin(key);
		this.shared.connector().whenConnected(call, (redis) -> script.send(redis, call::isDone, (value, failure) -> {
			if (failure != null) {
				this.shared.watch().failed(failure);
				call.fail(failure);
			}
			else if (value != null) {
				call.complete(result.apply(value));
			}
		}));
		return call;
	}

	/**
	 * Calls a script that releases a lock, and retries until the lock has expired, even
	 * after the call has timed out.
	 * @return whether the owner held the lock; fails if that is unknown
	 */
	CompletionStage<Boolean> release(LockKey key, String owner, StoreCommand<Long> script) {
		Call<Boolean> call = this.shared.timeouts().begin(key);
		int reconnects = this.shared.connector().reconnects();
		this.shared.connector().whenEverConnected(call, this.releases.release(key, owner, script, (number, failure) -> {
			if (number == null) {
				call.fail((failure != null) ? failure : new RedisException("No answer"));
			}
			else if (number == 0 && (failure != null || reconnects != this.shared.connector().reconnects())) {
				// A repeated release may have found the effect of the first attempt.
				call.fail(new LockStoreException(key, "the connection was lost while it was released", failure));
			}
			else {
				call.complete(number == 1);
			}
		}));
		return call;
	}

	/** Cancels the pending releases of the lock, because its owner acquires it again. */
	void cancelReleases(LockKey key, String owner) {
		this.releases.cancel(key, owner);
	}

	/**
	 * Sends a command that may grant locks.
	 * @param key one of the locks
	 * @param undo undoes a grant that does not reach the caller in time, if possible,
	 * because its owner would never release it; it receives the failure, or {@code null}
	 * if the locks were granted too late
	 */
	<T, R> CompletionStage<R> grant(LockKey key, Duration ttl, GrantCommand<T> command, Function<T, R> result,
			Consumer<@Nullable Throwable> undo) {
		Call<R> call = this.grants.timeouts().begin(key);
		this.releases.noteTtl(ttl);
		BiConsumer<@Nullable T, @Nullable Throwable> replied = (reply, failure) -> {
			boolean inTime = reply != null && call.complete(result.apply(reply));
			if (failure != null) {
				this.grants.watch().failed(failure);
				call.fail(failure);
			}
			boolean rejected = reply != null && !command.granted().test(reply);
			if (!inTime && !rejected && !(failure instanceof NotSentException)) {
				undo.accept(failure);
			}
		};
		if (this.replicated != null) {
			this.replicated.send(call, command, replied);
		}
		else {
			this.grants.connector()
				.whenConnected(call, (redis) -> command.command().send(redis, call::isDone, replied));
		}
		return call;
	}

	/**
	 * Releases a lock that may have been granted without the knowledge of its owner.
	 * @param failure the failure of the script, if it failed
	 */
	void undo(LockKey key, String owner, Duration ttl, StoreCommand<Long> release, @Nullable Throwable failure) {
		this.releases.undo(key, owner, ttl, release, failure != null && !isAnswer(failure));
	}

	/**
	 * Returns whether the command has certainly been executed by now, or will never be.
	 */
	private static boolean isAnswer(Throwable failure) {
		return failure instanceof RedisCommandExecutionException || failure instanceof LockStoreException;
	}

	/** Returns a command for the remaining time of a key: -2 if there is none. */
	static StoreCommand<Long> millisLeft(byte[] redisKey) {
		return (redis, abandoned, reply) -> redis.pttl(redisKey).whenComplete(reply);
	}

}
