package io.github.lockstarter.store.redis;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Reaches Redis over one connection that all callers share, without ever blocking them.
 * <p>
 * A driver that is not connected is handed nothing: it would keep every command in memory
 * until Redis is back. With a cluster, and where it was told where to read from, it does
 * not tell.
 */
final class LettuceConnector {

	/** How often to look whether the driver has reconnected. */
	private static final long LOOK_AGAIN_MILLIS = 20;

	private static final long BETWEEN_LOOKS_MILLIS = 1000;

	private static final long FIRST_USE_MILLIS = 1000;

	private final RedisConnections connections;

	private final AtomicReference<@Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>>> connecting = new AtomicReference<>();

	private final AtomicInteger reconnects = new AtomicInteger();

	/** Whether it is being looked for the masters of a cluster. */
	private final AtomicBoolean looking = new AtomicBoolean();

	private final List<Runnable> onReconnect = new CopyOnWriteArrayList<>();

	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> redis;

	LettuceConnector(RedisConnections connections) {
		this.connections = connections;
	}

	/**
	 * Runs the action as soon as Redis is connected, now if it is, unless the call that
	 * it is for has been answered by then. Without a connection the call fails.
	 */
	void whenConnected(Call<?> call, Consumer<RedisClusterAsyncCommands<byte[], byte[]>> action) {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (call.isAnswered()) {
			return;
		}
		if (current != null && isOpen(current)) {
			run(action, current, call);
			return;
		}
		connect().whenComplete((redis, failure) -> {
			if (failure != null) {
				call.fail(failure);
			}
			else if (!call.isAnswered()) {
				if (isOpen(redis)) {
					run(action, redis, call);
				}
				else {
					lookAgain(call, action);
				}
			}
		});
	}

	private void lookAgain(Call<?> call, Consumer<RedisClusterAsyncCommands<byte[], byte[]>> action) {
		if (!after(LOOK_AGAIN_MILLIS, () -> whenConnected(call, action))) {
			call.fail(new IllegalStateException("The connections to Redis have been shut down"));
		}
	}

