package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.ProtocolKeyword;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisDeployment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections that stay open but are no longer authenticated, with Sentinel and in a
 * cluster.
 */
@Tag("faults")
@Tag("redis")
class UnauthenticatedConnectionTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final String PASSWORD = "secret";

	private static final List<LettuceConnectionFactory> factories = new ArrayList<>();

	@AfterEach
	void stop() {
		factories.forEach(LettuceConnectionFactory::destroy);
		factories.clear();
	}

	static Stream<Arguments> sentinels() {
		return Stream.of(Arguments.of("own", (Function<LocalSentinel, RedisConnections>) (each) -> own(each)),
				Arguments.of("of Spring Data",
						(Function<LocalSentinel, RedisConnections>) (each) -> ofSpringData(each, null)),
				Arguments.of("of Spring Data that read from replicas",
						(Function<LocalSentinel, RedisConnections>) (each) -> ofSpringData(each,
								ReadFrom.REPLICA_PREFERRED)));
	}

	@ParameterizedTest(name = "connections {0}")
	@MethodSource("sentinels")
	@DisplayName("With Sentinel, a connection that is no longer authenticated is replaced, and its leases are kept")
	void sentinel(String kind, Function<LocalSentinel, RedisConnections> connections) {
		LocalSentinel deployment = LocalSentinel.started();
		isReplaced(deployment, () -> connections.apply(deployment));
	}

	static Stream<Arguments> clusters() {
		return Stream.of(Arguments.of("own", (Function<LocalCluster, RedisConnections>) (each) -> own(each)), Arguments
			.of("of Spring Data", (Function<LocalCluster, RedisConnections>) (each) -> ofSpringData(each)));
	}

	@ParameterizedTest(name = "connections {0}")
	@MethodSource("clusters")
	@DisplayName("In a cluster, a connection that is no longer authenticated is replaced, and its leases are kept")
	void cluster(String kind, Function<LocalCluster, RedisConnections> connections) {
		LocalCluster deployment = LocalCluster.started();
		isReplaced(deployment, () -> connections.apply(deployment));
	}

	private static void isReplaced(RedisDeployment deployment, Supplier<RedisConnections> connections) {
		try {
			deployment.all().forEach((server) -> server.ask("CONFIG SET requirepass " + PASSWORD));
			RedisConnections connected = connections.get();
			try (RedisInstance instance = new RedisInstance(connected, "lock", 0, 100, Duration.ofSeconds(2))) {
				Lease held = instance.locks().acquire(new LockKey("unauthenticated", "held"), OPTIONS);
				reset(connected);
				for (int i = 0; i < 10; i++) {
					LockKey key = new LockKey("unauthenticated", "key" + i);
					Awaitility.await().atMost(SOON).until(() -> isGranted(instance, key));
				}
				Awaitility.await()
					.atMost(SOON)
					.until(() -> held.remaining().compareTo(OPTIONS.ttl().minusSeconds(5)) > 0);
				assertThat(held.isHeld()).isTrue();
				assertThat(held.releaseAsync()).succeedsWithin(SOON);
			}
		}
		finally {
			deployment.close();
		}
	}

	private static boolean isGranted(RedisInstance instance, LockKey key) {
		try {
			instance.locks().acquire(key, OPTIONS).close();
			return true;
		}
		catch (LockStoreException ex) {
			return false;
		}
	}

	/** Ends the authentication of the connections to all masters. */
	private static void reset(RedisConnections connections) {
		List<StatefulRedisConnection<byte[], byte[]>> parts = new ArrayList<>();
		if (LettuceConnector
			.connection(connections.commands()) instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			cluster.getPartitions()
				.forEach((node) -> parts.add(cluster.getConnection(node.getUri().getHost(), node.getUri().getPort())));
		}
		else {
			parts.add((StatefulRedisConnection<byte[], byte[]>) LettuceConnector.connection(connections.commands()));
		}
		for (StatefulRedisConnection<byte[], byte[]> part : parts) {
			assertThat(part.async()
				.dispatch(Reset.RESET, new StatusOutput<>(ByteArrayCodec.INSTANCE))
				.toCompletableFuture()).succeedsWithin(SOON);
		}
	}

	private static RedisConnections own(LocalSentinel deployment) {
		RedisURI.Builder master = RedisURI.builder().withSentinelMasterId("locks").withPassword(PASSWORD.toCharArray());
		deployment.sentinels().forEach((each) -> master.withSentinel("127.0.0.1", each.port()));
		return LettuceConnections.to(RedisClient.create(), master.build());
	}

	private static RedisConnections own(LocalCluster deployment) {
		return LettuceConnections.to(RedisClusterClient.create(deployment.all()
			.stream()
			.map((each) -> RedisURI.builder()
				.withHost("127.0.0.1")
				.withPort(each.port())
				.withPassword(PASSWORD.toCharArray())
				.build())
			.toList()));
	}

	private static RedisConnections ofSpringData(LocalSentinel deployment, @Nullable ReadFrom readFrom) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.setMaster("locks");
		configuration.setPassword(RedisPassword.of(PASSWORD));
		deployment.sentinels().forEach((each) -> configuration.sentinel("127.0.0.1", each.port()));
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
		if (readFrom != null) {
			client.readFrom(readFrom);
		}
		return started(new LettuceConnectionFactory(configuration, client.build()));
	}

	private static RedisConnections ofSpringData(LocalCluster deployment) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		configuration.setPassword(RedisPassword.of(PASSWORD));
		deployment.all().forEach((each) -> configuration.addClusterNode(new RedisNode("127.0.0.1", each.port())));
		return started(new LettuceConnectionFactory(configuration));
	}

	private static RedisConnections started(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		factories.add(factory);
		return new SpringDataConnections(factory);
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
