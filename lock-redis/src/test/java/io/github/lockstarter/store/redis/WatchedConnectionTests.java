package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection whose driver has no thread or timer left, or is shut down.
 */
@Tag("faults")
@Tag("redis")
class WatchedConnectionTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final LockKey key = new LockKey("connector", "taro");

	@Test
	@DisplayName("The topology of a cluster is refreshed again even if the driver cannot schedule the pause between two refreshes")
	void pauseBetweenRefreshesIsRejected() {
		RejectingExecutors executors = new RejectingExecutors();
		try (LocalRedis server = LocalRedis.started("--cluster-enabled", "yes")) {
			server.ask("CLUSTER ADDSLOTSRANGE 0 16383");
			Awaitility.await().until(() -> server.ask("CLUSTER INFO").contains("cluster_state:ok"));
			RedisClusterClient client = RedisClusterClient.create(
					ClientResources.builder().eventExecutorGroup(executors).build(),
					RedisURI.create("127.0.0.1", server.port()));
			RedisLockStore store = new RedisLockStore(LettuceConnections.to(client), "lock", Duration.ofMillis(500), 0);
			store.start();
			Awaitility.await().untilAsserted(() -> assertThat(store.lock(this.key).remaining()).succeedsWithin(SOON));
			server.freeze();
			Awaitility.await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
				assertThat(store.lock(this.key).remaining()).failsWithin(SOON);
				assertThat(executors.pauses).hasValueGreaterThan(1);
			});
			server.thaw();
			store.close();
		}
		finally {
			executors.shutdownGracefully();
		}
	}

	@Test
	@DisplayName("Each thread that connects can be interrupted")
	void threadsThatConnect() {
		ConnectingThreads threads = new ConnectingThreads();
		CountDownLatch connecting = new CountDownLatch(2);
		CountDownLatch interrupted = new CountDownLatch(2);
		for (int i = 0; i < 2; i++) {
			threads.execute(() -> {
				connecting.countDown();
				try {
					new CompletableFuture<>().get();
				}
				catch (InterruptedException ex) {
					interrupted.countDown();
				}
				catch (ExecutionException ex) {
					throw new AssertionError(ex);
				}
			});
		}
		Awaitility.await().until(() -> connecting.getCount() == 0);
		threads.interrupt();
		Awaitility.await().until(() -> interrupted.getCount() == 0);
	}

	@Test
	@DisplayName("Closing the store shuts down the driver, and then interrupts the threads that connect")
	void closedWhileConnecting() {
		NeverConnecting connections = new NeverConnecting();
		RedisLockStore store = new RedisLockStore(connections, "lock", Duration.ofMillis(500), 1);
		store.connect();
		Awaitility.await().until(() -> connections.connecting.getCount() == 0);
		store.close();
		Awaitility.await()
			.untilAsserted(() -> assertThat(connections.interrupted).as("the attempts for commands and for grants")
				.containsExactly("after shutdown", "after shutdown"));
	}

	@Test
	@DisplayName("If the driver's timer cannot start, the call fails")
	void timerCannotStart() {
		ClientResources resources = ClientResources.builder().timer(new HashedWheelTimer() {

			@Override
			public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
				throw new OutOfMemoryError("unable to create native thread");
			}

		}).build();
		RedisClient client = RedisClient.create(resources);
		WatchedConnection connection = Watched
			.connection(DriverStub.connections(client, DriverStub.commands((command) -> {
			})));
		connection.connector().connect();
		assertThat(connection.timeouts().begin(this.key)).failsWithin(SOON)
			.withThrowableThat()
			.withRootCauseInstanceOf(OutOfMemoryError.class);
		client.shutdownAsync();
		resources.shutdown();
	}

	/** Connections whose attempts to connect end only with an interrupt. */
	private static final class NeverConnecting implements RedisConnections {

		private final RedisClient client = RedisClient.create();

		private final CountDownLatch connecting = new CountDownLatch(2);

		private final List<String> interrupted = new CopyOnWriteArrayList<>();

		private volatile boolean shutDown;

		@Override
		public boolean isClustered() {
			return false;
		}

		@Override
		public RedisClient client() {
			return this.client;
		}

		@Override
		public RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return connect();
		}

		@Override
		public RedisClusterAsyncCommands<byte[], byte[]> grantCommands() {
			return connect();
		}

		private RedisClusterAsyncCommands<byte[], byte[]> connect() {
			this.connecting.countDown();
			try {
				new CompletableFuture<>().get();
				throw new AssertionError("connected");
			}
			catch (InterruptedException ex) {
				this.interrupted.add(this.shutDown ? "after shutdown" : "before shutdown");
				throw new IllegalStateException(ex);
			}
			catch (ExecutionException ex) {
				throw new AssertionError(ex);
			}
		}

		@Override
		public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void shutdown() {
			this.client.shutdown();
			this.shutDown = true;
		}

	}

	/** Executors that reject the first pause between two refreshes. */
	private static final class RejectingExecutors extends DefaultEventExecutorGroup {

		private final AtomicInteger pauses = new AtomicInteger();

		RejectingExecutors() {
			super(2);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
			boolean isPause = command.getClass().getName().startsWith(TopologyRefresh.class.getName());
			if (isPause && this.pauses.getAndIncrement() == 0) {
				throw new RejectedExecutionException("the executor is shut down");
			}
			return super.schedule(command, delay, unit);
		}

	}

}
