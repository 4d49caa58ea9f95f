package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * Calls of scripts, each with an answer within a time-out of our own, which is a
 * {@link LockStoreException} if Redis fails or is slow.
 */
final class RedisCalls {

	private final LettuceConnector connector;

	private final Duration timeout;

	private final int replicasToAck;

	RedisCalls(LettuceConnector connector, Duration timeout, int replicasToAck) {
		this.connector = connector;
		this.timeout = timeout;
		this.replicasToAck = replicasToAck;
	}

	/** Calls a script if Redis is connected, or soon is. */
	<T> CompletionStage<T> call(LockKey key,
			Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> script) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		this.connector.whenConnected(answer, (redis) -> forward(script.apply(redis), answer));
		return bounded(key, answer);
	}

	/**
	 * Calls a script that takes a lock away. Without a connection the driver keeps the
	 * call for later, up to its own time-out (one minute by default).
	 * @return whether the lock was there; fails if that cannot be known
	 */
	CompletionStage<Boolean> takeAway(LockKey key,
			Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<Long>> script) {
		CompletableFuture<Long> answer = new CompletableFuture<>();
		int reconnects = this.connector.reconnects();
		this.connector.whenEverConnected(answer, (redis) -> forward(script.apply(redis), answer));
		return bounded(key, answer).thenApply((number) -> {
			if (number == 0 && reconnects != this.connector.reconnects()) {
				// Repeated by the driver, it may have found its own work done.
				throw new LockStoreException(key, "the connection was lost while it was released", null);
			}
			return number == 1;
		});
	}

	/**
	 * Calls a script that may grant a lock, which it tells by a positive number. Unless
	 * the caller has got that answer in time, it is undone: its owner would never release
	 * it.
	 */
	CompletionStage<Long> grant(LockKey key,
			Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<Long>> script,
			Consumer<RedisClusterAsyncCommands<byte[], byte[]>> undo) {
		CompletableFuture<Long> answer = new CompletableFuture<>();
		this.connector.whenConnected(answer,
				(redis) -> script.apply(redis)
					.thenCompose((number) -> acknowledged(redis, key, number))
					.whenComplete((number, failure) -> {
						boolean refused = failure == null && number <= 0;
						if (failure != null) {
							answer.completeExceptionally(failure);
						}
						boolean taken = failure == null && answer.complete(number);
						if (!taken && !refused) {
							// The driver sends it after the script.
							undo.accept(redis);
						}
					}));
		return bounded(key, answer);
	}

	/**
	 * Waits until enough replicas have a grant, over the connection that it was made on.
	 */
	private CompletionStage<Long> acknowledged(RedisClusterAsyncCommands<byte[], byte[]> redis, LockKey key,
			long number) {
		if (number <= 0 || this.replicasToAck == 0) {
			return CompletableFuture.completedStage(number);
		}
		return redis.waitForReplication(this.replicasToAck, Math.max(1, this.timeout.toMillis() / 2))
			.thenApply((replicas) -> {
				if (replicas < this.replicasToAck) {
					throw new LockStoreException(key,
							"%d of %d replicas acknowledged it in time".formatted(replicas, this.replicasToAck), null);
				}
				return number;
			});
	}

	private static <T> void forward(CompletionStage<T> reply, CompletableFuture<T> answer) {
		reply.whenComplete((value, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
			}
			else {
				answer.complete(value);
			}
		});
	}

	private <T> CompletionStage<T> bounded(LockKey key, CompletableFuture<T> answer) {
		return answer.orTimeout(this.timeout.toMillis(), TimeUnit.MILLISECONDS)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(broken(key, failure)));
	}

	private LockStoreException broken(LockKey key, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof LockStoreException known) {
			return known;
		}
		if (cause instanceof TimeoutException) {
			return new LockStoreException(key, "Redis did not answer within %d ms".formatted(this.timeout.toMillis()),
					null);
		}
		return new LockStoreException(key, "Redis failed", cause);
	}

}
