package io.github.lockstarter.store.redis.connection;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.masterreplica.MasterReplica;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;

/**
 * Connections that belong to the library. No other part of the application sends commands
 * over them, or shares their settings.
 * <p>
 * The client belongs to the library as well: {@link #shutdown()} ends it and its
 * {@link ClientResources}. It reconnects automatically, regardless of its options. Its
 * {@link TimeoutOptions} should be enabled, which is the default of the driver: otherwise
 * a command that Redis never answers stays in memory as long as its connection.
 */
public final class LettuceConnections implements RedisConnections {

	private final OwnClient<?> client;

	private final boolean clustered;

	private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub;

	private final OwnConnection shared;

	private final OwnConnection grants;

	private LettuceConnections(OwnClient<?> client, boolean clustered,
			Supplier<StatefulConnection<byte[], byte[]>> connect,
			Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub) {
		this.client = client;
		this.clustered = clustered;
		this.shared = new OwnConnection(connect);
		this.grants = new OwnConnection(connect);
		this.connectPubSub = connectPubSub;
	}

	/**
	 * Returns connections to one server, or to the master that sentinels name.
	 * @param client creates the client on first use
	 * @param server the server or the sentinels
	 */
	public static LettuceConnections to(Supplier<RedisClient> client, RedisURI server) {
		OwnClient<RedisClient> own = new OwnClient<>(client);
		return new LettuceConnections(own, false,
				() -> server.getSentinels().isEmpty() ? own.get().connect(ByteArrayCodec.INSTANCE, server)
						: toMaster(MasterReplica.connect(own.get(), ByteArrayCodec.INSTANCE, server)),
				() -> own.get().connectPubSub(ByteArrayCodec.INSTANCE, server));
	}

	/**
	 * Returns connections to one server, or to the master that sentinels name.
	 * @param server the server or the sentinels
	 */
	public static LettuceConnections to(RedisClient client, RedisURI server) {
		return to(() -> client, server);
	}

	/**
	 * Returns connections to a master and its replicas, which are known in advance.
	 * @param client creates the client on first use
	 * @param servers the master and its replicas, in any order
	 */
	public static LettuceConnections to(Supplier<RedisClient> client, List<RedisURI> servers) {
		OwnClient<RedisClient> own = new OwnClient<>(client);
		return new LettuceConnections(own, false,
				() -> toMaster(MasterReplica.connect(own.get(), ByteArrayCodec.INSTANCE, servers)),
				// Replicas forward messages that are published at the master.
				() -> own.get().connectPubSub(ByteArrayCodec.INSTANCE, servers.get(0)));
	}

	/**
	 * Returns connections to a master whose replicas are known beforehand.
	 * @param servers the master and its replicas, in any order
	 */
	public static LettuceConnections to(RedisClient client, List<RedisURI> servers) {
		return to(() -> client, servers);
	}

	/**
	 * Returns connections to a Redis Cluster.
	 * @param client creates the client on first use
	 */
	public static LettuceConnections toCluster(Supplier<RedisClusterClient> client) {
		OwnClient<RedisClusterClient> own = new OwnClient<>(client);
		return new LettuceConnections(own, true, () -> own.get().connect(ByteArrayCodec.INSTANCE),
				() -> own.get().connectPubSub(ByteArrayCodec.INSTANCE));
	}

	/** Returns connections to a Redis Cluster. */
	public static LettuceConnections to(RedisClusterClient client) {
		return toCluster(() -> client);
	}

	/**
	 * The driver follows a change of the master by sentinels only if {@code readFrom} is
	 * set. Otherwise it keeps the connection to a master that is unresponsive or cut off,
	 * because that connection does not break.
	 */
	private static StatefulConnection<byte[], byte[]> toMaster(
			StatefulRedisMasterReplicaConnection<byte[], byte[]> connection) {
		connection.setReadFrom(ReadFrom.UPSTREAM);
		return connection;
	}

	@Override
	public boolean isClustered() {
		return this.clustered;
	}

	@Override
	public AbstractRedisClient client() {
		return this.client.get();
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
	public boolean replace(RedisClusterAsyncCommands<byte[], byte[]> suspect, BooleanSupplier stillSuspect) {
		return this.shared.replace(suspect, stillSuspect) || this.grants.replace(suspect, stillSuspect)
				|| (!this.shared.has(suspect) && !this.grants.has(suspect));
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
		this.client.shutdown();
	}

}
