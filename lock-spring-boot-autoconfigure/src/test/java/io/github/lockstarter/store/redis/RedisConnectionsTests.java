package io.github.lockstarter.store.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisInstance;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the store makes of the connections of its driver.
 */
class RedisConnectionsTests {

	private static final LockKey KEY = new LockKey("connections", "taro");

	private static final LockOptions WAITING = LockOptions.of(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(20));

	@Test
	@DisplayName("A cluster that is silent from the start: every caller is answered in time")
	void silentCluster() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					new RedisClusterConfiguration(List.of("127.0.0.1:" + silent.getLocalPort())));
			factory.afterPropertiesSet();
			factory.start();
			RedisLockStore store = new RedisLockStore(factory, "silent", Duration.ofMillis(200), 0);
			for (int i = 0; i < 5; i++) {
				assertThat(store.acquire(KEY, "a", WAITING.ttl())).failsWithin(Duration.ofSeconds(5))
					.withThrowableThat()
					.withCauseInstanceOf(LockStoreException.class);
			}
			silent.close();
			factory.destroy();
		}
	}

	@Test
	@DisplayName("With a master and replicas whose addresses are given there are no messages: who waits asks often")
	void staticReplicas() {
		try (LocalRedis master = LocalRedis.started();
				LocalRedis replica = LocalRedis.started("--replicaof", "127.0.0.1 " + master.port());
				RedisInstance first = staticInstance(master, replica);
				RedisInstance second = staticInstance(master, replica)) {
			Lease lease = first.locks().acquire(KEY, WAITING);
			CompletableFuture<Optional<Lease>> waiting = second.locks()
				.tryAcquireAsync(KEY, WAITING)
				.toCompletableFuture();
			Awaitility.await().until(() -> second.requestCount() > 3);
			lease.close();
			assertThat(waiting).succeedsWithin(WAITING.waitTime());
			waiting.join().orElseThrow().close();
		}
	}

	@Test
	@DisplayName("Transactions of the application, on connections of their own, do not look like a reconnect")
	void transactions() {
		LettuceConnectionFactory factory = LocalSentinel.shared().connectionFactory();
		RedisLockStore store = new RedisLockStore(factory, "transactions", Duration.ofSeconds(5), 0);
		AtomicInteger reconnects = new AtomicInteger();
		store.onReconnect(reconnects::incrementAndGet);
		store.start();
		assertThat(store.acquire(KEY, "a", WAITING.ttl())).succeedsWithin(WAITING.waitTime());
		int before = reconnects.get();
		for (int i = 0; i < 5; i++) {
			try (RedisConnection connection = factory.getConnection()) {
				connection.multi();
				connection.stringCommands().set(new byte[] { 1 }, new byte[] { 2 });
				assertThat(connection.exec()).hasSize(1);
			}
		}
		assertThat(reconnects).hasValue(before);
		assertThat(store.release(KEY, "a")).succeedsWithin(WAITING.waitTime()).isEqualTo(true);
		store.stop();
		factory.destroy();
	}

	private static RedisInstance staticInstance(LocalRedis master, LocalRedis replica) {
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				master.port());
		servers.addNode("127.0.0.1", replica.port());
		LettuceConnectionFactory factory = new LettuceConnectionFactory(servers);
		factory.afterPropertiesSet();
		factory.start();
		return new RedisInstance(factory, "static", 0, 64);
	}

}
