package io.github.lockstarter.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens to locks when Redis dies, comes back, and freezes.
 */
@Tag("faults")
class RedisFaultTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final Duration SOON = Duration.ofSeconds(8);

	private static final LockKey KEY = new LockKey("fault", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	@RepeatedTest(2)
	@DisplayName("Redis killed and restarted without its data: the holder is notified of the loss, long before its deadline")
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
	@DisplayName("Redis killed and restarted with its data: the holder keeps the lock, no other caller gets it, and tokens keep growing")
	void durable(@TempDir Path data) throws Exception {
		try (LocalRedis server = LocalRedis.started("--appendonly", "yes", "--appendfsync", "always", "--dir",
				data.toString()); RedisInstance first = instance(server); RedisInstance second = instance(server)) {
			Lease lease = first.locks().acquire(KEY, LockOptions.of(Duration.ofMinutes(2)));
			Duration granted = end(lease);
			CompletableFuture<Optional<Lease>> waiting = second.locks()
				.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(25)))
				.toCompletableFuture();
			Awaitility.await().until(() -> second.requests().contains("SUBSCRIBE"));
			server.kill();
			server.start();
			Awaitility.await()
				.ignoreExceptions()
				.untilAsserted(
						() -> assertThat(second.locks().tryAcquire(new LockKey("fault", "free"), OPTIONS)).isPresent());
			// Renewed when the connection is back, not only a third of the time to live
			// later.
			Awaitility.await().atMost(SOON).until(() -> end(lease).compareTo(granted.plusMillis(100)) > 0);
			assertThat(first.losses()).isEmpty();
			assertThat(lease.isHeld()).isTrue();
			assertThat(first.locks().tryAcquire(KEY, OPTIONS)).isEmpty();
			// The waiter either asked in the outage and failed, or still waits.
			boolean failed = waiting.isCompletedExceptionally();
			assertThat(waiting.isDone()).isEqualTo(failed);
			lease.close();
			Lease next = failed ? second.locks().acquire(KEY, OPTIONS) : waiting.get(5, TimeUnit.SECONDS).orElseThrow();
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			next.close();
		}
	}

	@RepeatedTest(2)
	@DisplayName("Redis frozen during acquires: all are answered within the time-out, and no lock without an owner survives")
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
			LettuceConnectionFactory factory = TestRedis.connectionFactory("127.0.0.1", server.port());
			StringRedisTemplate redis = new StringRedisTemplate(factory);
			Awaitility.await().atMost(SOON).until(() -> redis.keys("lock:{*").isEmpty());
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> redis.keys("lock:{*").isEmpty());
			instance.locks().acquire(new LockKey("fault", "a"), OPTIONS).close();
			factory.destroy();
		}
	}

	@RepeatedTest(2)
	@DisplayName("Redis frozen during an acquire that is taken back: a waiter behind it is woken")
	void frozenWithWaiter() {
		try (LocalRedis server = LocalRedis.started(); RedisInstance instance = instance(server)) {
			// The subscription is there.
			Lease other = instance.locks().acquire(new LockKey("fault", "other"), OPTIONS);
			instance.store().lock(other.key()).acquire(AcquireCommand.of("x", OPTIONS.ttl()).notifying(() -> {
			})).toCompletableFuture().join();
			Awaitility.await().until(() -> instance.requests().contains("SUBSCRIBE"));
			server.freeze();
			assertThat(acquire(instance, "a", Duration.ZERO)).failsWithin(SOON);
			CompletableFuture<Optional<Lease>> waiting = acquire(instance, "a", Duration.ofSeconds(25));
			server.thaw();
			assertThat(waiting).succeedsWithin(SOON).matches(Optional::isPresent);
			waiting.join().orElseThrow().close();
			other.close();
		}
	}

	private static CompletableFuture<Optional<Lease>> acquire(RedisInstance instance, String key, Duration wait) {
		return instance.locks()
			.tryAcquireAsync(new LockKey("fault", key), OPTIONS.withWaitTime(wait))
			.toCompletableFuture();
	}

	/** Returns when the lease ends, on the clock of this JVM. */
	private static Duration end(Lease lease) {
		return Duration.ofNanos(System.nanoTime()).plus(lease.remaining());
	}

	private static RedisInstance instance(LocalRedis server) {
		return new RedisInstance(TestRedis.connections("127.0.0.1", server.port()), "lock", 0, 64, TIMEOUT);
	}

}
