package io.github.lockstarter.store.redis.connection;

import java.util.function.BooleanSupplier;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.Assert;

/**
 * The shared connection of the application's {@link LettuceConnectionFactory}, with the
 * settings of the application. Commands of the application and of the locks delay each
 * other, as on any shared connection.
 */
public final class SpringDataConnections implements RedisConnections {

	private final LettuceConnectionFactory factory;

	private final OwnConnection own = new OwnConnection(this::connect);

	private final OwnConnection grants = new OwnConnection(this::connect);

	/** Whether the shared connection is composed, once that is known. */
	private volatile @Nullable Boolean composed;

	/** Whether the connection of the application was suspect. */
	private volatile boolean leftShared;

	/**
	 * Creates the connections.
	 * @param factory a factory that shares its native connection, which is the default
	 * @throws IllegalArgumentException if it does not share its native connection
	 */
	public SpringDataConnections(LettuceConnectionFactory factory) {
		Assert.isTrue(factory.getShareNativeConnection(),
				"The LettuceConnectionFactory must share its native connection: leave shareNativeConnection at its default, true");
		this.factory = factory;
	}

	@Override
	public boolean isClustered() {
		return this.factory.isClusterAware();
	}

	@Override
	public AbstractRedisClient client() {
		return this.factory.getRequiredNativeClient();
	}

	@Override
	public RedisClusterAsyncCommands<byte[], byte[]> commands() {
		return this.leftShared ? this.own.commands() : shared();
	}

	@SuppressWarnings("unchecked")
	private RedisClusterAsyncCommands<byte[], byte[]> shared() {
		try (RedisConnection connection = this.factory.getConnection()) {
			return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
		}
	}

	/**
	 * Returns the commands of a separate connection if there is one server. With several
	 * servers, grants use the shared connection, so that commands of the application are
	 * delayed by replicas, too.
	 */
	@Override
	public RedisClusterAsyncCommands<byte[], byte[]> grantCommands() {
		boolean several = isClustered() || this.factory.getSentinelConfiguration() != null;
		return (several || isStaticallyComposed()) ? commands() : this.grants.commands();
	}

	/**
	 * Opens a separate connection, unless the application has a static list of master and
	 * replicas, or one server with {@code readFrom}. The connection of the application is
	 * not closed. Commands in flight on it are not repeated until the application or its
	 * driver gives them up.
	 */
	@Override
	public boolean replace(RedisClusterAsyncCommands<byte[], byte[]> suspect, BooleanSupplier stillSuspect) {
		if (isStaticallyComposed()) {
			return false;
		}
		if (this.grants.replace(suspect, stillSuspect)) {
			return true;
		}
		if (this.leftShared) {
			return this.own.replace(suspect, stillSuspect) || (!this.own.has(suspect) && !this.grants.has(suspect));
		}
		if (suspect != shared()) {
			return !this.grants.has(suspect);
		}
		this.own.commands();
		this.leftShared = stillSuspect.getAsBoolean();
		if (!this.leftShared) {
			this.own.close();
		}
		return this.leftShared;
	}

	/**
	 * Returns whether the shared connection is composed of connections to the servers
	 * that were found when it was opened. The client alone does not know which of them is
	 * the master.
	 */
	private boolean isStaticallyComposed() {
		Boolean known = this.composed;
		if (known == null) {
			known = this.factory.getSentinelConfiguration() == null
					&& shared() instanceof AbstractRedisAsyncCommands<?, ?> commands
					&& commands.getConnection() instanceof StatefulRedisMasterReplicaConnection;
			this.composed = known;
		}
		return known;
	}

	private StatefulConnection<byte[], byte[]> connect() {
		AbstractRedisClient client = client();
		return (client instanceof RedisClusterClient cluster) ? cluster.connect(ByteArrayCodec.INSTANCE)
				: connect((RedisClient) client);
	}

	private StatefulConnection<byte[], byte[]> connect(RedisClient client) {
		StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
		try {
			if (this.factory.getDatabase() > 0) {
				connection.sync().select(this.factory.getDatabase());
			}
			return connection;
		}
		catch (RuntimeException ex) {
			connection.closeAsync();
			throw ex;
		}
	}

	@Override
	public void disconnect() {
		this.leftShared = false;
		this.own.close();
		this.grants.close();
	}

	@Override
	public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
		AbstractRedisClient client = client();
		return (client instanceof RedisClusterClient cluster) ? cluster.connectPubSub(ByteArrayCodec.INSTANCE)
				: ((RedisClient) client).connectPubSub(ByteArrayCodec.INSTANCE);
	}

}