	/**
	 * Runs the action after a pause, on a thread of the driver.
	 * @return {@code false} if it never will, because the driver has been shut down
	 */
	boolean after(long millis, Runnable action) {
		try {
			this.connections.client()
				.getResources()
				.eventExecutorGroup()
				.schedule(action, millis, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (IllegalStateException | RejectedExecutionException ex) {
			return false;
		}
	}

	/**
	 * Returns what is connected, or {@code null}, and then sees to it that Redis is
	 * connected to.
	 */
	@Nullable RedisClusterAsyncCommands<byte[], byte[]> openOrConnect() {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (current != null && isOpen(current)) {
			return current;
		}
		connect();
		return null;
	}

	/**
	 * Runs the action now if Redis was ever connected, and leaves it to the driver to
	 * send its commands after a reconnect. Only for what must get through, and is bounded
	 * by what was done before.
	 */
	void whenEverConnected(Call<?> call, Consumer<RedisClusterAsyncCommands<byte[], byte[]>> action) {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (current != null) {
			run(action, current, call);
		}
		else {
			whenConnected(call, action);
		}
	}

	/**
	 * Lets the call fail if it takes longer than that, to the driver's tick of 100 ms.
	 */
	void expire(Call<?> call, Duration timeout) {
		try {
			AbstractRedisClient client = this.connections.client();
			call.within(timeout, client.getResources().timer(), () -> lookForMasters(client, timeout));
		}
		catch (IllegalStateException | RejectedExecutionException ex) {
			// The driver has been shut down, or has too much to time.
			call.fail(ex);
		}
	}

	/**
	 * Lets the driver ask a cluster who its masters are. By itself it does so when a
	 * connection breaks, but that of a server that is frozen, or cut off, does not. And
	 * it would wait for the answer of that one, too, for as long as for a command: 60 s.
	 * <p>
	 * This runs on the driver's timer. Where nobody has connected yet there is no list of
	 * servers, and the client would block to make one.
	 */
	private void lookForMasters(AbstractRedisClient client, Duration timeout) {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (current != null && client instanceof RedisClusterClient cluster
				&& connection(current) instanceof StatefulRedisClusterConnection<byte[], byte[]> shared
				&& this.looking.compareAndSet(false, true)) {
			try {
				shared.getPartitions().forEach((node) -> node.getUri().setTimeout(timeout));
				cluster.refreshPartitionsAsync().whenComplete((done, failure) -> lookAgainLater(client));
			}
			catch (RuntimeException ex) {
				lookAgainLater(client);
			}
		}
	}

	private void lookAgainLater(AbstractRedisClient client) {
		client.getResources()
			.timer()
			.newTimeout((pause) -> this.looking.set(false), BETWEEN_LOOKS_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** Returns how often the driver has reconnected. It repeats what was under way. */
	int reconnects() {
		return this.reconnects.get();
	}

	/** Runs the action each time the driver has reconnected. */
	void onReconnect(Runnable action) {
		this.onReconnect.add(action);
	}

	private static void run(Consumer<RedisClusterAsyncCommands<byte[], byte[]>> action,
			RedisClusterAsyncCommands<byte[], byte[]> redis, Call<?> call) {
		try {
			action.accept(redis);
		}
		catch (RuntimeException ex) {
			call.fail(ex);
		}
	}

	/**
	 * Connects if need be. A first connection blocks its thread, so it is made on
	 * another, and by one caller for all.
	 */
	CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connect() {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> mine = new CompletableFuture<>();
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> other = this.connecting.compareAndExchange(null,
				mine);
		if (other != null) {
			return other;
		}
		return mine.completeAsync(this::sharedConnection, LettuceConnector::onOwnThread)
			.whenComplete((redis, failure) -> this.connecting.set(null));
	}

	private RedisClusterAsyncCommands<byte[], byte[]> sharedConnection() {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.connections.commands();
		if (current != this.redis) {
			StatefulConnection<byte[], byte[]> shared = connection(current);
			listen(shared);
			CompletableFuture<?> loaded = Script.loadAll(current);
			if (isComposed(shared)) {
				// It connects when it is first used, which is no reconnect.
				CompletableFuture.allOf(loaded, connectToAll(shared))
					.exceptionally((failure) -> null)
					.completeOnTimeout(null, FIRST_USE_MILLIS, TimeUnit.MILLISECONDS)
					.join();
			}
			this.redis = current;
		}
		return current;
	}

	private void listen(StatefulConnection<byte[], byte[]> shared) {
		Set<SocketAddress> known = ConcurrentHashMap.newKeySet();
		AtomicBoolean lost = new AtomicBoolean();
		this.connections.client().addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
				boolean alike = isLikePartOf(shared, connection);
				boolean isNew = alike && known.add(address);
				boolean isBack = alike && lost.getAndSet(false);
				if (connection == shared || isNew || isBack) {
					LettuceConnector.this.reconnects.incrementAndGet();
					LettuceConnector.this.onReconnect.forEach(Runnable::run);
				}
			}

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
				if (isLikePartOf(shared, connection) && !connection.isClosed()) {
					lost.set(true);
					LettuceConnector.this.reconnects.incrementAndGet();
				}
			}

		});
	}

	/**
	 * Returns whether the connection may be one to a single server, of those that the
	 * shared one is made of, which does not tell. Others look the same: those that the
	 * application has for transactions, which come and go. So what counts is a connection
	 * that was lost, not closed, and one to a server that there was none to before.
	 */
	private static boolean isLikePartOf(StatefulConnection<byte[], byte[]> shared,
			RedisChannelHandler<?, ?> connection) {
		return isComposed(shared) && connection instanceof StatefulRedisConnection<?, ?> single
				&& !(connection instanceof StatefulRedisPubSubConnection) && single.getCodec() == shared.getCodec();
	}

	private static CompletableFuture<?> connectToAll(StatefulConnection<byte[], byte[]> shared) {
		return !(shared instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)
				? CompletableFuture.completedFuture(null)
				: CompletableFuture.allOf(cluster.getPartitions()
					.stream()
					.filter((node) -> node.is(RedisClusterNode.NodeFlag.UPSTREAM))
					.map((node) -> cluster.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort()))
					.toArray(CompletableFuture<?>[]::new));
	}

	private static boolean isComposed(StatefulConnection<byte[], byte[]> shared) {
		return shared instanceof StatefulRedisMasterReplicaConnection
				|| shared instanceof StatefulRedisClusterConnection;
	}

	private static void onOwnThread(Runnable task) {
		Thread thread = new Thread(task, "lock-redis-connect");
		thread.setDaemon(true);
		thread.start();
	}

	private static boolean isOpen(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return connection(redis).isOpen();
	}

	@SuppressWarnings("unchecked")
	private static StatefulConnection<byte[], byte[]> connection(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return ((AbstractRedisAsyncCommands<byte[], byte[]>) redis).getConnection();
	}

}
