package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.RedisCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * Grants that wait for replicas while the driver throws an Error.
 */
class ReplicatedGrantsErrorTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final byte[][] TWO = { {}, {} };

	private final LockKey key = new LockKey("replicated", "taro");

	private final List<RedisCommand<byte[], byte[], ?>> sent = new ArrayList<>();

	private final AtomicBoolean failing = new AtomicBoolean();

	private final RedisClusterAsyncCommands<byte[], byte[]> redis = DriverStub.commands((command) -> {
		if (this.failing.getAndSet(false)) {
			throw new NoClassDefFoundError("a class that is missing");
		}
		this.sent.add(command);
	});

	private final RedisClient client = RedisClient.create();

	private final LettuceConnector connector = Watched.connection(DriverStub.connections(this.client, this.redis))
		.connector();

	private final ReplicatedGrants grants = new ReplicatedGrants(this.connector, 1, SOON);

	@AfterEach
	void stop() {
		this.client.shutdown();
	}

	@Test
	@DisplayName("An Error at a grant is passed to its caller, and the next grant is sent")
	void errorAtGrant() {
		this.failing.set(true);
		assertThat(grant()).isCompletedWithValueMatching(NoClassDefFoundError.class::isInstance);
		assertThat(grant()).isNotDone();
		assertThat(this.sent).hasSize(1);
	}

	@Test
	@DisplayName("An Error at WAIT is passed to the callers of its grants, and the next grant is sent")
	void errorAtWait() {
		when(this.redis.waitForReplication(anyInt(), anyLong())).thenThrow(new NoClassDefFoundError("a class"));
		CompletableFuture<Object> first = grant();
		DriverStub.answer(this.sent.get(0), 1);
		assertThat(first).isCompletedWithValueMatching(NoClassDefFoundError.class::isInstance);
		grant();
		assertThat(this.sent).hasSize(2);
	}

	/** Returns the reply, or the failure. */
	private CompletableFuture<Object> grant() {
		CompletableFuture<Object> answer = new CompletableFuture<>();
		assertThat(this.connector.connect()).succeedsWithin(SOON);
		this.grants.send(new Call<>(this.key, mock()), GrantCommand.ofToken(Script.ACQUIRE.with(TWO, TWO)),
				(number, failure) -> answer.complete((number != null) ? number : failure));
		return answer;
	}

}
