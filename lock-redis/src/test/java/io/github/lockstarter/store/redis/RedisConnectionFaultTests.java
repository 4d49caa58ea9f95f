package io.github.lockstarter.store.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.Base16;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandSucceededEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Commands whose connection breaks while Redis is up, as behind a load balancer, a
 * firewall or NAT.
 */
@Tag("faults")
@Tag("redis")
class RedisConnectionFaultTests {

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	/** The maximum time of an answer on a busy machine. */
	private static final Duration SOON = Duration.ofSeconds(10);

	private static final Duration TTL = Duration.ofMinutes(10);

	private final LockKey key = new LockKey("reset", "taro");

	private final LocalRedis server = LocalRedis.started();

	private final TcpProxy proxy = new TcpProxy(this.server.port());

	private final RedisLockStore store = new RedisLockStore(TestConnections.to("127.0.0.1", this.proxy.port()), "lock",
			TIMEOUT, 0);

	private final RedisLockStore patient = new RedisLockStore(TestConnections.to("127.0.0.1", this.proxy.port()),
			"lock", SOON, 0);

	/** Connected directly, without the proxy. */
	private final RedisLockStore other = new RedisLockStore(TestConnections.to("127.0.0.1", this.server.port()), "lock",
			SOON, 0);

	@AfterEach
	void stop() {
		this.store.close();
		this.patient.close();
		this.other.close();
		this.proxy.close();
		this.server.close();
	}

