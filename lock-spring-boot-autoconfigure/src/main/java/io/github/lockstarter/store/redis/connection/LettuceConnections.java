package io.github.lockstarter.store.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.masterreplica.MasterReplica;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * Connections of the library's own. No other part of the application sends commands over
 * them, or shares their settings.
 * <p>
 * The client is the library's own as well: {@link #shutdown()} ends it and its
 * {@link ClientResources}.
 */
public final class LettuceConnections implements RedisConnections {

	/**
	 * How long the driver keeps a command over reconnects. The store has a time-out of
	 * its own for the answer.
	 */
	private static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(1);

	private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(100);

	private final AbstractRedisClient client;

	private final Supplier<StatefulConnection<byte[], byte[]>> connect;

	private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub;

	private final AtomicReference<@Nullable StatefulConnection<byte[], byte[]>> shared = new AtomicReference<>();

	private LettuceConnections(AbstractRedisClient client, Supplier<StatefulConnection<byte[], byte[]>> connect,
			Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub) {
		this.client = client;
		this.connect = connect;
		this.connectPubSub = connectPubSub;
	}

	/**
	 * Returns connections to one server, or to the master that sentinels name.
	 * @param server the server or the sentinels
	 */
	public static LettuceConnections to(RedisClient client, RedisURI server) {
		return new LettuceConnections(client,
				() -> server.getSentinels().isEmpty() ? client.connect(ByteArrayCodec.INSTANCE, server)
						: toMaster(MasterReplica.connect(client, ByteArrayCodec.INSTANCE, server)),
				() -> client.connectPubSub(ByteArrayCodec.INSTANCE, server));
	}

	/**
	 * Returns connections to a master whose replicas are known beforehand.
	 * @param servers the master and its replicas, in any order
	 */
	public static LettuceConnections to(RedisClient client, List<RedisURI> servers) {
		return new LettuceConnections(client,
				() -> toMaster(MasterReplica.connect(client, ByteArrayCodec.INSTANCE, servers)),
				// Replicas pass on what is published at the master.
				() -> client.connectPubSub(ByteArrayCodec.INSTANCE, servers.get(0)));
	}

	/** Returns connections to a Redis Cluster. */
	public static LettuceConnections to(RedisClusterClient client) {
		return new LettuceConnections(client, () -> client.connect(ByteArrayCodec.INSTANCE),
				() -> client.connectPubSub(ByteArrayCodec.INSTANCE));
	}

	/**
	 * The driver follows what sentinels say about the master only where it was told where
	 * to read from. Otherwise it stays with a master that is frozen or cut off, whose
	 * connection does not break.
	 */
	private static StatefulConnection<byte[], byte[]> toMaster(
			StatefulRedisMasterReplicaConnection<byte[], byte[]> connection) {
		connection.setReadFrom(ReadFrom.UPSTREAM);
		return connection;
	}

	@Override
	public boolean isClustered() {
		return this.client instanceof RedisClusterClient;
	}

	@Override
	public AbstractRedisClient client() {
		return this.client;
	}

	@Override
	public RedisClusterAsyncCommands<byte[], byte[]> commands() {
		StatefulConnection<byte[], byte[]> connection = this.shared.get();
		if (connection == null) {
			connection = this.connect.get();
			connection.setTimeout(COMMAND_TIMEOUT);
			StatefulConnection<byte[], byte[]> other = this.shared.compareAndExchange(null, connection);
			if (other != null) {
				connection.closeAsync();
				connection = other;
			}
		}
		return (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) ? cluster.async()
				: ((StatefulRedisConnection<byte[], byte[]>) connection).async();
	}

	@Override
	public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
		return this.connectPubSub.get();
	}

	@Override
	public void disconnect() {
		StatefulConnection<byte[], byte[]> connection = this.shared.getAndSet(null);
		if (connection != null) {
			connection.close();
		}
	}

	@Override
	public void shutdown() {
		disconnect();
		ClientResources resources = this.client.getResources();
		this.client.shutdown(Duration.ZERO, SHUTDOWN_TIMEOUT);
		resources.shutdown(0, SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
	}

}
