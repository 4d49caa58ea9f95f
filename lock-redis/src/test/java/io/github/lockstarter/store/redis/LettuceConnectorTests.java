package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("faults")
@Tag("redis")
class LettuceConnectorTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final LockKey key = new LockKey("connector", "taro");

	@Test
	@DisplayName("The topology of a cluster is refreshed again even if the driver's timer rejects the pause between two refreshes")
	void pauseBetweenRefreshesIsRejected() {
		RejectingTimer timer = new RejectingTimer();
		try (LocalRedis server = LocalRedis.started("--cluster-enabled", "yes")) {
			server.ask("CLUSTER ADDSLOTSRANGE 0 16383");
			Awaitility.await().until(() -> server.ask("CLUSTER INFO").contains("cluster_state:ok"));
			RedisClusterClient client = RedisClusterClient.create(ClientResources.builder().timer(timer).build(),
					RedisURI.create("127.0.0.1", server.port()));
			RedisLockStore store = new RedisLockStore(LettuceConnections.to(client), "lock", Duration.ofMillis(500), 0);
			store.start();
			Awaitility.await().untilAsserted(() -> assertThat(store.lock(this.key).remaining()).succeedsWithin(SOON));
			server.freeze();
			Awaitility.await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
				assertThat(store.lock(this.key).remaining()).failsWithin(SOON);
				assertThat(timer.pauses).hasValueGreaterThan(1);
			});
			server.thaw();
			store.close();
		}
		finally {
			timer.stop();
		}
	}

	@Test
	@DisplayName("When the driver has been shut down, each thread that connects is interrupted")
	void threadsThatConnect() {
		RedisClient client = RedisClient.create();
		LettuceConnector connector = new LettuceConnector(
				DriverStub.connections(client, DriverStub.commands((command) -> {
				})), Duration.ZERO);
		CountDownLatch connecting = new CountDownLatch(2);
		CountDownLatch interrupted = new CountDownLatch(2);
		for (int i = 0; i < 2; i++) {
			connector.runOnThread(() -> {
				connecting.countDown();
				try {
					new CompletableFuture<>().get();
				}
				catch (InterruptedException ex) {
					interrupted.countDown();
				}
				catch (ExecutionException ex) {
					throw new AssertionError(ex);
				}
			});
		}
		Awaitility.await().until(() -> connecting.getCount() == 0);
		connector.interruptConnecting();
		Awaitility.await().until(() -> interrupted.getCount() == 0);
		client.shutdown();
	}

	@Test
	@DisplayName("If the driver's timer cannot start, the call fails")
	void timerCannotStart() {
		ClientResources resources = ClientResources.builder().timer(new HashedWheelTimer() {

			@Override
			public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
				throw new OutOfMemoryError("unable to create native thread");
			}

		}).build();
		RedisClient client = RedisClient.create(resources);
		LettuceConnector connector = new LettuceConnector(
				DriverStub.connections(client, DriverStub.commands((command) -> {
				})), Duration.ZERO);
		connector.connect();
		Call<Object> call = new Call<>(this.key);
		connector.expire(call, SOON);
		assertThat(call).failsWithin(SOON).withThrowableThat().withRootCauseInstanceOf(OutOfMemoryError.class);
		client.shutdownAsync();
		resources.shutdown();
	}

	/** A timer that rejects the first pause between two refreshes. */
	private static final class RejectingTimer extends HashedWheelTimer {

		private final AtomicInteger pauses = new AtomicInteger();

		@Override
		public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
			boolean isPause = delay == 1000 && unit == TimeUnit.MILLISECONDS
					&& task.getClass().getName().startsWith(LettuceConnector.class.getName());
			if (isPause && this.pauses.getAndIncrement() == 0) {
				throw new RejectedExecutionException("too many pending timeouts");
			}
			return super.newTimeout(task, delay, unit);
		}

	}

}
