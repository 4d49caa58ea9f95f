package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Manages one connection to Redis that all callers share, without blocking them.
 * <p>
 * No commands are passed to a driver that is not connected: it would keep them in memory
 * until Redis recovers. With a cluster, or if {@code readFrom} is set, the driver does
 * not report whether it is connected.
 */
final class LettuceConnector {

	/** How often to poll whether the driver has reconnected. */
	private static final long POLL_MILLIS = 20;

	private static final long FIRST_USE_MILLIS = 1000;

	private final RedisConnections connections;

	private final Supplier<RedisClusterAsyncCommands<byte[], byte[]>> opened;

	private final DriverTimer timer;

	private final Executor threads;

	private final AtomicReference<@Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>>> connecting = new AtomicReference<>();

	private final Reconnects reconnects = new Reconnects();

	private final CompareAndDelete compareAndDelete = new CompareAndDelete();

	private final List<Runnable> onReplaced = new CopyOnWriteArrayList<>();

	/**
	 * Completes when the first attempt to connect, including the loading of the driver,
	 * has succeeded or failed, or the connect timeout of the driver has passed.
	 */
	private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();

	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> redis;

	/** Whether no commands are sent although the connection is open. */
	private volatile boolean paused;

	/**
	 * Creates a connector.
	 * @param opened returns the commands of its connection, and connects first if
	 * necessary, which blocks
	 * @param threads runs blocking tasks
	 */
	LettuceConnector(RedisConnections connections, Supplier<RedisClusterAsyncCommands<byte[], byte[]>> opened,
			DriverTimer timer, Executor threads) {
		this.connections = connections;
		this.opened = opened;
		this.timer = timer;
		this.threads = threads;
		// The server may be of another version by then.
		onReconnect(this::detectCompareAndDelete);
	}

	private void detectCompareAndDelete() {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (current != null) {
			this.compareAndDelete.detect(current);
		}
	}

	/** Returns the compare-and-delete command of the connected server. */
	CompareAndDelete compareAndDelete() {
		return this.compareAndDelete;
	}

	/**
	 * Runs the action as soon as Redis is connected, or at once if it is, unless its call
	 * has been answered by then. Without a connection the call times out.
	 */
	void whenConnected(Call<?> call, Consumer<RedisClusterAsyncCommands<byte[], byte[]>> action) {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (call.isDone()) {
			return;
		}
		if (current != null && isOpen(current)) {
			run(action, current, call);
		}
		else if (current != null && !isClosed(current)) {
			// The driver is reconnecting.
			retryLater(call, action);
		}
		else {
			connect().whenComplete((redis, failure) -> {
				if (failure != null) {
					call.fail(failure);
				}
				else if (isOpen(redis)) {
					run(action, redis, call);
				}
				else {
					retryLater(call, action);
				}
			});
		}
	}

	private void retryLater(Call<?> call, Consumer<RedisClusterAsyncCommands<byte[], byte[]>> action) {
		if (!this.timer.after(POLL_MILLIS, () -> whenConnected(call, action))) {
			call.fail(new IllegalStateException("Redis is not connected, and no further attempt can be scheduled"));
		}
	}

	/**
	 * Returns the commands if they can be sent, otherwise {@code null}, and connects if
	 * necessary.
	 */
	@Nullable RedisClusterAsyncCommands<byte[], byte[]> openOrConnect() {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (current != null && isOpen(current)) {
			return current;
		}
		if (current == null || isClosed(current)) {
			connect();
		}
		return null;
	}

	/**
	 * Runs the action at once if Redis was ever connected. The driver then sends its
	 * commands after a reconnection. Only for commands that must reach Redis, and whose
	 * number is bounded by earlier commands.
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

	/** Returns the commands of the connection; {@code null} if it was never opened. */
	@Nullable RedisClusterAsyncCommands<byte[], byte[]> current() {
		return this.redis;
	}

	/**
	 * Returns the future that completes when the first attempt to connect has ended, or
	 * has taken too long.
	 */
	CompletableFuture<?> firstAttempt() {
		return this.firstAttempt;
	}

	/**
	 * Sends no further commands, as if the connection were not open. Only commands that
	 * must reach Redis are sent.
	 */
	void pause() {
		this.paused = true;
	}

