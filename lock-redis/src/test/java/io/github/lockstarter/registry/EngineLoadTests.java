package io.github.lockstarter.registry;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cost of many callers, counted instead of timed.
 */
@Tag("jdk")
class EngineLoadTests {

	private static final int WAITERS = 10_000;

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@Test
	@DisplayName("10,000 asynchronous waiters use no threads and at most 1 KB of heap each; all are served, or time out")
	void manyWaiters() {
		try (RedisInstance instance = new RedisInstance("load")) {
			LockKey key = new LockKey("load", "one");
			Lease lease = instance.locks().acquire(key, OPTIONS);
			int threads = ManagementFactory.getThreadMXBean().getThreadCount();
			long heap = usedHeap();
			AtomicInteger served = new AtomicInteger();
			List<CompletableFuture<?>> patient = new ArrayList<>(WAITERS);
			List<CompletableFuture<?>> impatient = new ArrayList<>(WAITERS);
			for (int i = 0; i < WAITERS; i++) {
				boolean waits = i % 2 == 0;
				CompletableFuture<Optional<Lease>> waiting = instance.locks()
					.tryAcquireAsync(key, OPTIONS.withWaitTime(waits ? Duration.ofMinutes(5) : Duration.ofSeconds(8)))
					.toCompletableFuture();
				(waits ? patient : impatient).add(waiting);
			}
			assertThat((usedHeap() - heap) / WAITERS).as("bytes for each").isLessThanOrEqualTo(1024);
			assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threads).isLessThanOrEqualTo(5);
			assertThat(patient).noneMatch(CompletableFuture::isDone);
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.until(() -> impatient.stream().allMatch(CompletableFuture::isDone));
			assertThat(impatient).allSatisfy((each) -> assertThat(each.join()).isEqualTo(Optional.empty()));
			patient.forEach((each) -> each.thenCompose((granted) -> {
				served.incrementAndGet();
				return ((Optional<?>) granted).map(Lease.class::cast).orElseThrow().releaseAsync();
			}));
			lease.close();
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> served.get() == WAITERS / 2);
			assertThat(instance.commandCount()).as("commands").isLessThan(WAITERS / 2 / 4);
		}
	}

	@Test
	@DisplayName("After 40,000 cycles over 400 keys, heap, entries, Redis keys and subscriptions are as at the beginning")
	void manyCycles() throws InterruptedException {
		manyCycles(40_000, 400);
	}

	@Test
	@Tag("soak")
	@DisplayName("After 1,000,000 cycles over 100,000 keys, heap, entries, Redis keys and subscriptions are as at the beginning")
	void millionCycles() throws InterruptedException {
		manyCycles(1_000_000, 100_000);
	}

	private static void manyCycles(int cycles, int keyCount) throws InterruptedException {
		try (RedisInstance first = new RedisInstance("load"); RedisInstance second = new RedisInstance("load")) {
			cycles(cycles / 5, keyCount, first, second);
			long heap = usedHeap();
			long fences = keys("load:fence:*");
			long subscribers = subscribers();
			cycles(cycles, keyCount, first, second);
			// A rejected waiter is removed slightly later than the lease that it waited
			// for.
			Awaitility.await().atMost(Duration.ofSeconds(45)).until(() -> keys("load:waiting:*") == 0);
			assertThat(keys("load:*")).isEqualTo(fences).isLessThanOrEqualTo(4096);
			assertThat(subscribers()).isEqualTo(subscribers).isEqualTo(2);
			assertThat(List.of(first, second)).allSatisfy((instance) -> {
				assertThat(instance.locks().entries().snapshots().findAny().isEmpty()).isTrue();
				assertThat(instance.losses()).isEmpty();
			});
			assertThat(usedHeap() - heap).as("bytes more than at the beginning").isLessThan(3_000_000);
		}
	}

	/** Acquires locks in both instances; one in a hundred is a lock that all want. */
	private static void cycles(int cycles, int keyCount, RedisInstance... instances) throws InterruptedException {
		Semaphore room = new Semaphore(64);
		AtomicInteger failures = new AtomicInteger();
		for (int i = 0; i < cycles; i++) {
			room.acquire();
			int key = (i % 100 == 0) ? 0 : ThreadLocalRandom.current().nextInt(keyCount);
			instances[i / 100 % 2].locks()
				.tryAcquireAsync(new LockKey("load", Integer.toString(key)),
						OPTIONS.withWaitTime(Duration.ofSeconds(20)))
				.thenCompose((lease) -> lease.orElseThrow().releaseAsync())
				.whenComplete((released, failure) -> {
					failures.addAndGet((failure != null) ? 1 : 0);
					room.release();
				});
		}
		room.acquire(64);
		for (RedisInstance instance : instances) {
			instance.forgetCommands();
		}
		assertThat(failures).hasValue(0);
	}

	private static long keys(String pattern) {
		return redis.keys(pattern).size();
	}

	@SuppressWarnings("unchecked")
	private static long subscribers() {
		byte[] channel = "load:released".getBytes();
		return redis.execute((RedisCallback<Long>) (connection) -> {
			RedisClusterAsyncCommands<byte[], byte[]> commands = (RedisClusterAsyncCommands<byte[], byte[]>) connection
				.getNativeConnection();
			return commands.pubsubNumsub(channel).toCompletableFuture().join().values().iterator().next();
		});
	}

	private static long usedHeap() {
		long used = Long.MAX_VALUE;
		for (int i = 0; i < 4; i++) {
			System.gc();
			used = Math.min(used, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return used;
	}

}
