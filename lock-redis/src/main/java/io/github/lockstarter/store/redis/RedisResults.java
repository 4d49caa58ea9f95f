package io.github.lockstarter.store.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

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
		return forEach(lockName, (redis, found) -> CompletableFuture.completedFuture((long) found.getKeys().size()));
	}

	@Override
	public CompletionStage<Long> remove(String lockName) {
		return forEach(lockName, (redis, found) -> found.getKeys().isEmpty() ? CompletableFuture.completedFuture(0L)
				: redis.unlink(found.getKeys().toArray(new byte[0][])));
	}

	private CompletionStage<Long> forEach(String lockName, Action action) {
		ScanArgs args = ScanArgs.Builder.matches(this.keys.results(lockName)).limit(AT_A_TIME);
		return this.connector.connect()
			.thenCompose((redis) -> new Search(redis, args, action, SearchLimit.start()).from(ScanCursor.INITIAL, 0));
	}

	/**
	 * A search for keys, and the action on each page of them.
	 */
	private record Search(RedisClusterAsyncCommands<byte[], byte[]> redis, ScanArgs args, Action action,
			SearchLimit limit) {

		/** Returns the sum of the numbers, the one before included. */
		CompletionStage<Long> from(ScanCursor cursor, long before) {
			this.limit.check();
			return this.redis.scan(cursor, this.args)
				.thenCompose((found) -> this.action.on(this.redis, found)
					.thenCompose((count) -> found.isFinished() ? CompletableFuture.completedFuture(before + count)
							: from(found, before + count)));
		}

	}

	/** Returns the number of keys that it has processed. */
	@FunctionalInterface
	private interface Action {

		CompletionStage<Long> on(RedisClusterAsyncCommands<byte[], byte[]> redis, KeyScanCursor<byte[]> found);

	}

}
