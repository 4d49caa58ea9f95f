package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.test.LockStoreContract;
import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisDeployment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Redis store with Sentinel and in a cluster.
 */
@Tag("redis")
class RedisDeploymentsTests {

	private static final Subject sentinel = new Subject(LocalSentinel.shared());

	private static final Subject cluster = new Subject(LocalCluster.shared());

	private static final LockOptions WAITING = LockOptions.of(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(20));

	@AfterAll
	static void disconnect() {
		sentinel.close();
		cluster.close();
	}

	static Stream<RedisDeployment> deployments() {
		return Stream.of(sentinel.deployment, cluster.deployment);
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("deployments")
	@DisplayName("A waiter on another instance is notified by a message, whichever server has the lock")
	void wakesWaiters(RedisDeployment deployment) {
		try (RedisInstance first = instance(deployment); RedisInstance second = instance(deployment)) {
			long start = System.nanoTime();
			for (int i = 0; i < 20; i++) {
				LockKey key = new LockKey("wakes", "key" + i);
				Lease lease = first.locks().acquire(key, WAITING);
				int before = second.commandCount();
				CompletableFuture<Optional<Lease>> waiting = second.locks()
					.tryAcquireAsync(key, WAITING)
					.toCompletableFuture();
				Awaitility.await()
					.pollInterval(Duration.ofMillis(2))
					.until(() -> second.commandCount() > before && second.commands().contains("SUBSCRIBE"));
				lease.close();
				assertThat(waiting).succeedsWithin(Duration.ofSeconds(10)).matches(Optional::isPresent);
				waiting.join().orElseThrow().close();
			}
			assertThat(Duration.ofNanos(System.nanoTime() - start))
				.as("without messages each waiter would poll once a second")
				.isLessThan(Duration.ofSeconds(15));
		}
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("deployments")
	@DisplayName("A waiter on another instance is given the result")
	void sharesResult(RedisDeployment deployment) {
		ResultKey result = new ResultKey("share", Duration.ofSeconds(10), false);
		try (RedisInstance first = instance(deployment); RedisInstance second = instance(deployment)) {
			for (int i = 0; i < 5; i++) {
				LockKey key = new LockKey("shares", "key" + i);
				LeaseOrResult winner = acquire(first, key, result).join();
				int before = second.commandCount();
				CompletableFuture<LeaseOrResult> loser = acquire(second, key, result);
				Awaitility.await().until(() -> second.commandCount() > before);
				// A result is stored only for waiters that Redis knows.
				Awaitility.await().until(() -> deployment.count("deployments:waiting:*" + key.key()) == 1);
				winner.lease().close("result " + i);
				assertThat(loser).succeedsWithin(Duration.ofSeconds(10)).matches(RedisInstance.gives("result " + i));
			}
		}
	}

	private static CompletableFuture<LeaseOrResult> acquire(RedisInstance instance, LockKey key, ResultKey result) {
		return instance.locks().acquireAsync(key, WAITING, result, ResultQuery.NO_TOKEN, null).toCompletableFuture();
	}

	private static RedisInstance instance(RedisDeployment deployment) {
		return new RedisInstance(TestConnections.to(deployment), "deployments", 0, 64);
	}

	@Nested
	@DisplayName("Locks, with sentinels")
	class SentinelLocks extends LockStoreContract {

		@Override
		protected LockStore store() {
			return sentinel.store;
		}

		@Override
		protected LockStore otherInstance() {
			return sentinel.other;
		}

		@Override
		protected long locksInStore() {
			return sentinel.deployment.count("contract:{*");
		}

	}

	@Nested
	@DisplayName("Locks, in a cluster")
	class ClusterLocks extends LockStoreContract {

		@Override
		protected LockStore store() {
			return cluster.store;
		}

		@Override
		protected LockStore otherInstance() {
			return cluster.other;
		}

		@Override
		protected long locksInStore() {
			return cluster.deployment.count("contract:{*");
		}

	}

	/** The store with one deployment of Redis. */
	private static final class Subject {

		private final RedisDeployment deployment;

		private final RedisLockStore store;

		private final RedisLockStore other;

		Subject(RedisDeployment deployment) {
			this.deployment = deployment;
			this.store = new RedisLockStore(TestConnections.to(deployment), "contract", Duration.ofSeconds(5), 0);
			this.other = new RedisLockStore(TestConnections.to(deployment), "contract", Duration.ofSeconds(5), 0);
		}

		void close() {
			this.store.close();
			this.other.close();
		}

	}

}
