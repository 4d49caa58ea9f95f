package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.ProtocolKeyword;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TcpProxy;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Another server takes over behind one address, while the connections to the old one
 * remain open.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("faults")
@Tag("redis")
class ReplacedServerTests {

	/** Allows for pauses of the machine. */
	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockKey KEY = new LockKey("replaced", "taro");

	private static final List<LettuceConnectionFactory> factories = new ArrayList<>();

	private final LocalRedis first = LocalRedis.started("--repl-diskless-sync-delay", "0");

	private final LocalRedis second = LocalRedis.started("--replicaof", "127.0.0.1 " + this.first.port());

	private final TcpProxy proxy = new TcpProxy(this.first.port());

	@BeforeEach
	void awaitReplica() {
		Awaitility.await().atMost(SOON).until(() -> this.first.ask("WAIT 1 1000").equals(":1"));
	}

	@AfterEach
	void stop() {
		factories.forEach(LettuceConnectionFactory::destroy);
		factories.clear();
		this.proxy.close();
		this.first.close();
		this.second.close();
	}

	static Stream<Arguments> connections() {
		return Stream.of(Arguments.of("own", 0, (IntFunction<RedisConnections>) ReplacedServerTests::own),
				Arguments.of("own, with acknowledgements", 1, (IntFunction<RedisConnections>) ReplacedServerTests::own),
				Arguments.of("of Spring Data", 0, (IntFunction<RedisConnections>) ReplacedServerTests::ofSpringData),
				Arguments.of("of Spring Data, with acknowledgements", 1,
						(IntFunction<RedisConnections>) ReplacedServerTests::ofSpringData));
	}

	private static RedisConnections own(int port) {
		return TestConnections.to("127.0.0.1", port);
	}

	private static RedisConnections ofSpringData(int port) {
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory("127.0.0.1", port);
		factories.add(factory);
		return new SpringDataConnections(factory);
	}

	@ParameterizedTest(name = "connections {0}")
	@MethodSource("connections")
	@DisplayName("After the roles were swapped, locks are granted by the new primary, held leases are renewed there, and waiters are notified there")
	void swappedRoles(String kind, int replicasToAck, IntFunction<RedisConnections> connections,
			CapturedOutput output) {
		try (RedisInstance instance = instance(connections, replicasToAck);
				RedisInstance other = instance(connections, replicasToAck)) {
			awaitLock(instance, other);
			Lease held = instance.locks().acquire(new LockKey("replaced", "held"), OPTIONS);
			Awaitility.await().atMost(SOON).until(() -> this.second.ask("DBSIZE").equals(this.first.ask("DBSIZE")));
			swapRoles();
			Stream.of(instance, other).forEach(ReplacedServerTests::awaitGrant);
			// So that only a renewal there makes it longer.
			assertThat(onSecond("redis.call('PEXPIRE', KEYS[1], 15000)")).isEqualTo(":1");
			Awaitility.await()
				.atMost(OPTIONS.ttl())
				.until(() -> Long.parseLong(onSecond("redis.call('PTTL', KEYS[1])").substring(1)) > 20_000);
			assertThat(held.isHeld()).isTrue();
			assertThat(output.toString().lines().filter((line) -> line.contains("The connection was replaced")))
				.hasSizeLessThanOrEqualTo(4)
				.first()
				.asString()
				.contains("READONLY");
			Awaitility.await().atMost(SOON).until(() -> this.second.ask("PUBSUB CHANNELS lock:released").equals("*1"));
			held.close();
			assertThat(this.second.ask("KEYS lock:{*:held")).isEqualTo("*0");
		}
	}

	@Test
	@DisplayName("A lease that the new primary does not have is lost as soon as the connection is replaced")
	void notReplicated() {
		try (RedisInstance instance = instance(ReplacedServerTests::own)) {
			this.second.ask("REPLICAOF NO ONE");
			Lease held = instance.locks().acquire(KEY, LockOptions.of(Duration.ofMinutes(10)));
			this.first.ask("REPLICAOF 127.0.0.1 " + this.second.port());
			this.proxy.redirect(this.second.port());
			Awaitility.await()
				.atMost(SOON)
				.ignoreException(LockStoreException.class)
				.until(() -> instance.locks().tryAcquire(new LockKey("replaced", "other"), OPTIONS).isPresent());
			Awaitility.await().atMost(SOON).until(() -> !held.isHeld());
			Awaitility.await().atMost(SOON).until(() -> instance.losses().size() == 1);
		}
	}

	@Test
	@DisplayName("A release that the old primary refuses frees the lock on the new one, long before its time to live")
	void releaseIsRepeated() {
		try (RedisInstance instance = instance(ReplacedServerTests::own)) {
			Lease held = instance.locks().acquire(KEY, LockOptions.of(Duration.ofMinutes(10)));
			Awaitility.await().atMost(SOON).until(() -> this.second.ask("KEYS lock:{*:taro").equals("*1"));
			swapRoles();
			held.releaseAsync();
			Awaitility.await().atMost(SOON).until(() -> this.second.ask("KEYS lock:{*:taro").equals("*0"));
		}
	}

