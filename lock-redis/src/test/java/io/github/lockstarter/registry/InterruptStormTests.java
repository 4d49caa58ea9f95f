package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers that give up at random times.
 */
@Tag("jdk")
@Tag("faults")
class InterruptStormTests {

	private static final int KEYS = 3;

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(6))
		.withWaitTime(Duration.ofMillis(50));

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicIntegerArray holders = new AtomicIntegerArray(KEYS);

	private final AtomicInteger violations = new AtomicInteger();

	private final AtomicInteger served = new AtomicInteger();

	@Test
	@DisplayName("Interrupts and cancelled acquires in two instances: never two holders, and no key, waiter or renewal remains")
	void storm() throws Exception {
		storm(Duration.ofSeconds(3));
	}

	@Test
	@Tag("soak")
	@DisplayName("20 s of interrupts and cancelled acquires leave nothing behind")
	void longStorm() throws Exception {
		storm(Duration.ofSeconds(20));
	}

	private void storm(Duration time) throws Exception {
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory();
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		try (RedisInstance first = new RedisInstance("storm"); RedisInstance second = new RedisInstance("storm")) {
			List<Thread> callers = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				RedisInstance instance = (i % 2 == 0) ? first : second;
				callers.add(start((i < 4) ? () -> callAndBeInterrupted(instance) : () -> callAndCancel(instance)));
			}
			long start = System.nanoTime();
			while (System.nanoTime() - start < time.toNanos()) {
				callers.get(ThreadLocalRandom.current().nextInt(4)).interrupt();
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000));
			}
			this.over.set(true);
			for (Thread caller : callers) {
				caller.join(10_000);
			}
			assertThat(callers).noneMatch(Thread::isAlive);
			assertThat(this.violations).hasValue(0);
			assertThat(this.served.get()).isGreaterThan(100);
			Awaitility.await().untilAsserted(() -> assertThat(redis.keys("storm:{*")).isEmpty());
			Awaitility.await()
				.until(() -> first.locks().entries().snapshots().findAny().isEmpty()
						&& second.locks().entries().snapshots().findAny().isEmpty());
			Awaitility.await()
				.atMost(Duration.ofSeconds(15))
				.untilAsserted(() -> assertThat(redis.keys("storm:waiting:*")).isEmpty());
			int commands = first.commandCount() + second.commandCount();
			Awaitility.await()
				.during(OPTIONS.ttl().dividedBy(2))
				.until(() -> first.commandCount() + second.commandCount() == commands);
			assertThat(first.losses()).isEmpty();
			assertThat(second.losses()).isEmpty();
		}
		factory.destroy();
	}

	private void callAndBeInterrupted(RedisInstance instance) {
		while (!this.over.get()) {
			int key = ThreadLocalRandom.current().nextInt(KEYS);
			try {
				instance.locks()
					.tryAcquire(new LockKey("storm", "" + key), OPTIONS)
					.ifPresent((lease) -> work(key, lease));
			}
			catch (LockStoreException ex) {
				assertThat(ex).hasMessageContaining("interrupted");
			}
			Thread.interrupted();
		}
	}

	private void callAndCancel(RedisInstance instance) {
		while (!this.over.get()) {
			int key = ThreadLocalRandom.current().nextInt(KEYS);
			CompletableFuture<Optional<Lease>> acquire = instance.locks()
				.tryAcquireAsync(new LockKey("storm", "" + key), OPTIONS)
				.toCompletableFuture();
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(3_000_000));
			if (!acquire.cancel(true)) {
				acquire.join().ifPresent((lease) -> work(key, lease));
			}
		}
	}

	private void work(int key, Lease lease) {
		this.violations.addAndGet(this.holders.getAndIncrement(key));
		this.served.incrementAndGet();
		LockSupport.parkNanos(200_000);
		this.holders.getAndDecrement(key);
		lease.close();
	}

	private static Thread start(Runnable task) {
		Thread thread = new Thread(task);
		thread.start();
		return thread;
	}

}
