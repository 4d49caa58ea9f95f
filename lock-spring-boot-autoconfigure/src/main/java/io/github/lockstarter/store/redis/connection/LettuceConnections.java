package io.github.lockstarter.store.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.masterreplica.MasterReplica;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;

/**
 * Connections of the library's own. No other part of the application sends commands over
 * them, or shares their settings.
 * <p>
 * The client is the library's own as well: {@link #shutdown()} ends it and its
 * {@link ClientResources}. It reconnects, whatever its options say. Its
 * {@link TimeoutOptions} should be enabled, which is the default of the driver: otherwise
 * a command that Redis never answers stays in memory as long as its connection.
 */
public final class LettuceConnections implements RedisConnections {

	private static final int MOST_COMMANDS = 50_000;

	private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(100);

	private final AbstractRedisClient client;

	private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub;

	private final OwnConnection shared;

	private final OwnConnection grants;

	private LettuceConnections(AbstractRedisClient client, Supplier<StatefulConnection<byte[], byte[]>> connect,
			Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub) {
		this.client = adapted(client);
		this.shared = new OwnConnection(connect);
		this.grants = new OwnConnection(connect);
		this.connectPubSub = connectPubSub;
	}

	/**
	 * By itself the driver would keep any number of commands for a dead server. Without
	 * its reconnects the locks would be gone for good with the first connection that
	 * breaks.
	 */
	private static AbstractRedisClient adapted(AbstractRedisClient client) {
		ClientOptions options = client.getOptions();
		int queue = options.getRequestQueueSize();
		int most = (queue == ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE) ? MOST_COMMANDS : queue;
		if (client instanceof RedisClusterClient cluster) {
			cluster
				.setOptions(ClusterClientOptions.builder(options).requestQueueSize(most).autoReconnect(true).build());
		}
		else {
			((RedisClient) client).setOptions(options.mutate().requestQueueSize(most).autoReconnect(true).build());
		}
		return client;
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
	 * The driver follows what sentinels say about the master only if {@code readFrom} is
	 * set. Otherwise it stays with a master that is frozen or cut off, whose connection
	 * does not break.
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
		return this.shared.commands();
	}

	@Override
	public RedisClusterAsyncCommands<byte[], byte[]> grantCommands() {
		return this.grants.commands();
	}

	@Override
	public boolean replace(RedisClusterAsyncCommands<byte[], byte[]> silent, BooleanSupplier stillSilent) {
		return !isClustered() && (this.shared.replace(silent, stillSilent) || this.grants.replace(silent, stillSilent));
	}

	@Override
	public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
		return this.connectPubSub.get();
	}

	@Override
	public void disconnect() {
		this.shared.close();
		this.grants.close();
	}

	@Override
	public void shutdown() {
		disconnect();
		ClientResources resources = this.client.getResources();
		this.client.shutdown(Duration.ZERO, SHUTDOWN_TIMEOUT);
		resources.shutdown(0, SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
	}

}
