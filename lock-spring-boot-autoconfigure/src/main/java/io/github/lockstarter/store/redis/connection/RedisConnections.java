package io.github.lockstarter.store.redis.connection;

import java.util.function.BooleanSupplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The connections that a {@link io.github.lockstarter.store.redis.RedisLockStore
 * RedisLockStore} sends its commands over.
 *
 * @see LettuceConnections
 * @see SpringDataConnections
 */
public interface RedisConnections {

	/** Returns whether the keys are spread over the slots of a Redis Cluster. */
	boolean isClustered();

	/** Returns the client that opens the connections. */
	AbstractRedisClient client();

	/**
	 * Returns the commands of the one connection that all callers share. The first call
	 * connects, which blocks.
	 * @throws RuntimeException if Redis cannot be connected to; a later call tries again
	 */
	RedisClusterAsyncCommands<byte[], byte[]> commands();

	/**
	 * Returns the commands of a connection for grants that wait for replicas, which holds
	 * up whatever is sent over it. By default it is the shared one.
	 * @throws RuntimeException if Redis cannot be connected to; a later call tries again
	 */
	default RedisClusterAsyncCommands<byte[], byte[]> grantCommands() {
		return commands();
	}

	/**
	 * Opens another connection in place of one that does not answer. This blocks. By
	 * default that one stays.
	 * @param silent the commands of that connection
	 * @param stillSilent whether it has not answered by then, either
	 * @return whether another has taken its place
	 * @throws RuntimeException if Redis cannot be connected to
	 */
	default boolean replace(RedisClusterAsyncCommands<byte[], byte[]> silent, BooleanSupplier stillSilent) {
		return false;
	}

	/**
	 * Opens another connection, for a subscription. This blocks, and the caller closes
	 * the connection.
	 * @throws RuntimeException if Redis cannot be connected to
	 */
	StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub();

	/**
	 * Closes the shared connection, until {@link #commands()} is called again. By default
	 * it is left open, as it belongs to the application.
	 */
	default void disconnect() {
	}

	/**
	 * Shuts the client down. By default it is left running, as it belongs to the
	 * application.
	 */
	default void shutdown() {
	}

}
