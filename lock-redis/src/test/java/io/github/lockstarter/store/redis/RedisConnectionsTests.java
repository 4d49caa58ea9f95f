package io.github.lockstarter.store.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The store's use of the driver's connections.
 */
@Tag("redis")
class RedisConnectionsTests {

	private static final LockKey KEY = new LockKey("connections", "taro");

	private static final LockOptions WAITING = LockOptions.of(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(20));

	@Test
	@DisplayName("If a cluster is silent from the start, every caller is answered in time")
	void silentCluster() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			RedisClusterClient client = RedisClusterClient.create(RedisURI.create("127.0.0.1", silent.getLocalPort()));
			client.setOptions(ClusterClientOptions.builder()
				.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
				.build());
			RedisLockStore store = new RedisLockStore(LettuceConnections.to(client), "silent", Duration.ofMillis(200),
					0);
			for (int i = 0; i < 5; i++) {
				assertThat(store.lock(KEY).acquire(AcquireCommand.of("a", WAITING.ttl())))
					.failsWithin(Duration.ofSeconds(5))
					.withThrowableThat()
					.withCauseInstanceOf(LockStoreException.class);
			}
			silent.close();
			store.close();
		}
	}

	@Test
	@DisplayName("With static master and replica addresses in any order, a waiter is notified by a message")
	void staticReplicas() {
		try (LocalRedis master = LocalRedis.started();
				LocalRedis replica = LocalRedis.started("--replicaof", "127.0.0.1 " + master.port());
				RedisInstance first = staticInstance(master, replica);
				RedisInstance second = staticInstance(replica, master)) {
			Awaitility.await().until(() -> replica.ask("INFO replication").contains("master_link_status:up"));
			long start = System.nanoTime();
			for (int i = 0; i < 20; i++) {
				Lease lease = first.locks().acquire(KEY, WAITING);
				int before = second.commandCount();
				CompletableFuture<Optional<Lease>> waiting = second.locks()
					.tryAcquireAsync(KEY, WAITING)
					.toCompletableFuture();
				Awaitility.await()
					.pollInterval(Duration.ofMillis(2))
					.until(() -> second.commandCount() > before && second.commands().contains("SUBSCRIBE"));
				lease.close();
				assertThat(waiting).succeedsWithin(WAITING.waitTime());
				waiting.join().orElseThrow().close();
			}
			assertThat(Duration.ofNanos(System.nanoTime() - start))
				.as("without messages each waiter would poll once a second")
				.isLessThan(Duration.ofSeconds(15));
		}
	}

	@Test
	@DisplayName("The application's transactions, on their own connections, do not count as reconnects")
	void transactions() {
		LettuceConnectionFactory factory = LocalSentinel.shared().newConnectionFactory();
		RedisLockStore store = new RedisLockStore(new SpringDataConnections(factory), "transactions",
				Duration.ofSeconds(5), 0);
		AtomicInteger reconnects = new AtomicInteger();
		store.onReconnect(reconnects::incrementAndGet);
		store.start();
		assertThat(store.lock(KEY).acquire(AcquireCommand.of("a", WAITING.ttl()))).succeedsWithin(WAITING.waitTime());
		int before = reconnects.get();
		for (int i = 0; i < 5; i++) {
			try (RedisConnection connection = factory.getConnection()) {
				connection.multi();
				connection.stringCommands().set(new byte[] { 1 }, new byte[] { 2 });
				assertThat(connection.exec()).hasSize(1);
			}
		}
		assertThat(reconnects).hasValue(before);
		assertThat(store.lock(KEY).release("a", null)).succeedsWithin(WAITING.waitTime()).isEqualTo(true);
		store.stop();
		factory.destroy();
	}

	@Test
	@DisplayName("A connection whose database cannot be selected is closed")
	void databaseRefused() {
		try (LocalRedis server = LocalRedis.started()) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", server.port());
			factory.afterPropertiesSet();
			factory.start();
			SpringDataConnections connections = new SpringDataConnections(factory);
			connections.grantCommands();
			connections.disconnect();
			// The client of the factory connects to database 0.
			factory.setDatabase(99);
			assertThatExceptionOfType(RedisCommandExecutionException.class).isThrownBy(connections::grantCommands)
				.withMessageContaining("out of range");
			// The one of the application remains, and this one.
			Awaitility.await().until(() -> server.ask("CLIENT LIST TYPE normal").lines().count() == 2);
			factory.destroy();
		}
	}

	@Test
	@DisplayName("The library's own connection reconnects, even if the client options disable that")
	void reconnects() {
		try (LocalRedis server = LocalRedis.started()) {
			RedisClient client = RedisClient.create();
			client.setOptions(ClientOptions.builder().autoReconnect(false).build());
			RedisLockStore store = new RedisLockStore(
					LettuceConnections.to(client, RedisURI.create("127.0.0.1", server.port())), "lock",
					Duration.ofMillis(500), 0);
			store.start();
			Awaitility.await()
				.untilAsserted(() -> assertThat(store.lock(KEY).remaining()).succeedsWithin(WAITING.waitTime()));
			server.ask("CLIENT KILL TYPE normal");
			Awaitility.await()
				.untilAsserted(() -> assertThat(store.lock(KEY).remaining()).succeedsWithin(WAITING.waitTime()));
			store.close();
		}
	}

	private static RedisInstance staticInstance(LocalRedis... servers) {
		List<RedisURI> uris = Stream.of(servers).map((each) -> RedisURI.create("127.0.0.1", each.port())).toList();
		return new RedisInstance(LettuceConnections.to(RedisClient.create(), uris), "static", 0, 64);
	}

}