	@Test
	@DisplayName("While no server accepts writes, the connection is replaced at most once a second, and that is logged once")
	void replacedOnceASecond(CapturedOutput output) {
		try (RedisInstance instance = instance(ReplacedServerTests::own)) {
			this.first.ask("REPLICAOF 127.0.0.1 " + this.second.port());
			long start = System.nanoTime();
			int before = this.proxy.accepted();
			while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(3)) {
				assertThat(tryAcquire(instance)).isFalse();
			}
			int seconds = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
			assertThat(this.proxy.accepted() - before).isBetween(2, seconds + 3);
			assertThat(output).containsOnlyOnce("The connection was replaced");
			this.first.ask("REPLICAOF NO ONE");
			awaitGrant(instance);
		}
	}

	@Test
	@DisplayName("A connection that is no longer authenticated is replaced by one that is, and its release is repeated")
	void notAuthenticated() {
		this.first.ask("CONFIG SET requirepass secret");
		RedisConnections connections = TestConnections.to(RedisURI.builder()
			.withHost("127.0.0.1")
			.withPort(this.proxy.port())
			.withPassword("secret".toCharArray())
			.build());
		try (RedisInstance instance = instance((port) -> connections)) {
			Lease held = instance.locks().acquire(KEY, LockOptions.of(Duration.ofMinutes(10)));
			RedisClusterAsyncCommands<byte[], byte[]> before = connections.commands();
			assertThat(before.dispatch(Reset.RESET, new StatusOutput<>(ByteArrayCodec.INSTANCE)).toCompletableFuture())
				.succeedsWithin(SOON);
			CompletableFuture<Void> released = held.releaseAsync().toCompletableFuture();
			awaitGrant(instance);
			assertThat(released).succeedsWithin(SOON);
			assertThat(connections.commands()).isNotSameAs(before);
		}
	}

	@Test
	@DisplayName("With a static list of master and replica, locks are granted by the new master after the roles were swapped")
	void staticReplicas() {
		List<RedisURI> servers = Stream.of(this.first, this.second)
			.map((each) -> RedisURI.create("127.0.0.1", each.port()))
			.toList();
		try (RedisInstance instance = instance((port) -> LettuceConnections.to(RedisClient.create(), servers))) {
			awaitGrant(instance);
			swapRoles();
			awaitGrant(instance);
		}
	}

	@Test
	@DisplayName("A static list of master and replica of Spring Data works with acknowledgements; after the roles were swapped, the log says that the application's connection cannot be replaced")
	void staticReplicasOfSpringData(CapturedOutput output) {
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				this.first.port());
		servers.addNode("127.0.0.1", this.second.port());
		LettuceConnectionFactory factory = new LettuceConnectionFactory(servers);
		factories.add(factory);
		factory.afterPropertiesSet();
		factory.start();
		try (RedisInstance instance = instance((port) -> new SpringDataConnections(factory), 1)) {
			awaitGrant(instance);
			swapRoles();
			Awaitility.await().atMost(SOON).until(() -> {
				tryAcquire(instance);
				return output.toString().contains("cannot be replaced because it belongs to the application");
			});
		}
	}

	private RedisInstance instance(IntFunction<RedisConnections> connections) {
		return instance(connections, 0);
	}

	private RedisInstance instance(IntFunction<RedisConnections> connections, int replicasToAck) {
		return new RedisInstance(connections.apply(this.proxy.port()), "lock", replicasToAck, 100,
				Duration.ofSeconds(2));
	}

	/** Calls the second server about the held lock, {@code KEYS[1]}. */
	private String onSecond(String call) {
		return this.second
			.ask("EVAL \"return %s\" 0".formatted(call.replace("KEYS[1]", "redis.call('KEYS', 'lock:{*:held')[1]")));
	}

	/** The first server becomes the replica of the second one. */
	private void swapRoles() {
		this.second.ask("REPLICAOF NO ONE");
		this.first.ask("REPLICAOF 127.0.0.1 " + this.second.port());
		this.proxy.redirect(this.second.port());
	}

	private static void awaitGrant(RedisInstance instance) {
		Awaitility.await().atMost(SOON).pollInterval(Duration.ofMillis(50)).until(() -> tryAcquire(instance));
	}

	private static boolean tryAcquire(RedisInstance instance) {
		try {
			instance.locks().acquire(KEY, OPTIONS).close();
			return true;
		}
		catch (LockStoreException ex) {
			return false;
		}
	}

	/** Subscribes, because it waits for the lock. */
	private static void awaitLock(RedisInstance holder, RedisInstance waiter) {
		Lease lease = holder.locks().acquire(KEY, OPTIONS);
		CompletableFuture<Lease> waiting = waiter.locks()
			.tryAcquireAsync(KEY, OPTIONS.withWaitTime(SOON))
			.thenApply(Optional::orElseThrow)
			.toCompletableFuture();
		Awaitility.await().until(() -> waiter.commands().contains("SUBSCRIBE"));
		lease.close();
		waiting.join().close();
	}

	/** A command that the driver does not offer. */
	private enum Reset implements ProtocolKeyword {

		RESET;

		@Override
		public byte[] getBytes() {
			return name().getBytes(StandardCharsets.US_ASCII);
		}

	}

}
