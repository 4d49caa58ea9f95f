package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;

/**
 * Keeps locks in Redis: one key per held lock, with a time to live, whose value is the
 * owner. Every operation is one script in one round trip.
 * <p>
 * The pattern is the single-instance lock of the Redis documentation, "Distributed Locks
 * with Redis": {@code SET NX PX} with a random value, and a delete that compares it. The
 * fencing token is a counter that grows with every grant.
 */
public final class RedisLockStore implements LockStore, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(5);

	private final LettuceConnector connector;

	private final RedisKeys keys;

	private final Duration commandTimeout;

	/**
	 * Creates a store on the factory's shared connection.
	 * @param factory a factory that shares its native connection, which is the default
	 * @param keyPrefix what all keys in Redis begin with
	 * @param commandTimeout how long to wait for an answer, connecting included
	 */
	public RedisLockStore(LettuceConnectionFactory factory, String keyPrefix, Duration commandTimeout) {
		Assert.isTrue(factory.getShareNativeConnection(), "The connection factory must share its native connection");
		this.connector = new LettuceConnector(factory);
		this.keys = new RedisKeys(keyPrefix);
		this.commandTimeout = commandTimeout;
	}

	/**
	 * Connects at start-up, so that the first lock need not, and waits for it for at most
	 * 5 s. Without Redis the application starts all the same, with a warning.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.connector.connect()
			.copy()
			.orTimeout(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
			.handle((redis, failure) -> {
				if (failure != null) {
					logger.warn("No connection to Redis: whatever needs a lock fails until there is one", failure);
				}
				return redis;
			})
			.join();
	}

	@Override
	public CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl) {
		byte[][] acquired = { this.keys.lock(key), this.keys.fence(key) };
		CompletableFuture<AcquireResult> answer = new CompletableFuture<>();
		this.connector.whenConnected(answer, (redis) -> Script.ACQUIRE.run(redis, acquired, bytes(owner), millis(ttl))
			.whenComplete((number, failure) -> {
				boolean refused = failure == null && number <= 0;
				if (failure != null) {
					answer.completeExceptionally(failure);
				}
				boolean taken = failure == null && answer.complete(result(number));
				if (!taken && !refused) {
					takeBack(redis, acquired[0], owner);
				}
			}));
		return bounded(key, answer);
	}

	@Override
	public CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.connector.whenConnected(answer,
				(redis) -> Script.RENEW.run(redis, new byte[][] { this.keys.lock(key) }, bytes(owner), millis(ttl))
					.whenComplete((number, failure) -> complete(answer, number, failure)));
		return bounded(key, answer);
	}

	/**
	 * Frees the lock. While Redis is away the driver keeps the request, up to its own
	 * time-out (one minute by default), so that the lock does not have to wait for its
	 * time to live once Redis is back.
	 */
	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.connector.whenEverConnected(answer,
				(redis) -> Script.RELEASE.run(redis, new byte[][] { this.keys.lock(key) }, bytes(owner))
					.whenComplete((number, failure) -> complete(answer, number, failure)));
		return bounded(key, answer);
	}

	private static void complete(CompletableFuture<Boolean> answer, Long number, @Nullable Throwable failure) {
		if (failure != null) {
			answer.completeExceptionally(failure);
		}
		else {
			answer.complete(number == 1);
		}
	}

	/**
	 * Undoes an acquire that nobody waits for any more, or whose outcome is unknown: it
	 * may have been carried out, and its owner will never release it. The driver sends it
	 * after the acquire.
	 */
	private static void takeBack(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[] lock, String owner) {
		Script.RELEASE.run(redis, new byte[][] { lock }, bytes(owner));
	}

	private <T> CompletionStage<T> bounded(LockKey key, CompletableFuture<T> answer) {
		return answer.orTimeout(this.commandTimeout.toMillis(), TimeUnit.MILLISECONDS)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(broken(key, failure)));
	}

	private LockStoreException broken(LockKey key, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof TimeoutException) {
			return new LockStoreException(key,
					"Redis did not answer within %d ms".formatted(this.commandTimeout.toMillis()), null);
		}
		return new LockStoreException(key, "Redis failed", cause);
	}

	private static AcquireResult result(long number) {
		return (number > 0) ? new Granted(number) : new Busy(Duration.ofMillis(-number));
	}

	private static byte[] millis(Duration duration) {
		return bytes(Long.toString(duration.toMillis()));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
