package io.github.lockstarter.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks while Redis is killed, restarted and frozen.
 */
@Tag("faults")
@Tag("redis")
class RedisFaultTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final Duration SOON = Duration.ofSeconds(8);

	/** The prefixes of the names of the driver's threads, including its timer. */
	private static final String DRIVER = "lettuce-";

	private static final LockKey KEY = new LockKey("fault", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	@RepeatedTest(2)
	@DisplayName("When Redis restarts without its data, the holder is notified of the loss long before its deadline")
	void forgetful() {
		try (LocalRedis server = LocalRedis.started();
				RedisInstance first = instance(server);
				RedisInstance second = instance(server)) {
			AtomicInteger told = new AtomicInteger();
			Lease lease = first.locks().acquire(KEY, OPTIONS);
			lease.onLost(told::incrementAndGet);
			server.kill();
			server.start();
			Awaitility.await().atMost(SOON).until(() -> !lease.isHeld());
			Awaitility.await().until(() -> told.get() == 1 && first.losses().size() == 1);
			Lease next = second.locks().acquire(KEY, OPTIONS.withWaitTime(SOON));
			lease.close();
			assertThat(next.isHeld()).isTrue();
			assertThat(first.locks().tryAcquire(KEY, OPTIONS)).isEmpty();
			next.close();
		}
	}

	@RepeatedTest(2)
	@DisplayName("When Redis restarts with its data, the holder keeps the lock, no other caller gets it, and tokens keep growing")
	void durable(@TempDir Path data) throws Exception {
		try (LocalRedis server = LocalRedis.started("--appendonly", "yes", "--appendfsync", "always", "--dir",
				data.toString()); RedisInstance first = instance(server); RedisInstance second = instance(server)) {
			Lease lease = first.locks().acquire(KEY, LockOptions.of(Duration.ofMinutes(2)));
			Duration granted = end(lease);
			CompletableFuture<Optional<Lease>> waiting = second.locks()
				.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(25)))
				.toCompletableFuture();
			Awaitility.await().until(() -> second.commands().contains("SUBSCRIBE"));
			server.kill();
			server.start();
			Awaitility.await()
				.ignoreExceptions()
				.untilAsserted(
						() -> assertThat(second.locks().tryAcquire(new LockKey("fault", "free"), OPTIONS)).isPresent());
			// The lease is renewed when the connection is back, not only after a third of
			// the time to live.
			Awaitility.await().atMost(SOON).until(() -> end(lease).compareTo(granted.plusMillis(100)) > 0);
			assertThat(first.losses()).isEmpty();
			assertThat(lease.isHeld()).isTrue();
			assertThat(first.locks().tryAcquire(KEY, OPTIONS)).isEmpty();
			// The waiter either sent a command in the outage and failed, or still waits.
			boolean failed = waiting.isCompletedExceptionally();
			assertThat(waiting.isDone()).isEqualTo(failed);
			lease.close();
			Lease next = failed ? second.locks().acquire(KEY, OPTIONS) : waiting.get(5, TimeUnit.SECONDS).orElseThrow();
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			next.close();
		}
	}

	@RepeatedTest(2)
	@DisplayName("While Redis is frozen, all acquires get an answer within the timeout, and no lock without an owner remains")
	void frozen() {
		try (LocalRedis server = LocalRedis.started(); RedisInstance instance = instance(server)) {
			server.freeze();
			long start = System.nanoTime();
			List<CompletableFuture<Optional<Lease>>> acquires = List.of(acquire(instance, "a", Duration.ZERO),
					acquire(instance, "b", Duration.ZERO), acquire(instance, "b", Duration.ofSeconds(20)),
					acquire(instance, "c", Duration.ofSeconds(20)));
			assertThat(acquires).allSatisfy((acquire) -> assertThat(acquire).failsWithin(SOON)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
			server.thaw();
			LettuceConnectionFactory factory = TestRedis.newConnectionFactory("127.0.0.1", server.port());
			StringRedisTemplate redis = new StringRedisTemplate(factory);
			Awaitility.await().atMost(SOON).until(() -> redis.keys("lock:{*").isEmpty());
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> redis.keys("lock:{*").isEmpty());
			instance.locks().acquire(new LockKey("fault", "a"), OPTIONS).close();
			factory.destroy();
		}
	}

	@RepeatedTest(2)
	@DisplayName("When an acquire is undone after Redis was frozen, the next waiter is notified")
	void frozenWithWaiter() {
		try (LocalRedis server = LocalRedis.started(); RedisInstance instance = instance(server)) {
			// The subscription exists.
			Lease other = instance.locks().acquire(new LockKey("fault", "other"), OPTIONS);
			instance.store().lock(other.key()).acquire(AcquireCommand.of("x", OPTIONS.ttl()).notifying(() -> {
			})).toCompletableFuture().join();
			Awaitility.await().until(() -> instance.commands().contains("SUBSCRIBE"));
			server.freeze();
			assertThat(acquire(instance, "a", Duration.ZERO)).failsWithin(SOON);
			CompletableFuture<Optional<Lease>> waiting = acquire(instance, "a", Duration.ofSeconds(25));
			server.thaw();
			assertThat(waiting).succeedsWithin(SOON).matches(Optional::isPresent);
			waiting.join().orElseThrow().close();
			other.close();
		}
	}

	@Test
	@DisplayName("When Redis resumes after a freeze, no application code runs on a thread of the driver")
	void threads() {
		Queue<String> handlers = new ConcurrentLinkedQueue<>();
		Queue<String> losses = new ConcurrentLinkedQueue<>();
		Queue<String> answers = new ConcurrentLinkedQueue<>();
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new ThreadsOfHandlers(handlers));
		try (LocalRedis server = LocalRedis.started();
				RedisLockStore store = new RedisLockStore(TestConnections.to("127.0.0.1", server.port()), "lock",
						TIMEOUT, 0);
				DefaultLockRegistry locks = new DefaultLockRegistry(store,
						RegistrySettings.of(OPTIONS)
							.withLosses((loss) -> losses.add(threadName()))
							.withObservations(observations))) {
			store.start();
			Lease lost = locks.acquire(key("lost"), LockOptions.of(Duration.ofSeconds(3)));
			lost.onLost(() -> losses.add(threadName()));
			Lease released = locks.acquire(key("released"), OPTIONS);
			AtomicInteger expected = new AtomicInteger();
			server.freeze();
			observe(locks.tryAcquireAsync(key("frozen"), OPTIONS), expected, answers);
			observe(locks.acquireAsync(key("lost"), OPTIONS.withWaitTime(Duration.ofMillis(500))), expected, answers);
			observe(released.releaseAsync(), expected, answers);
			CompletableFuture<String> driver = store.lock(key("driver"))
				.remaining()
				.handle((remaining, failure) -> threadName())
				.toCompletableFuture();
			Awaitility.await().atMost(SOON).until(() -> answers.size() == expected.get() && losses.size() == 2);
			server.thaw();
			Awaitility.await().ignoreExceptions().until(() -> locks.tryAcquire(key("thawed"), OPTIONS).isPresent());
			CompletableFuture<Optional<Lease>> granted = locks.tryAcquireAsync(key("granted"), OPTIONS)
				.toCompletableFuture();
			observe(granted, expected, answers);
			assertThat(granted).succeedsWithin(SOON).matches(Optional::isPresent);
			observe(locks.tryAcquireAsync(key("granted"), OPTIONS.withWaitTime(SOON)), expected, answers);
			observe(granted.join().orElseThrow().releaseAsync(), expected, answers);
			Awaitility.await().atMost(SOON).until(() -> answers.size() == expected.get());
			assertThat(driver.join()).as("where the driver answers").startsWith(DRIVER);
			assertThat(List.of(handlers, losses, answers)).allSatisfy(
					(threads) -> assertThat(threads).isNotEmpty().noneMatch((thread) -> thread.startsWith(DRIVER)));
		}
	}

	private static void observe(CompletionStage<?> answer, AtomicInteger expected, Queue<String> threads) {
		expected.incrementAndGet();
		answer.whenComplete((result, failure) -> threads.add(threadName()));
	}

	private static String threadName() {
		return Thread.currentThread().getName();
	}

	private static LockKey key(String key) {
		return new LockKey("fault", key);
	}

	private static CompletableFuture<Optional<Lease>> acquire(RedisInstance instance, String key, Duration wait) {
		return instance.locks()
			.tryAcquireAsync(new LockKey("fault", key), OPTIONS.withWaitTime(wait))
			.toCompletableFuture();
	}

	/** Returns when the lease ends, on the clock of this process. */
	private static Duration end(Lease lease) {
		return Duration.ofNanos(System.nanoTime()).plus(lease.remaining());
	}

	private static RedisInstance instance(LocalRedis server) {
		return new RedisInstance(TestConnections.to("127.0.0.1", server.port()), "lock", 0, 64, TIMEOUT);
	}

	/** Records the threads on which observations start and stop. */
	private record ThreadsOfHandlers(Queue<String> threads) implements ObservationHandler<Observation.Context> {

		@Override
		public void onStart(Observation.Context context) {
			this.threads.add(threadName());
		}

		@Override
		public void onStop(Observation.Context context) {
			this.threads.add(threadName());
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