	@RepeatedTest(3)
	@DisplayName("A release that is reset is repeated over the next connection, and its caller gets the result")
	void resetDuringRelease() {
		connect(this.patient);
		assertThat(this.patient.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		this.proxy.dropAll();
		CompletionStage<Boolean> released = this.patient.lock(this.key).release("a", null);
		Awaitility.await().until(() -> this.proxy.droppedBytes() > 0);
		this.proxy.reset();
		assertThat(released).succeedsWithin(SOON).isEqualTo(true);
		assertThat(locks()).isZero();
	}

	@RepeatedTest(3)
	@DisplayName("A release that is reset after its caller has given up is repeated")
	void resetAfterTimeout() {
		connect(this.store);
		assertThat(this.other.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		this.proxy.dropAll();
		assertThat(this.store.lock(this.key).release("a", null)).failsWithin(SOON);
		this.proxy.reset();
		Awaitility.await().until(() -> locks() == 0);
	}

	@Test
	@DisplayName("A release that Redis refuses because of missing replicas is repeated until it is accepted")
	void refusedForAWhile() {
		connect(this.store);
		assertThat(this.other.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		this.server.ask("CONFIG SET min-replicas-to-write 1");
		assertThat(this.store.lock(this.key).release("a", null)).failsWithin(SOON);
		assertThat(locks()).isEqualTo(1);
		this.server.ask("CONFIG SET min-replicas-to-write 0");
		Awaitility.await().until(() -> locks() == 0);
	}

	@RepeatedTest(3)
	@DisplayName("A grant whose answer is lost by a reset is released")
	void resetDuringAcquire() {
		connect(this.patient);
		this.proxy.dropReplies();
		CompletionStage<AcquireResult> acquired = this.patient.lock(this.key).acquire(AcquireCommand.of("a", TTL));
		Awaitility.await().until(() -> locks() == 1);
		this.proxy.reset();
		assertThat(acquired).failsWithin(SOON);
		Awaitility.await().until(() -> locks() == 0);
	}

	@RepeatedTest(3)
	@DisplayName("A turn handed over before a reset: the lock of a successor without an answer is released")
	void resetDuringHandOver() {
		connect(this.patient);
		assertThat(this.patient.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		this.proxy.dropReplies();
		CompletionStage<?> handedOver = this.patient.lock(this.key)
			.acquire(AcquireCommand.of("b", TTL).notifying(() -> {
			}).after("a"));
		Awaitility.await().until(() -> this.server.ask("GET " + lock()).equals("b!"));
		AtomicInteger woken = new AtomicInteger();
		this.other.expectWaiters();
		assertThat(this.other.lock(this.key).acquire(AcquireCommand.of("c", TTL).notifying(woken::incrementAndGet)))
			.succeedsWithin(SOON)
			.isInstanceOf(Held.class);
		this.proxy.reset();
		assertThat(handedOver).failsWithin(SOON);
		Awaitility.await().until(() -> locks() == 0);
		Awaitility.await().until(() -> woken.get() > 0);
	}

	@Test
	@DisplayName("A turn handed over before a reset: one release frees the lock of the successor")
	void resetDuringHandOverReleasesOnce() {
		RedisConnections connections = TestConnections.to("127.0.0.1", this.proxy.port());
		AtomicInteger releases = new AtomicInteger();
		String release = Base16.digest(Script.RELEASE.text().getBytes(StandardCharsets.UTF_8));
		connections.client().addListener(new CommandListener() {

			@Override
			public void commandSucceeded(CommandSucceededEvent event) {
				ByteBuf command = Unpooled.buffer();
				event.getCommand().encode(command);
				String sent = command.toString(StandardCharsets.UTF_8);
				if (sent.contains(release) && sent.contains("\r\nsuccessor!\r\n")) {
					releases.incrementAndGet();
				}
			}

		});
		RedisLockStore store = new RedisLockStore(connections, "lock", SOON, 0);
		connect(store);
		assertThat(store.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		this.proxy.dropReplies();
		CompletionStage<?> handedOver = store.lock(this.key)
			.acquire(AcquireCommand.of("successor", TTL).notifying(() -> {
			}).after("a"));
		Awaitility.await().until(() -> this.server.ask("GET " + lock()).equals("successor!"));
		this.proxy.reset();
		assertThat(handedOver).failsWithin(SOON);
		Awaitility.await().until(() -> locks() == 0);
		Awaitility.await().during(Duration.ofSeconds(1)).atMost(SOON).until(() -> releases.get() == 1);
		store.close();
	}

	@RepeatedTest(3)
	@DisplayName("A reset before Redis gets the hand-over of a turn: the following release frees the lock")
	void resetBeforeHandOver() {
		connect(this.patient);
		assertThat(this.patient.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		this.proxy.dropAll();
		CompletionStage<?> handedOver = this.patient.lock(this.key)
			.acquire(AcquireCommand.of("b", TTL).notifying(() -> {
			}).after("a"));
		Awaitility.await().until(() -> this.proxy.droppedBytes() > 0);
		this.proxy.reset();
		assertThat(handedOver).failsWithin(SOON);
		assertThat(this.patient.lock(this.key).release("a", null)).succeedsWithin(SOON);
		Awaitility.await().until(() -> locks() == 0);
	}

	@Test
	@DisplayName("A silent connection is replaced within seconds, and a release in flight is not lost")
	void silent() {
		connect(this.store);
		assertThat(this.patient.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		this.proxy.dropAll();
		assertThat(this.store.lock(this.key).release("a", null)).failsWithin(SOON);
		AtomicInteger attempts = new AtomicInteger();
		// A failed attempt is undone later, so each attempt has a new owner.
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(this.store.lock(new LockKey("reset", "jiro"))
				.acquire(AcquireCommand.of("b" + attempts.incrementAndGet(), TTL))).succeedsWithin(SOON)
				.isInstanceOf(Granted.class));
		Awaitility.await().until(() -> locks() == 1);
		// The silent connection is closed, and that of the other store is still open.
		Awaitility.await().until(() -> this.proxy.connections() == 2);
	}

	@Test
	@DisplayName("A grant whose connection falls silent is released")
	void silentAfterGrant() {
		connect(this.store);
		this.proxy.dropReplies();
		CompletionStage<AcquireResult> acquired = this.store.lock(this.key).acquire(AcquireCommand.of("a", TTL));
		Awaitility.await().until(() -> locks() == 1);
		assertThat(acquired).failsWithin(SOON);
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> locks() == 0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	@DisplayName("A lost release is not repeated after its owner token has acquired the lock again")
	void releasedAndAcquiredAgain(int sentBefore) {
		RedisConnections connections = TestConnections.to("127.0.0.1", this.server.port());
		WatchedConnection connection = Watched.connection(connections);
		RedisClusterAsyncCommands<byte[], byte[]> redis = connection.connector().connect().join();
		RetriedReleases releases = new RetriedReleases(connection);
		AtomicInteger sent = new AtomicInteger();
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		IOException reset = new IOException("Connection reset by peer");
		Consumer<RedisClusterAsyncCommands<byte[], byte[]>> release = releases.release(this.key, "token",
				(over, abandoned, reply) -> {
					if (sent.incrementAndGet() == sentBefore) {
						releases.cancel(this.key, "token");
					}
					boolean isSentAgain = sent.get() > sentBefore;
					reply.accept(isSentAgain ? 1L : null, isSentAgain ? null : reset);
				}, (number, failure) -> outcome.complete(failure));
		if (sentBefore == 0) {
			releases.cancel(this.key, "token");
		}
		release.accept(redis);
		assertThat(outcome).succeedsWithin(SOON).isEqualTo((sentBefore > 0) ? reset : null);
		assertThat(sent).hasValue(sentBefore);
		connections.shutdown();
	}

	@Test
	@DisplayName("With the application's connection factory, a silent connection is left but not closed, and its database is kept")
	void silentFactory() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", this.proxy.port());
		configuration.setDatabase(3);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		RedisLockStore store = new RedisLockStore(new SpringDataConnections(factory), "lock", TIMEOUT, 0);
		connect(store);
		RedisConnection shared = factory.getConnection();
		this.proxy.dropAll();
		List<CompletionStage<AcquireResult>> unanswered = IntStream.range(0, 100)
			.mapToObj((i) -> store.lock(new LockKey("reset", "lost" + i)).acquire(AcquireCommand.of("a", TTL)))
			.toList();
		assertThat(unanswered).allSatisfy((each) -> assertThat(each).failsWithin(SOON));
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.untilAsserted(
					() -> assertThat(store.lock(this.key).acquire(AcquireCommand.of("b", TTL))).succeedsWithin(SOON)
						.isInstanceOf(Granted.class));
		assertThat(this.server.ask("INFO keyspace")).contains("db3:keys=").doesNotContain("db0");
		assertThat(shared.isClosed()).isFalse();
		store.stop();
		factory.destroy();
	}

	@Test
	@DisplayName("When Redis is known to be frozen, the driver is given no more commands until Redis resumes")
	void frozen() {
		AtomicInteger sent = new AtomicInteger();
		RedisConnections connections = TestConnections.to("127.0.0.1", this.server.port());
		connections.client().addListener(new CommandListener() {

			@Override
			public void commandSucceeded(CommandSucceededEvent event) {
				if (event.getCommand().getType().toString().equals("PTTL")) {
					sent.incrementAndGet();
				}
			}

		});
		RedisLockStore store = new RedisLockStore(connections, "lock", TIMEOUT, 0);
		connect(store);
		this.server.freeze();
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
			int before = sent.get();
			assertThat(store.lock(this.key).remaining()).failsWithin(SOON);
			return sent.get() == before;
		});
		this.server.thaw();
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(store.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON)
						.isInstanceOf(Granted.class));
		store.close();
	}

	/** Repeats a call, which may fail if the machine pauses. */
	private void connect(RedisLockStore store) {
		store.start();
		Awaitility.await()
			.untilAsserted(() -> assertThat(store.lock(this.key).remaining()).succeedsWithin(SOON)
				.isEqualTo(Optional.empty()));
	}

	private int locks() {
		return Integer.parseInt(this.server.ask("KEYS lock:{*").substring(1));
	}

	private String lock() {
		return new String(new RedisKeys("lock").lock(this.key));
	}

}
