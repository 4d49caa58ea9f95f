package io.github.lockstarter.store.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import io.github.lockstarter.store.SearchLimit;
import io.github.lockstarter.store.StoredResults;

/**
 * The stored results in Redis. They are found with {@code SCAN}, which reads the names of
 * all keys, one thousand at a time, so that commands for locks can run in between. In a
 * cluster it reads those of all masters. A key that Redis moves at the same time may be
 * counted twice.
 */
final class RedisResults implements StoredResults {

	private static final int AT_A_TIME = 1000;

	private final RedisKeys keys;

	private final LettuceConnector connector;

	RedisResults(RedisKeys keys, LettuceConnector connector) {
		this.keys = keys;
		this.connector = connector;
	}

	@Override
	public CompletionStage<Long> count(String lockName) {
		return forEach(lockName,
				(redis) -> (found) -> CompletableFuture.completedFuture((long) found.getKeys().size()));
	}

	@Override
	public CompletionStage<Long> remove(String lockName) {
		return forEach(lockName, (redis) -> (found) -> found.getKeys().isEmpty() ? CompletableFuture.completedFuture(0L)
				: redis.unlink(found.getKeys().toArray(new byte[0][])));
	}

	private CompletionStage<Long> forEach(String lockName,
			Function<RedisClusterAsyncCommands<byte[], byte[]>, Function<KeyScanCursor<byte[]>, CompletionStage<Long>>> action) {
		ScanArgs args = ScanArgs.Builder.matches(this.keys.results(lockName)).limit(AT_A_TIME);
		return this.connector.connect()
			.thenCompose((redis) -> scan(redis, ScanCursor.INITIAL, args, action.apply(redis), 0, SearchLimit.start()));
	}

	private static CompletionStage<Long> scan(RedisClusterAsyncCommands<byte[], byte[]> redis, ScanCursor cursor,
			ScanArgs args, Function<KeyScanCursor<byte[]>, CompletionStage<Long>> action, long before,
			SearchLimit limit) {
		limit.check();
		return redis.scan(cursor, args)
			.thenCompose((found) -> action.apply(found)
				.thenCompose((count) -> found.isFinished() ? CompletableFuture.completedFuture(before + count)
						: scan(redis, found, args, action, before + count, limit)));
	}

}