	/** Sends commands again. */
	void resume() {
		this.paused = false;
	}

	/**
	 * Returns the number of times that the connection was lost or reopened. The driver
	 * repeats the commands that were in flight.
	 */
	int reconnects() {
		return this.reconnects.count();
	}

	/** Runs the action each time the driver has reconnected. */
	void onReconnect(Runnable action) {
		this.reconnects.onReconnect(action);
	}

	/** Runs the action each time the connection has been replaced by another one. */
	void onReplaced(Runnable action) {
		this.onReplaced.add(action);
	}

	/**
	 * Begins to use the connection that has replaced the current one.
	 * @return completes when it is in use, or has failed
	 */
	CompletableFuture<?> replaced() {
		return connect().whenComplete((redis, failure) -> this.onReplaced.forEach(Runnable::run));
	}

	private static void run(Consumer<RedisClusterAsyncCommands<byte[], byte[]>> action,
			RedisClusterAsyncCommands<byte[], byte[]> redis, Call<?> call) {
		try {
			action.accept(redis);
		}
		catch (Throwable ex) {
			call.fail(ex);
		}
	}

	/**
	 * Connects if necessary. The first connection blocks its thread, so it is opened on
	 * another thread, once for all callers.
	 */
	CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connect() {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> mine = new CompletableFuture<>();
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> other = this.connecting.compareAndExchange(null,
				mine);
		if (other != null) {
			return other;
		}
		try {
			return mine.completeAsync(this::currentConnection, this.threads).whenComplete((redis, failure) -> {
				this.connecting.set(null);
				this.firstAttempt.complete(null);
			});
		}
		catch (Throwable ex) {
			// No thread could be started. The next caller tries again.
			this.connecting.set(null);
			mine.completeExceptionally(ex);
			this.firstAttempt.complete(null);
			return mine;
		}
	}

	private RedisClusterAsyncCommands<byte[], byte[]> currentConnection() {
		limitFirstAttempt();
		RedisClusterAsyncCommands<byte[], byte[]> current = this.opened.get();
		RedisClusterAsyncCommands<byte[], byte[]> old = this.redis;
		if (current != old) {
			StatefulConnection<byte[], byte[]> shared = connection(current);
			this.reconnects.follow(this.connections.client(), shared);
			CompletableFuture<?> loaded = Script.loadAll(current);
			if (old == null) {
				this.compareAndDelete.detect(current);
			}
			if (Reconnects.isComposed(shared)) {
				awaitFirstUse(CompletableFuture.allOf(loaded, connectToAll(shared)));
			}
			this.redis = current;
			if (old != null) {
				this.reconnects.reconnected();
			}
		}
		return current;
	}

	/**
	 * Ends the time of the first attempt, which the driver may not end for a server that
	 * accepts the connection and is silent.
	 */
	private void limitFirstAttempt() {
		if (!this.firstAttempt.isDone()) {
			Duration connectTimeout = this.connections.client().getOptions().getSocketOptions().getConnectTimeout();
			this.timer.timeout(connectTimeout.toNanos(), (timeout) -> this.firstAttempt.complete(null));
		}
	}

	private static void awaitFirstUse(CompletableFuture<?> ready) {
		try {
			ready.get(FIRST_USE_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// Ignored: the first commands then connect, or load their script, themselves.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
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

	/** Returns whether the connection is the current one. */
	boolean isCurrent(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return redis == this.redis && !isClosed(redis);
	}

	/** Returns whether commands are sent at once, and may be answered. */
	private boolean isOpen(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return connection(redis).isOpen() && !isClosed(redis) && !this.paused;
	}

	/** Returns whether the connection has been closed for good. */
	static boolean isClosed(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return redis instanceof AbstractRedisAsyncCommands<?, ?> commands
				&& commands.getConnection() instanceof RedisChannelHandler<?, ?> connection && connection.isClosed();
	}

	/** Returns the connection of the commands. */
	@SuppressWarnings("unchecked")
	static StatefulConnection<byte[], byte[]> connection(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return ((AbstractRedisAsyncCommands<byte[], byte[]>) redis).getConnection();
	}

}
