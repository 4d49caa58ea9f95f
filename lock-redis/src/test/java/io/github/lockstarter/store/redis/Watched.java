package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * The connection that commands share, without a store.
 */
final class Watched {

	private Watched() {
	}

	static WatchedConnection connection(RedisConnections connections) {
		return WatchedConnection.of(connections, connections::commands, Duration.ofMillis(500), Duration.ZERO);
	}

	/**
	 * Returns a connector that connects on other threads.
	 * @param threads runs blocking tasks
	 */
	static LettuceConnector connector(RedisConnections connections, Executor threads) {
		return new LettuceConnector(connections, connections::commands, new DriverTimer(connections), threads);
	}

}
