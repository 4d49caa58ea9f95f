package io.github.lockstarter.store.redis;

import java.net.SocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * Counts the times that a connection was lost or reopened, and notifies of the latter.
 */
final class Reconnects {

	private final AtomicInteger count = new AtomicInteger();

	private final List<Runnable> actions = new CopyOnWriteArrayList<>();

	private @Nullable RedisConnectionStateListener listener;

	int count() {
		return this.count.get();
	}

	/** Registers the action to run after each reconnection. */
	void onReconnect(Runnable action) {
		this.actions.add(action);
	}

	/** Follows that connection of the client from now on, instead of the previous one. */
	synchronized void follow(AbstractRedisClient client, StatefulConnection<byte[], byte[]> connection) {
		if (this.listener != null) {
			client.removeListener(this.listener);
		}
		this.listener = new Listener(connection);
		client.addListener(this.listener);
	}

	/** Counts a reconnection, and notifies of it. */
	void reconnected() {
		this.count.incrementAndGet();
		this.actions.forEach(Runnable::run);
	}

	/**
	 * Returns whether the connection is composed of others, one to each server. These are
	 * opened on first use, which is not a reconnection.
	 */
	static boolean isComposed(StatefulConnection<byte[], byte[]> connection) {
		return connection instanceof StatefulRedisMasterReplicaConnection
				|| connection instanceof StatefulRedisClusterConnection;
	}

	/**
	 * For a composed connection, the driver sends only events of its parts, without a
	 * reference to the whole. Connections that the application opens and closes for
	 * transactions cause the same events. So two events count: a connection that was
	 * lost, rather than closed, and the first connection to a server.
	 */
	private final class Listener implements RedisConnectionStateListener {

		private final StatefulConnection<byte[], byte[]> connection;

		private final Set<SocketAddress> known = ConcurrentHashMap.newKeySet();

		private final AtomicBoolean lost = new AtomicBoolean();

		Listener(StatefulConnection<byte[], byte[]> connection) {
			this.connection = connection;
		}

		@Override
		public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
			boolean alike = isLikePart(connection);
			boolean isNew = alike && this.known.add(address);
			boolean isBack = alike && this.lost.getAndSet(false);
			if (connection == this.connection || isNew || isBack) {
				reconnected();
			}
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			if (isLikePart(connection) && !connection.isClosed()) {
				this.lost.set(true);
				Reconnects.this.count.incrementAndGet();
			}
		}

		private boolean isLikePart(RedisChannelHandler<?, ?> other) {
			return isComposed(this.connection) && other instanceof StatefulRedisConnection<?, ?> single
					&& !(other instanceof StatefulRedisPubSubConnection)
					&& single.getCodec() == this.connection.getCodec();
		}

	}

}
