package io.github.lockstarter.store.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.store.redis.connection.RedisConnections;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The failures for which a connection is replaced.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefusalWatchTests {

	private final RedisClient client = RedisClient.create();

	private final RedisClusterAsyncCommands<byte[], byte[]> redis = DriverStub.commands((command) -> {
	});

	@AfterEach
	void stop() {
		this.client.shutdown();
	}

	@ParameterizedTest
	@ValueSource(strings = { "READONLY You can't write against a read only replica.",
			"READONLY You can't write against a read only replica. script: abc, on @user_script:1.",
			"ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica. ",
			"NOAUTH Authentication required.", "WRONGPASS invalid username-password pair or user is disabled.",
			"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"NOREPLICAS Not enough good replicas to write.", "MOVED 3999 127.0.0.1:6381" })
	@DisplayName("A refusal of the server replaces the connection, and the log says why")
	void refusal(String message, CapturedOutput output) {
		Replaceable connections = new Replaceable(false);
		RefusalWatch watch = watch(connections);
		assertThat(watch.consider(this.redis, new RedisCommandExecutionException(message))).isTrue();
		Awaitility.await().until(() -> connections.replaced.get() == 1);
		Awaitility.await().untilAsserted(() -> assertThat(output).contains(message, "The connection was replaced"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "OOM command not allowed when used memory > 'maxmemory'.",
			"NOPERM this user has no permissions to run the 'evalsha' command", "BUSY Redis is busy running a script.",
			"ERR The key is READONLY" })
	@DisplayName("Other errors of the server leave the connection as it is")
	void otherError(String message) {
		Replaceable connections = new Replaceable(false);
		RefusalWatch watch = watch(connections);
		assertThat(watch.consider(this.redis, new RedisCommandExecutionException(message))).isFalse();
		assertThat(watch.consider(this.redis, new RedisException("READONLY Connection closed"))).isFalse();
		assertThat(connections.replaced).hasValue(0);
	}

	@Test
	@DisplayName("A server that loads its data is left after two seconds")
	void loadsForLong() {
		Replaceable connections = new Replaceable(false);
		RefusalWatch watch = watch(connections);
		long start = System.nanoTime();
		Awaitility.await().until(() -> {
			watch.consider(this.redis,
					new RedisCommandExecutionException("LOADING Redis is loading the dataset in memory"));
			return connections.replaced.get() > 0;
		});
		assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(2));
	}

	@Test
	@DisplayName("In a cluster, only errors of the connection itself replace the connection to all servers")
	void cluster(CapturedOutput output) {
		Replaceable connections = new Replaceable(true);
		RefusalWatch watch = watch(connections);
		assertThat(watch.consider(this.redis, new RedisCommandExecutionException("MOVED 3999 127.0.0.1:6381")))
			.isTrue();
		assertThat(watch.consider(this.redis, new RedisCommandExecutionException("NOAUTH Authentication required.")))
			.isTrue();
		Awaitility.await().untilAsserted(() -> assertThat(output).contains("The connection was replaced"));
		assertThat(connections.replaced).hasValue(1);
		assertThat(output).contains("NOAUTH").doesNotContain("MOVED");
	}

	private static RefusalWatch watch(RedisConnections connections) {
		WatchedConnection connection = Watched.connection(connections);
		return new RefusalWatch(connections, connection.connector(), connection.timer(), connection.threads());
	}

	/** Connections that count how often they were replaced. */
	private final class Replaceable implements RedisConnections {

		private final boolean clustered;

		private final AtomicInteger replaced = new AtomicInteger();

		Replaceable(boolean clustered) {
			this.clustered = clustered;
		}

		@Override
		public boolean isClustered() {
			return this.clustered;
		}

		@Override
		public AbstractRedisClient client() {
			return RefusalWatchTests.this.client;
		}

		@Override
		public RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return RefusalWatchTests.this.redis;
		}

		@Override
		public boolean replace(RedisClusterAsyncCommands<byte[], byte[]> suspect, BooleanSupplier stillSuspect) {
			this.replaced.incrementAndGet();
			return stillSuspect.getAsBoolean();
		}

		@Override
		public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
			throw new UnsupportedOperationException();
		}

	}

}
