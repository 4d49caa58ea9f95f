package io.github.lockstarter.store.redis.connection;

import java.util.function.BooleanSupplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.Assert;

/**
 * The shared connection of the application's {@link LettuceConnectionFactory}, with the
 * settings of the application. Commands of the application and of the locks delay each
 * other, as on any shared connection.
 */
public final class SpringDataConnections implements RedisConnections {

	private static final Log logger = LogFactory.getLog(SpringDataConnections.class);

	private final LettuceConnectionFactory factory;

	private final OwnConnection own = new OwnConnection(this::connect);

	private final OwnConnection grants = new OwnConnection(this::connect);

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
		if (factory.getSentinelConfiguration() != null && factory.getClientConfiguration().getReadFrom().isEmpty()) {
			logger.warn(
					"The LettuceConnectionFactory does not follow its sentinels when the master is unresponsive or cut off:"
							+ " set readFrom(ReadFrom.UPSTREAM) in its client configuration.");
		}
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
		return isStandalone() ? this.grants.commands() : commands();
	}

	/**
	 * Opens a separate connection, unless the application uses a cluster or
	 * {@code readFrom}. The connection of the application is not closed. Requests in
	 * flight on it are not repeated until the application or its driver gives them up.
	 */
	@Override
	public boolean replace(RedisClusterAsyncCommands<byte[], byte[]> suspect, BooleanSupplier stillSuspect) {
		if (!connectsToMaster()) {
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

	/** Returns whether there is only one server, so that its master is known. */
	private boolean isStandalone() {
		return connectsToMaster() && this.factory.getSentinelConfiguration() == null;
	}

	/** Returns whether each connection of the client leads to the current master. */
	private boolean connectsToMaster() {
		return client() instanceof RedisClient && this.factory.getClientConfiguration().getReadFrom().isEmpty();
	}

	private StatefulConnection<byte[], byte[]> connect() {
		StatefulRedisConnection<byte[], byte[]> connection = ((RedisClient) client()).connect(ByteArrayCodec.INSTANCE);
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
