package io.github.lockstarter.faults.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * A worker with a naive lock: the process that sets a key holds the lock until it deletes
 * the key. Shows that the checker finds violations.
 */
final class NaiveWorker {

	private static final Duration TTL = Duration.ofSeconds(1);

	private NaiveWorker() {
	}

	/** Arguments: file for the history, port of Redis. */
	public static void main(String[] args) throws Exception {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", Integer.parseInt(args[1])));
		RedisCommands<String, String> redis = client.connect().sync();
		Worker.work(Path.of(args[0]), (key, wait) -> take(redis, key));
		client.shutdown();
	}

	private static Optional<Worker.Held> take(RedisCommands<String, String> redis, String key) {
		boolean granted = redis.set(key, "locked", SetArgs.Builder.nx().px(TTL.toMillis())) != null;
		return granted ? Optional.of(new NaiveLock(redis, key, redis.incr("tokens"))) : Optional.empty();
	}

	private static final class NaiveLock implements Worker.Held {

		private final RedisCommands<String, String> redis;

		private final String key;

		private final long token;

		private volatile boolean released;

		NaiveLock(RedisCommands<String, String> redis, String key, long token) {
			this.redis = redis;
			this.key = key;
			this.token = token;
		}

		@Override
		public long token() {
			return this.token;
		}

		@Override
		public boolean isHeld() {
			return !this.released;
		}

		@Override
		public void release() {
			this.released = true;
			this.redis.del(this.key);
		}

	}

}
