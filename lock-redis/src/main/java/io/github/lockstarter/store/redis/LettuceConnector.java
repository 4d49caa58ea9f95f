package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.RunningTime;
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

	private static final long BETWEEN_REFRESHES_MILLIS = 1000;

	private static final long FIRST_USE_MILLIS = 1000;

	/** Calls with a longer timeout are judged by an ordinary clock in the end. */
	private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);

	private final RedisConnections connections;

	private final Supplier<RedisClusterAsyncCommands<byte[], byte[]>> opened;

	private final Executor threads;

	private final AtomicReference<@Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>>> connecting = new AtomicReference<>();

	private final Reconnects reconnects = new Reconnects();

	private final SilenceWatch silence;

	private final RefusalWatch refusals;

	private final List<Runnable> onReplaced = new CopyOnWriteArrayList<>();

	/** The threads that may be connecting. */
	private final Set<Thread> connectingThreads = ConcurrentHashMap.newKeySet();

	/**
	 * Completes when the first attempt to connect, including the loading of the driver,
	 * has succeeded or failed, or the connect timeout of the driver has passed.
	 */
	private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();

	private final ReadBarrier barrier;

	private final RunningTime time;

	/** Whether the driver is refreshing its list of the servers of a cluster. */
	private final AtomicBoolean refreshing = new AtomicBoolean();

	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> redis;

	/**
	 * Creates a connector for the connection that all commands share.
	 * @param longestWait the longest time for which one {@code WAIT} may delay the
	 * commands after it, because grants may share the connection
	 */
	LettuceConnector(RedisConnections connections, Duration longestWait) {
		this(connections, connections::commands, LettuceConnector::onOwnThread, longestWait);
	}

	/** Returns a connector for the connection that only grants use. */
	static LettuceConnector ofGrants(RedisConnections connections, Duration longestWait) {
		return new LettuceConnector(connections, connections::grantCommands, LettuceConnector::onOwnThread,
				longestWait);
	}

	/**
	 * Creates a connector.
	 * @param opened returns the commands of its connection, and connects first if
	 * necessary, which blocks
	 * @param threads runs blocking tasks
	 * @param longestWait the longest time for which one {@code WAIT} may delay the
	 * commands after it
	 */
	LettuceConnector(RedisConnections connections, Supplier<RedisClusterAsyncCommands<byte[], byte[]>> opened,
			Executor threads, Duration longestWait) {
		this.connections = connections;
		this.opened = opened;
		this.threads = threads;
		this.silence = new SilenceWatch(connections, this, longestWait);
		this.refusals = new RefusalWatch(connections, this);
		this.barrier = new ReadBarrier(() -> connections.client().getResources());
		this.time = new RunningTime(LONGEST_TIMEOUT, this::tickLater);
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
		if (!after(POLL_MILLIS, () -> whenConnected(call, action))) {
			call.fail(new IllegalStateException("Redis is not connected, and no further attempt can be scheduled"));
		}
	}

	/**
	 * Runs the action after a pause, on a thread of the driver.
	 * @return {@code false} if the action will never run: the driver has been shut down,
	 * or cannot start a thread
	 */
	boolean after(long millis, Runnable action) {
		try {
			this.connections.client()
				.getResources()
				.eventExecutorGroup()
				.schedule(action, millis, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (Throwable ex) {
			// Includes an Error: the driver starts its threads on first use.
			return false;
		}
	}

	/**
	 * Runs the action after a pause, when the replies that have arrived by then were
	 * read.
	 * @return {@code false} if the action will never run
	 */
	boolean afterReading(long millis, Runnable action) {
		return after(millis, () -> this.barrier.afterRead(action));
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

	/**
	 * Fails the call at the timeout, to the driver's tick of 100 ms, unless its reply has
	 * arrived by then. The time of the first attempt to connect does not count: the
	 * connect timeout of the driver limits it.
	 */
	void expire(Call<?> call, Duration timeout) {
		if (this.firstAttempt.isDone()) {
			setAlarm(call, timeout);
		}
		else {
			this.firstAttempt.whenComplete((done, failure) -> setAlarm(call, timeout));
		}
	}

	private void setAlarm(Call<?> call, Duration timeout) {
		long until = this.time.begin() + timeout.toNanos();
		setAlarm(call, timeout.toNanos(), () -> judge(call, until, timeout));
	}

	private void setAlarm(Call<?> call, long nanos, Runnable action) {
		try {
			call.setAlarm(this.connections.client()
				.getResources()
				.timer()
				.newTimeout((alarm) -> this.barrier.afterRead(action), nanos, TimeUnit.NANOSECONDS));
		}
		catch (Throwable ex) {
			// The driver has been shut down, has too many timeouts, or has no thread.
			call.fail(ex);
		}
	}

	/** The time for which the process stood still does not count. */
	private void judge(Call<?> call, long until, Duration timeout) {
		long left = until - this.time.nanoTime();
		if (left > 0 && !call.isDone()) {
			setAlarm(call, left, () -> judge(call, until, timeout));
		}
		else if (call.expire(timeout)) {
			late(this.connections.client(), timeout);
		}
	}

	private boolean tickLater(Runnable tick, long nanos) {
		try {
			this.connections.client()
				.getResources()
				.timer()
				.newTimeout((each) -> tick.run(), nanos, TimeUnit.NANOSECONDS);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

	private void late(AbstractRedisClient client, Duration timeout) {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (current == null) {
			return;
		}
		if (client instanceof RedisClusterClient cluster) {
			refreshMasters(cluster, current, timeout);
		}
		else if (connection(current).isOpen()) {
			this.silence.suspect(current);
		}
	}

	/**
	 * Considers the failure of a command: the server may no longer serve this client.
	 * @param timeout the longest time to wait for an answer
	 */
	void failed(Throwable failure, Duration timeout) {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.redis;
		if (current != null && this.refusals.consider(current, failure)
				&& this.connections.client() instanceof RedisClusterClient cluster) {
			refreshMasters(cluster, current, timeout);
		}
	}

	/**
	 * Makes the driver refresh its list of the masters of a cluster. The driver does so
	 * itself only when a connection breaks. The connection to a server that is
	 * unresponsive or cut off does not break, and the driver would wait for the answer of
	 * that server, too, for the timeout of a command: 60 s.
	 * <p>
	 * This runs on the driver's timer. Without a connection there is no list of servers,
	 * and the client would block to create one.
	 */
	private void refreshMasters(RedisClusterClient cluster, RedisClusterAsyncCommands<byte[], byte[]> current,
			Duration timeout) {
		if (connection(current) instanceof StatefulRedisClusterConnection<byte[], byte[]> shared
				&& this.refreshing.compareAndSet(false, true)) {
			try {
				shared.getPartitions().forEach((node) -> node.getUri().setTimeout(timeout));
				cluster.refreshPartitionsAsync().whenComplete((done, failure) -> allowRefreshLater(cluster));
			}
			catch (Throwable ex) {
				allowRefreshLater(cluster);
			}
		}
	}

	private void allowRefreshLater(AbstractRedisClient client) {
		try {
			client.getResources()
				.timer()
				.newTimeout((pause) -> this.refreshing.set(false), BETWEEN_REFRESHES_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (Throwable ex) {
			// The timer has been shut down, or has too many timeouts.
			this.refreshing.set(false);
		}
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
			return mine.completeAsync(this::currentConnection, this::runOnThread).whenComplete((redis, failure) -> {
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

	/**
	 * Ends the attempts to connect. To be called after the driver has been shut down,
	 * because some attempts would then never end.
	 */
	void interruptConnecting() {
		this.connectingThreads.forEach(Thread::interrupt);
	}

	private RedisClusterAsyncCommands<byte[], byte[]> currentConnection() {
		limitFirstAttempt(this.connections.client());
		RedisClusterAsyncCommands<byte[], byte[]> current = this.opened.get();
		RedisClusterAsyncCommands<byte[], byte[]> old = this.redis;
		if (current != old) {
			StatefulConnection<byte[], byte[]> shared = connection(current);
			this.reconnects.follow(this.connections.client(), shared);
			CompletableFuture<?> loaded = Script.loadAll(current);
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
	private void limitFirstAttempt(AbstractRedisClient client) {
		if (!this.firstAttempt.isDone()) {
			client.getResources()
				.timer()
				.newTimeout((alarm) -> this.firstAttempt.complete(null),
						client.getOptions().getSocketOptions().getConnectTimeout().toMillis(), TimeUnit.MILLISECONDS);
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

	/** Runs a task that connects, which blocks, on another thread. */
	void runOnThread(Runnable task) {
		this.threads.execute(() -> {
			Thread thread = Thread.currentThread();
			this.connectingThreads.add(thread);
			try {
				task.run();
			}
			finally {
				this.connectingThreads.remove(thread);
			}
		});
	}

	static void onOwnThread(Runnable task) {
		Thread thread = new Thread(task, "lock-redis-connect");
		thread.setDaemon(true);
		thread.start();
	}

	/** Returns whether the connection is the current one. */
	boolean isCurrent(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return redis == this.redis && !isClosed(redis);
	}

	/** Returns whether commands are sent at once, and may be answered. */
	private boolean isOpen(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		return connection(redis).isOpen() && !isClosed(redis) && !this.silence.isSilent();
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
