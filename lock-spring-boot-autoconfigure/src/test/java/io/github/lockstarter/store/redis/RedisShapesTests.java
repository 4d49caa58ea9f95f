package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.SharingRegistry.Acquisition;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStoreContract;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisInstance;
import io.github.lockstarter.testing.RedisShape;
import io.github.lockstarter.testing.TestResults;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Redis store with Sentinel and in a cluster.
 */
class RedisShapesTests {

	private static final Subject sentinel = new Subject(LocalSentinel.shared());

	private static final Subject cluster = new Subject(LocalCluster.shared());

	private static final LockOptions WAITING = LockOptions.of(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(20));

	@AfterAll
	static void disconnect() {
		sentinel.close();
		cluster.close();
	}

	static Stream<RedisShape> shapes() {
		return Stream.of(sentinel.shape, cluster.shape);
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("shapes")
	@DisplayName("A waiter on another instance is notified by a message, whichever server has the lock")
	void wakesWaiters(RedisShape shape) {
		try (RedisInstance first = instance(shape); RedisInstance second = instance(shape)) {
			long start = System.nanoTime();
			for (int i = 0; i < 20; i++) {
				LockKey key = new LockKey("wakes", "key" + i);
				Lease lease = first.locks().acquire(key, WAITING);
				int before = second.requestCount();
				CompletableFuture<Optional<Lease>> waiting = second.locks()
					.tryAcquireAsync(key, WAITING)
					.toCompletableFuture();
				Awaitility.await()
					.pollInterval(Duration.ofMillis(2))
					.until(() -> second.requestCount() > before && second.requests().contains("SUBSCRIBE"));
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
	@MethodSource("shapes")
	@DisplayName("A waiter on another instance is given the result")
	void sharesResult(RedisShape shape) {
		ResultKey result = new ResultKey("share", Duration.ofSeconds(10), false);
		try (RedisInstance first = instance(shape); RedisInstance second = instance(shape)) {
			for (int i = 0; i < 5; i++) {
				LockKey key = new LockKey("shares", "key" + i);
				Acquisition winner = acquire(first, key, result).join();
				int before = second.requestCount();
				CompletableFuture<Acquisition> loser = acquire(second, key, result);
				Awaitility.await().until(() -> second.requestCount() > before);
				// A result is stored only for waiters that Redis knows.
				Awaitility.await().until(() -> shape.count("shapes:waiting:*" + key.key()) == 1);
				winner.lease().close("result " + i);
				assertThat(loser).succeedsWithin(Duration.ofSeconds(10)).matches(TestResults.gives("result " + i));
			}
		}
	}

	private static CompletableFuture<Acquisition> acquire(RedisInstance instance, LockKey key, ResultKey result) {
		return instance.locks().acquireAsync(key, WAITING, result, ResultQuery.NOBODY, null).toCompletableFuture();
	}

	private static RedisInstance instance(RedisShape shape) {
		return new RedisInstance(shape.connections(), "shapes", 0, 64);
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
			return sentinel.shape.count("contract:{*");
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
			return cluster.shape.count("contract:{*");
		}

	}

	/** The store with one deployment of Redis. */
	private static final class Subject {

		private final RedisShape shape;

		private final RedisLockStore store;

		private final RedisLockStore other;

		Subject(RedisShape shape) {
			this.shape = shape;
			this.store = new RedisLockStore(shape.connections(), "contract", Duration.ofSeconds(5), 0);
			this.other = new RedisLockStore(shape.connections(), "contract", Duration.ofSeconds(5), 0);
		}

		void close() {
			this.store.close();
			this.other.close();
		}

	}

}
