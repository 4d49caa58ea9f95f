package io.github.lockstarter.store.redis.connection;

import java.util.function.BooleanSupplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The connections of a {@link io.github.lockstarter.store.redis.RedisLockStore
 * RedisLockStore}.
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
	 * @throws RuntimeException if the connection to Redis fails; a later call tries again
	 */
	RedisClusterAsyncCommands<byte[], byte[]> commands();

	/**
	 * Returns the commands of a connection for grants that wait for replicas, which delay
	 * all later commands on it. By default it is the shared connection.
	 * @throws RuntimeException if the connection to Redis fails; a later call tries again
	 */
	default RedisClusterAsyncCommands<byte[], byte[]> grantCommands() {
		return commands();
	}

	/**
	 * Replaces a connection that is suspect with a new one: it does not answer, or its
	 * server no longer serves this client. The address is resolved and the credentials
	 * are read again. This blocks. By default the connection is kept.
	 * @param suspect the commands of that connection
	 * @param stillSuspect whether that connection is still suspect when the new one is
	 * open
	 * @return whether the connection was replaced, by this call or by another one
	 * @throws RuntimeException if the connection to Redis fails
	 */
	default boolean replace(RedisClusterAsyncCommands<byte[], byte[]> suspect, BooleanSupplier stillSuspect) {
		return false;
	}

	/**
	 * Opens another connection, for a subscription. This blocks, and the caller has to
	 * close the connection.
	 * @throws RuntimeException if the connection to Redis fails
	 */
	StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub();

	/**
	 * Closes the shared connection. It is opened again when {@link #commands()} is
	 * called. By default it stays open, because it belongs to the application.
	 */
	default void disconnect() {
	}

	/**
	 * Shuts down the client. By default it keeps running, because it belongs to the
	 * application.
	 */
	default void shutdown() {
	}

}
