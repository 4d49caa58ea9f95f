package io.github.lockstarter.benchmarks.candidate;

import java.util.concurrent.ThreadLocalRandom;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * {@code SET NX PX} and a script that compares and deletes, and nothing else: no check of
 * the answers, no renewal, no fencing token. A waiter polls without a pause, so no
 * candidate that polls can have shorter gaps between two holders.
 */
public final class LettuceLocks implements LockClient {

	/** Deletes a lock if it has the given owner. */
	public static final String RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final RedisAsyncCommands<String, String> redis;

	private final String release;

	LettuceLocks(RedisAddress address) {
		this.client = RedisClient.create(address.uri());
		this.connection = this.client.connect();
		this.redis = this.connection.async();
		this.release = this.connection.sync().scriptLoad(RELEASE);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) throws Exception {
		String owner = Long.toHexString(ThreadLocalRandom.current().nextLong());
		String[] keys = { "baseline:" + key };
		if (this.redis.set(keys[0], owner, SetArgs.Builder.nx().px(TTL)).get() == null) {
			return null;
		}
		return () -> this.redis.evalsha(this.release, ScriptOutputType.INTEGER, keys, owner)
			.toCompletableFuture()
			.join();
	}

	@Override
	public void pauseBeforeRetry() {
		// It polls without a pause.
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

}
