package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A silent connection that cannot be replaced at first, or at all.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("faults")
@Tag("redis")
class SilenceWatchTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final Duration LATER = Duration.ofSeconds(30);

	private final LockKey key = new LockKey("silent", "taro");

	private final LocalRedis server = LocalRedis.started();

	private final TcpProxy proxy = new TcpProxy(this.server.port());

	private final RedisConnections connections = TestConnections.to("127.0.0.1", this.proxy.port());

	@AfterEach
	void stop() {
		this.connections.shutdown();
		this.proxy.close();
		this.server.close();
	}

	@Test
	@DisplayName("If replacing the connection throws an Error, the next attempt replaces it")
	void replaceThrowsError() {
		AtomicBoolean thrown = new AtomicBoolean();
		RedisLockStore store = connected(new Delegating(this.connections, (silent, stillSilent) -> {
			if (thrown.compareAndSet(false, true)) {
				throw new NoClassDefFoundError("a class that is missing");
			}
			return this.connections.replace(silent, stillSilent);
		}));
		this.proxy.dropAll();
		Awaitility.await()
			.atMost(LATER)
			.untilAsserted(() -> assertThat(store.lock(this.key).remaining()).succeedsWithin(SOON));
		assertThat(thrown).isTrue();
	}

	@Test
	@DisplayName("If a connection cannot be replaced, that is logged once, and commands are still sent over it")
	void cannotBeReplaced(CapturedOutput output) {
		AtomicInteger sent = new AtomicInteger();
		this.connections.client().addListener(new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				if (event.getCommand().getType().toString().equals("PTTL")) {
					sent.incrementAndGet();
				}
			}

		});
		AtomicInteger replaced = new AtomicInteger();
		RedisLockStore store = connected(new Delegating(this.connections, (silent, stillSilent) -> {
			replaced.incrementAndGet();
			return false;
		}));
		this.proxy.dropAll();
		Awaitility.await().atMost(LATER).untilAsserted(() -> {
			assertThat(store.lock(this.key).remaining()).failsWithin(SOON);
			assertThat(output).contains("cannot be replaced");
		});
		int before = sent.get();
		for (int i = 0; i < 6; i++) {
			assertThat(store.lock(this.key).remaining()).failsWithin(SOON);
		}
		assertThat(sent).hasValue(before + 6);
		assertThat(replaced).hasValue(1);
		assertThat(output).containsOnlyOnce("cannot be replaced");
	}

	@Test
	@DisplayName("A connection that waits for replicas is not replaced for being silent")
	void waitsForReplicas() {
		Duration longestWait = ReplicatedGrants.longestWait(Duration.ofSeconds(6));
		WatchedConnection grants = WatchedConnection.of(this.connections, this.connections::grantCommands,
				Duration.ofMillis(1), longestWait);
		RedisClusterAsyncCommands<byte[], byte[]> redis = grants.connector().connect().join();
		CompletionStage<Long> acknowledged = redis.waitForReplication(1, longestWait.toMillis());
		CompletionStage<byte[]> next = redis.get(new byte[] { 1 });
		// Makes the store suspect that the connection is silent.
		grants.timeouts().begin(this.key);
		assertThat(acknowledged).succeedsWithin(SOON).isEqualTo(0L);
		assertThat(next).succeedsWithin(SOON);
		assertThat(this.connections.grantCommands()).isSameAs(redis);
	}

	private RedisLockStore connected(RedisConnections connections) {
		RedisLockStore store = new RedisLockStore(connections, "lock", Duration.ofMillis(500), 0);
		store.start();
		Awaitility.await().untilAsserted(() -> assertThat(store.lock(this.key).remaining()).succeedsWithin(SOON));
		return store;
	}

	private interface Replacement {

		boolean replace(RedisClusterAsyncCommands<byte[], byte[]> silent, BooleanSupplier stillSilent);

	}

	/** Connections with a different replacement. */
	private record Delegating(RedisConnections connections, Replacement replacement) implements RedisConnections {

		@Override
		public boolean isClustered() {
			return false;
		}

		@Override
		public AbstractRedisClient client() {
			return this.connections.client();
		}

		@Override
		public RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return this.connections.commands();
		}

		@Override
		public boolean replace(RedisClusterAsyncCommands<byte[], byte[]> silent, BooleanSupplier stillSilent) {
			return this.replacement.replace(silent, stillSilent);
		}

		@Override
		public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
			return this.connections.connectPubSub();
		}

	}

}
