package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import io.lettuce.core.pubsub.api.sync.RedisPubSubCommands;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.StringUtils;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * Notification of waiters when a release cannot be published, and connections when no
 * thread can be started.
 */
@Tag("redis")
@ExtendWith(OutputCaptureExtension.class)
class LockPubSubTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final Duration TTL = Duration.ofMinutes(10);

	private static final String NOT_RECEIVED = "No messages about released locks are received through channel lock:released";

	private final LockKey key = new LockKey("channel", "taro");

	private final LocalRedis server = LocalRedis.started();

	private final RedisConnections connections = TestConnections.to("127.0.0.1", this.server.port());

	private final RedisLockStore holder = new RedisLockStore(this.connections, "lock", SOON, 0);

	@AfterEach
	void stop() {
		this.holder.close();
		this.server.close();
	}

	@Test
	@DisplayName("If publishing is forbidden, each instance logs it once, and waiters poll")
	void forbidden(CapturedOutput output) {
		this.server.ask("ACL SETUSER default -publish");
		AtomicInteger woken = assertWaits(this.connections);
		Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce(NOT_RECEIVED).contains("NOPERM"));
		int before = woken.get();
		Awaitility.await().until(() -> woken.get() > before + 2);
		assertThat(output).containsOnlyOnce(NOT_RECEIVED);
		assertThat(this.holder.lock(this.key).release("a", null)).succeedsWithin(SOON).isEqualTo(true);
		Awaitility.await().until(() -> StringUtils.countOccurrencesOf(output.toString(), NOT_RECEIVED) == 2);
	}

	@Test
	@DisplayName("If publishing becomes forbidden later, a release still succeeds, and its instance logs the consequence")
	void forbiddenLater(CapturedOutput output) {
		assertWaits(this.connections);
		Awaitility.await().until(() -> this.server.ask("INFO commandstats").contains("cmdstat_publish"));
		this.server.ask("ACL SETUSER default -publish");
		assertThat(this.holder.lock(this.key).release("a", null)).succeedsWithin(SOON).isEqualTo(true);
		Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce(NOT_RECEIVED).contains("NOPERM"));
	}

	@Test
	@DisplayName("If messages do not arrive, as on another shard, that is logged, and waiters poll")
	void sharded(CapturedOutput output) {
		try (LocalRedis shard = LocalRedis.started()) {
			RedisConnections elsewhere = TestConnections.to("127.0.0.1", shard.port());
			AtomicInteger woken = assertWaits(new Sharded(this.connections, elsewhere));
			Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce(NOT_RECEIVED));
			int before = woken.get();
			Awaitility.await().until(() -> woken.get() > before + 2);
			elsewhere.shutdown();
		}
	}

	@Test
	@DisplayName("A subscription made before there is a command connection is probed later")
	void shardedAndConnectedLater(CapturedOutput output) {
		try (LocalRedis shard = LocalRedis.started()) {
			RedisConnections elsewhere = TestConnections.to("127.0.0.1", shard.port());
			RedisConnections sharded = new Sharded(this.connections, elsewhere);
			Queue<Runnable> threads = new ConcurrentLinkedQueue<>();
			LettuceConnector connector = Watched.connector(sharded, threads::add);
			LockPubSub pubSub = new LockPubSub(sharded, connector, new DriverTimer(sharded), "lock:released");
			AtomicInteger woken = new AtomicInteger();
			pubSub.watch(new byte[] { 1 }, woken::incrementAndGet);
			pubSub.subscribe();
			Awaitility.await().until(() -> !threads.isEmpty());
			threads.remove().run();
			Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce(NOT_RECEIVED));
			int before = woken.get();
			Awaitility.await().until(() -> woken.get() > before + 2);
			pubSub.close();
			elsewhere.shutdown();
		}
	}

	@Test
	@DisplayName("While the subscription's server is paused, a missing message has no consequence")
	void pausedSubscriptionServer(CapturedOutput output) {
		try (LocalRedis shard = LocalRedis.started()) {
			RedisConnections elsewhere = TestConnections.to("127.0.0.1", shard.port());
			RedisConnections sharded = new Sharded(this.connections, elsewhere);
			Queue<Runnable> threads = new ConcurrentLinkedQueue<>();
			LettuceConnector connector = Watched.connector(sharded, threads::add);
			LockPubSub pubSub = new LockPubSub(sharded, connector, new DriverTimer(sharded), "lock:released");
			pubSub.expectWatchers();
			pubSub.subscribe();
			Awaitility.await().until(() -> !threads.isEmpty());
			shard.freeze();
			threads.remove().run();
			Awaitility.await().until(() -> this.server.ask("INFO commandstats").contains("cmdstat_publish"));
			Awaitility.await()
				.during(Duration.ofSeconds(2))
				.atMost(SOON)
				.untilAsserted(() -> assertThat(output).doesNotContain(NOT_RECEIVED));
			shard.thaw();
			Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce(NOT_RECEIVED));
			pubSub.close();
			elsewhere.shutdown();
		}
	}

	@Test
	@DisplayName("While messages arrive, waiters do not poll")
	void arrives(CapturedOutput output) {
		AtomicInteger woken = assertWaits(this.connections);
		Awaitility.await().until(() -> this.server.ask("INFO commandstats").contains("cmdstat_publish"));
		Awaitility.await()
			.during(Duration.ofSeconds(2))
			.atMost(SOON)
			.untilAsserted(() -> assertThat(output).doesNotContain(NOT_RECEIVED));
		assertThat(woken).hasValue(1);
	}

	@Test
	@DisplayName("However often the subscription is replaced, the waiters have one polling loop")
	void pollsOnce(CapturedOutput output) {
		LettuceConnector connector = Watched.connection(this.connections).connector();
		assertThat(connector.connect()).succeedsWithin(SOON);
		this.server.ask("ACL SETUSER default -publish");
		LockPubSub pubSub = new LockPubSub(this.connections, connector, new DriverTimer(this.connections),
				"lock:released");
		AtomicInteger woken = new AtomicInteger();
		pubSub.watch(new byte[] { 1 }, woken::incrementAndGet);
		for (int i = 1; i <= 20; i++) {
			int times = i;
			pubSub.message(pubSub.channel().name(), pubSub.channel().messageToOthers(new byte[0]));
			pubSub.subscribed(pubSub.channel().name(), 1);
			Awaitility.await()
				.pollInterval(Duration.ofMillis(2))
				.until(() -> StringUtils.countOccurrencesOf(output.toString(), NOT_RECEIVED) == times);
		}
		int before = woken.get();
		long start = System.nanoTime();
		Awaitility.await().until(() -> woken.get() >= before + 10);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(800));
		pubSub.close();
	}

	@Test
	@DisplayName("A fencing token is not mistaken for the answer that a release could not be published")
	void tokensAreNoAnswers() {
		StoredLock lock = this.holder.lock(this.key);
		for (int i = 0; i < 3; i++) {
			String owner = "owner" + i;
			AcquireCommand successor = AcquireCommand.of("successor", TTL).notifying(() -> {
			}).after(owner);
			assertThat(lock.acquire(AcquireCommand.of(owner, TTL))).succeedsWithin(SOON)
				.isEqualTo(new Granted(2 * i + 1));
			assertThat(lock.acquire(successor)).succeedsWithin(SOON).isEqualTo(new Granted(2 * i + 2));
			assertThat(lock.release("successor", null)).succeedsWithin(SOON).isEqualTo(true);
		}
	}

	@Test
	@DisplayName("If no thread can be started, connecting fails, and the next attempt connects")
	void noThreadToConnect() {
		LettuceConnector connector = Watched.connector(this.connections,
				failingOnce(ConnectingThreads.named("connect")));
		assertThat(connector.connect()).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(OutOfMemoryError.class);
		assertThat(connector.connect()).succeedsWithin(SOON);
	}

	@Test
	@DisplayName("If no thread can be started, subscribing fails, and the next attempt subscribes")
	void noThreadToSubscribe() {
		LettuceConnector connector = Watched.connection(this.connections).connector();
		LockPubSub pubSub = new LockPubSub(this.connections, connector, new DriverTimer(this.connections),
				"lock:released", failingOnce(ConnectingThreads.named("subscribe")));
		CompletableFuture<Boolean> woken = new CompletableFuture<>();
		pubSub.watch(new byte[] { 1 }, () -> woken.complete(true));
		pubSub.subscribe();
		pubSub.subscribe();
		assertThat(woken).succeedsWithin(SOON);
		pubSub.close();
	}

	@Test
	@DisplayName("If no thread can be started for the next poll, polling continues with the next waiter")
	void noThreadToPoll() {
		FailingExecutors executors = new FailingExecutors();
		RedisConnections connections = connections(executors);
		LettuceConnector connector = Watched.connection(connections).connector();
		assertThat(connector.connect()).succeedsWithin(SOON);
		this.server.ask("ACL SETUSER default -publish");
		LockPubSub pubSub = new LockPubSub(connections, connector, new DriverTimer(connections), "lock:released");
		AtomicInteger woken = new AtomicInteger();
		pubSub.watch(new byte[] { 1 }, woken::incrementAndGet);
		executors.failOnce();
		pubSub.subscribed(pubSub.channel().name(), 1);
		Awaitility.await().until(executors::hasFailed);
		assertThat(woken).hasValue(1);
		pubSub.watch(new byte[] { 2 }, () -> {
		});
		Awaitility.await().until(() -> woken.get() > 3);
		pubSub.close();
		connections.shutdown();
		executors.shutdownGracefully();
	}

	@Test
	@DisplayName("If no thread can be started for a delayed probe, the next subscription is probed")
	void noThreadToProbe() {
		FailingExecutors executors = new FailingExecutors();
		RedisConnections connections = connections(executors);
		Queue<Runnable> threads = new ConcurrentLinkedQueue<>();
		LettuceConnector connector = Watched.connector(connections, threads::add);
		LockPubSub pubSub = new LockPubSub(connections, connector, new DriverTimer(connections), "lock:released");
		executors.failOnce();
		pubSub.subscribed(pubSub.channel().name(), 1);
		assertThat(executors.hasFailed()).isTrue();
		pubSub.subscribed(pubSub.channel().name(), 1);
		threads.remove().run();
		Awaitility.await().until(() -> this.server.ask("INFO commandstats").contains("cmdstat_publish"));
		pubSub.close();
		connections.shutdown();
		executors.shutdownGracefully();
	}

	@Test
	@DisplayName("If no thread can be started to subscribe again, the next waiter subscribes")
	void noThreadToSubscribeAgain() {
		FailingExecutors executors = new FailingExecutors();
		RedisConnections connections = connections(executors);
		this.server.ask("ACL SETUSER default resetchannels");
		LockPubSub pubSub = new LockPubSub(connections, Watched.connection(connections).connector(),
				new DriverTimer(connections), "lock:released");
		AtomicInteger woken = new AtomicInteger();
		pubSub.watch(new byte[] { 1 }, woken::incrementAndGet);
		executors.failOnce();
		pubSub.subscribe();
		Awaitility.await().until(executors::hasFailed);
		assertThat(woken).hasValue(0);
		this.server.ask("ACL SETUSER default allchannels");
		Awaitility.await().until(() -> {
			pubSub.subscribe();
			return woken.get() > 0;
		});
		pubSub.close();
		connections.shutdown();
		executors.shutdownGracefully();
	}

	@Test
	@DisplayName("On interrupted threads, attempts to subscribe keep their delays")
	void interruptedThreads() {
		this.server.ask("ACL SETUSER default resetchannels");
		List<Long> attempts = new CopyOnWriteArrayList<>();
		LockPubSub pubSub = new LockPubSub(this.connections, Watched.connection(this.connections).connector(),
				new DriverTimer(this.connections), "lock:released",
				(task) -> ConnectingThreads.named("subscribe").execute(() -> {
					Thread.currentThread().interrupt();
					task.run();
				}));
		pubSub.watch(new byte[] { 1 }, () -> attempts.add(System.nanoTime()));
		pubSub.subscribe();
		Awaitility.await().until(() -> attempts.size() > 20);
		assertThat(Duration.ofNanos(attempts.get(20) - attempts.get(0))).isGreaterThan(Duration.ofMillis(1500));
		pubSub.close();
	}

	@Test
	@DisplayName("A subscription that could not be asked or read in time, but answers then, is not replaced")
	void answerIsRead() throws InterruptedException {
		CountDownLatch block = new CountDownLatch(1);
		AtomicInteger woken = new AtomicInteger();
		LettuceConnector connector = Watched.connection(this.connections).connector();
		LockPubSub pubSub = new LockPubSub(this.connections, connector, new DriverTimer(this.connections),
				"lock:released");
		byte[] lock = { 1 };
		pubSub.watch(lock, () -> {
			if (woken.incrementAndGet() > 1) {
				await(block);
			}
		});
		pubSub.subscribe();
		Awaitility.await().until(() -> woken.get() == 1);
		String subscription = subscription();
		// From here on, the thread that reads the subscription is blocked.
		assertThat(this.connections.commands()
			.publish(pubSub.channel().name(), pubSub.channel().message(lock))
			.toCompletableFuture()).succeedsWithin(SOON);
		Awaitility.await().until(() -> woken.get() == 2);
		long start = System.nanoTime();
		while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(1900)) {
			pubSub.subscribe();
			TimeUnit.MILLISECONDS.sleep(50);
		}
		// The PING is only sent when the thread continues, and takes a while.
		this.server.ask("CLIENT PAUSE 20");
		block.countDown();
		Awaitility.await().during(Duration.ofMillis(500)).atMost(SOON).until(() -> subscription().equals(subscription));
		pubSub.close();
	}

	@Test
	@DisplayName("A subscription whose PING only the driver has ended is silent, and is replaced")
	void timedOutByTheDriver() {
		AsyncCommand<byte[], byte[], String> pong = new AsyncCommand<>(
				new Command<>(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE)));
		pong.completeExceptionally(new RedisCommandTimeoutException("after 1 s"));
		RedisPubSubAsyncCommands<byte[], byte[]> commands = mock();
		when(commands.ping()).thenReturn(pong);
		RedisPubSubCommands<byte[], byte[]> blocking = mock();
		StatefulRedisPubSubConnection<byte[], byte[]> silent = mock();
		when(silent.isOpen()).thenReturn(true);
		when(silent.async()).thenReturn(commands);
		when(silent.sync()).thenReturn(blocking);
		AtomicInteger connected = new AtomicInteger();
		ReleaseWatchers watchers = new ReleaseWatchers();
		watchers.add(new byte[] { 1 }, () -> {
		});
		ReleaseSubscription subscription = new ReleaseSubscription(() -> {
			connected.incrementAndGet();
			return silent;
		}, new DriverTimer(this.connections), "lock:released", watchers, Runnable::run);
		Awaitility.await().until(() -> {
			subscription.subscribe();
			return connected.get() == 3;
		});
		subscription.close();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Returns the identifiers of the connections that are subscribed. */
	private String subscription() {
		return Pattern.compile("\\bid=\\d+")
			.matcher(this.server.ask("CLIENT LIST TYPE pubsub"))
			.results()
			.map(MatchResult::group)
			.collect(Collectors.joining(","));
	}

	@Test
	@DisplayName("If the driver does not reconnect, a lost subscription is replaced")
	void noReconnect() {
		RedisConnections connections = connections(ClientResources.create(), false);
		LockPubSub pubSub = new LockPubSub(connections, Watched.connection(connections).connector(),
				new DriverTimer(connections), "lock:released");
		AtomicInteger woken = new AtomicInteger();
		pubSub.watch(new byte[] { 1 }, woken::incrementAndGet);
		pubSub.subscribe();
		Awaitility.await().until(() -> woken.get() == 1);
		this.server.ask("CLIENT KILL TYPE pubsub");
		// Waiters poll.
		Awaitility.await().until(() -> {
			pubSub.subscribe();
			return woken.get() > 1;
		});
		pubSub.close();
		connections.shutdown();
	}

	@Test
	@DisplayName("Polling stops without waiters, resumes with the next waiter, and stops when messages arrive again")
	void pollsWhileNeeded(CapturedOutput output) {
		CountingExecutors executors = new CountingExecutors();
		RedisConnections connections = connections(executors);
		LettuceConnector connector = Watched.connection(connections).connector();
		assertThat(connector.connect()).succeedsWithin(SOON);
		this.server.ask("ACL SETUSER default -publish");
		LockPubSub pubSub = new LockPubSub(connections, connector, new DriverTimer(connections), "lock:released");
		byte[] lock = { 1 };
		AtomicInteger woken = new AtomicInteger();
		Runnable action = woken::incrementAndGet;
		pubSub.watch(lock, action);
		pubSub.subscribe();
		Awaitility.await().until(() -> woken.get() > 3);
		pubSub.unwatch(lock, action);
		int soFar = executors.scheduled.get();
		Awaitility.await().during(Duration.ofSeconds(1)).until(() -> executors.scheduled.get() <= soFar + 1);
		int before = woken.get();
		pubSub.watch(lock, action);
		Awaitility.await().until(() -> woken.get() > before + 3);
		this.server.ask("ACL SETUSER default +publish");
		AtomicInteger last = new AtomicInteger();
		Awaitility.await()
			.pollInterval(Duration.ofSeconds(2))
			.atMost(Duration.ofSeconds(40))
			.until(() -> last.getAndSet(woken.get()) == woken.get());
		assertThat(output).containsOnlyOnce(NOT_RECEIVED);
		pubSub.close();
		connections.shutdown();
		executors.shutdownGracefully();
	}

	private RedisConnections connections(EventExecutorGroup executors) {
		return connections(ClientResources.builder().eventExecutorGroup(executors).build(), true);
	}

	private RedisConnections connections(ClientResources resources, boolean autoReconnect) {
		RedisClient client = RedisClient.create(resources);
		RedisConnections connections = LettuceConnections.to(client, RedisURI.create("127.0.0.1", this.server.port()));
		// A possible setting of an application's client.
		client.setOptions(ClientOptions.builder().autoReconnect(autoReconnect).build());
		return connections;
	}

	private static Executor failingOnce(Executor threads) {
		AtomicBoolean failed = new AtomicBoolean();
		return (task) -> {
			if (failed.compareAndSet(false, true)) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			threads.execute(task);
		};
	}

	/**
	 * Makes an instance wait for the lock, and returns the counter of its notifications.
	 */
	private AtomicInteger assertWaits(RedisConnections connections) {
		AtomicInteger woken = new AtomicInteger();
		RedisLockStore waiter = new RedisLockStore(connections, "lock", SOON, 0);
		waiter.start();
		assertThat(this.holder.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		assertThat(waiter.lock(this.key).acquire(AcquireCommand.of("b", TTL).notifying(woken::incrementAndGet)))
			.succeedsWithin(SOON)
			.isInstanceOf(Held.class);
		return woken;
	}

	/** Directs subscriptions to another server than commands. */
	private record Sharded(RedisConnections commandsTo, RedisConnections subscriptionsTo) implements RedisConnections {

		@Override
		public boolean isClustered() {
			return false;
		}

		@Override
		public AbstractRedisClient client() {
			return this.commandsTo.client();
		}

		@Override
		public RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return this.commandsTo.commands();
		}

		@Override
		public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
			return this.subscriptionsTo.connectPubSub();
		}

	}

	/** Counts the tasks that were scheduled. */
	private static final class CountingExecutors extends DefaultEventExecutorGroup {

		private final AtomicInteger scheduled = new AtomicInteger();

		CountingExecutors() {
			super(2);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
			this.scheduled.incrementAndGet();
			return super.schedule(command, delay, unit);
		}

	}

}
