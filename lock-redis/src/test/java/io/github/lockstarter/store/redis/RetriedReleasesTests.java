package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockKey;

import static org.assertj.core.api.Assertions.assertThat;

class RetriedReleasesTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final byte[][] TWO = { {}, {} };

	private final LockKey key = new LockKey("releases", "taro");

	private final List<RedisCommand<byte[], byte[], ?>> sent = new CopyOnWriteArrayList<>();

	private final RedisClusterAsyncCommands<byte[], byte[]> redis = DriverStub.commands(this.sent::add);

	private final FailingExecutors executors = new FailingExecutors();

	private final ClientResources resources = ClientResources.builder().eventExecutorGroup(this.executors).build();

	private final RedisClient client = RedisClient.create(this.resources);

	private final WatchedConnection connection = Watched.connection(DriverStub.connections(this.client, this.redis));

	private final RetriedReleases releases = new RetriedReleases(this.connection);

	@AfterEach
	void stop() {
		this.client.shutdownAsync();
		this.resources.shutdown();
		this.executors.shutdownGracefully();
	}

	@ParameterizedTest
	@ValueSource(strings = { "BUSY Redis is busy running a script.", "CLUSTERDOWN The cluster is down",
			"LOADING Redis is loading the dataset in memory", "MASTERDOWN Link with MASTER is down",
			"MISCONF Redis is configured to save RDB snapshots", "NOREPLICAS Not enough good replicas to write.",
			"READONLY You can't write against a read only replica.", "TRYAGAIN Multiple keys request during rehashing",
			"unheard of" })
	@DisplayName("A release that Redis refuses with a transient error is repeated")
	void retriesTransientErrors(String error) {
		CompletableFuture<Object> outcome = release();
		DriverStub.refuse(this.sent.get(0), error);
		Awaitility.await().until(() -> this.sent.size() == 2);
		assertThat(outcome).isNotDone();
		DriverStub.answer(this.sent.get(1), 1);
		assertThat(outcome).succeedsWithin(SOON).isEqualTo(1L);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "ERR Error running script", "NOPERM this user has no permissions to run the 'evalsha' command",
					"WRONGTYPE Operation against a key holding the wrong kind of value" })
	@DisplayName("A release that Redis refuses permanently fails at once")
	void doesNotRetryFinalErrors(String error) {
		CompletableFuture<Object> outcome = release();
		DriverStub.refuse(this.sent.get(0), error);
		assertThat(outcome).isCompletedWithValueMatching(RedisCommandExecutionException.class::isInstance);
		assertThat(this.sent).hasSize(1);
	}

	@Test
	@DisplayName("A release that no thread is available to repeat fails, and the next one is repeated")
	void noThreadToRetry() {
		CompletableFuture<Object> outcome = release();
		this.executors.failOnce();
		RedisException reset = new RedisException("Connection reset by peer");
		this.sent.get(0).completeExceptionally(reset);
		assertThat(outcome).isCompletedWithValue(reset);
		release();
		this.sent.get(1).completeExceptionally(reset);
		Awaitility.await().until(() -> this.sent.size() == 3);
	}

	@Test
	@DisplayName("A grant that may be executed later is undone even after its time to live, which begins only then")
	void undoOfCommandInFlight() {
		assertThat(this.connection.connector().connect()).succeedsWithin(SOON);
		this.releases.undo(this.key, "owner", Duration.ZERO, Script.RELEASE.with(TWO, TWO), true);
		Awaitility.await().until(() -> this.sent.size() == 1);
		this.sent.get(0).completeExceptionally(new RedisCommandTimeoutException("after 10 s"));
		Awaitility.await().until(() -> this.sent.size() == 2);
		DriverStub.answer(this.sent.get(1), 0);
		Awaitility.await().until(() -> this.sent.size() == 3);
		DriverStub.answer(this.sent.get(2), 1);
	}

	/** Returns the reply, or the failure. */
	private CompletableFuture<Object> release() {
		CompletableFuture<Object> outcome = new CompletableFuture<>();
		assertThat(this.connection.connector().connect()).succeedsWithin(SOON);
		this.releases
			.release(this.key, "owner", Script.RELEASE.with(TWO, TWO),
					(number, failure) -> outcome.complete((number != null) ? number : failure))
			.accept(this.redis);
		return outcome;
	}

}
