package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The engine with a real Redis, as one instance and as two instances of an application.
 */
@Tag("redis")
class EngineOnRedisTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(25));

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final LockKey key = new LockKey("engine", UUID.randomUUID().toString());

	private final RedisInstance first = new RedisInstance("engine");

	private final RedisInstance second = new RedisInstance("engine");

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@AfterEach
	void closeAndLeaveNothing() {
		this.first.close();
		this.second.close();
		assertThat(redis.keys("engine:{*")).isEmpty();
	}

	@Test
	@DisplayName("An uncontended cycle is two commands; a rejection is none if this instance holds the lock, and one otherwise")
	void countsCommands() {
		Lease lease = this.first.locks().acquire(this.key, OPTIONS);
		assertThat(this.first.commands()).hasSize(1);
		assertThat(this.first.locks().tryAcquire(this.key, OPTIONS)).isEmpty();
		assertThat(this.first.commands()).hasSize(1);
		assertThat(this.second.locks().tryAcquire(this.key, OPTIONS)).isEmpty();
		assertThat(this.second.commands()).hasSize(1);
		lease.close();
		assertThat(this.first.commands()).containsExactly("EVALSHA", RedisInstance.releaseCommand());
	}

	@Test
	@DisplayName("Twenty free locks are one command, as is a rejection by another instance; three hundred locks are three commands")
	void countsCommandsForSeveral() {
		List<LockKey> keys = IntStream.range(0, 300)
			.mapToObj((i) -> new LockKey("engine", "%s %03d".formatted(this.key.key(), i)))
			.toList();
		List<Lease> leases = this.first.locks().acquireAll(keys.subList(0, 20), OPTIONS);
		assertThat(this.first.commands()).containsExactly("EVALSHA");
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> this.second.locks().acquireAll(keys.subList(10, 30), OPTIONS));
		assertThat(this.second.commands()).containsExactly("EVALSHA");
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> this.first.locks().acquireAll(keys.subList(10, 30), OPTIONS));
		assertThat(this.first.commands()).hasSize(1);
		CompletableFuture<List<Lease>> waiting = this.second.locks()
			.acquireAllAsync(keys.subList(10, 30), WAITING, Executors.newSingleThreadExecutor())
			.toCompletableFuture();
		awaitAsleep(waiting, 3, keys.get(10));
		leases.forEach(Lease::close);
		assertThat(waiting).succeedsWithin(SOON);
		waiting.join().forEach(Lease::close);
		this.first.forgetCommands();
		List<Lease> many = this.first.locks().acquireAll(keys, OPTIONS);
		assertThat(this.first.commands()).containsExactly("EVALSHA", "EVALSHA", "EVALSHA");
		many.forEach(Lease::releaseAsync);
		many.forEach(Lease::close);
	}

	@Test
	@DisplayName("A local queue of 8 threads needs at most 0.3 commands per acquisition, and leaves no thread")
	void localQueue() throws Exception {
		Contest contest = new Contest(800, this.first.locks());
		contest.run(8);
		assertThat(this.first.commands().size() / 800.0).isLessThanOrEqualTo(0.3);
		contest.assertExclusiveAndFair();
	}

	@Test
	@DisplayName("Two instances with 4 threads each need at most one command per acquisition, and leave no thread")
	void twoInstances() throws Exception {
		Contest contest = new Contest(800, this.first.locks(), this.second.locks());
		contest.run(4);
		assertThat((this.first.commands().size() + this.second.commands().size()) / 800.0).isLessThanOrEqualTo(1);
		contest.assertExclusiveAndFair();
	}

	@Test
	@DisplayName("A waiter at another instance is notified of the release, long before the lease would expire")
	void notified() {
		Lease lease = this.first.locks().acquire(this.key, OPTIONS);
		long start = System.nanoTime();
		CompletableFuture<Optional<Lease>> waiting = waitOn(this.second);
		awaitAsleep(waiting, 3);
		assertThat(redis.getExpire("engine:waiting:" + redisKey())).isPositive();
		lease.close();
		assertThat(waiting).succeedsWithin(SOON);
		this.second.assertCommands("first try, subscription, one more try, success", 3, start);
		waiting.join().orElseThrow().close();
		assertThat(redis.keys("engine:waiting:*")).isEmpty();
	}

	@Test
	@DisplayName("The subscription is made once; a further wait needs one command before and one after the release")
	void oneSubscription() {
		long start = System.nanoTime();
		for (int i = 0; i < 3; i++) {
			Lease lease = this.first.locks().acquire(this.key, OPTIONS);
			int before = this.second.commandCount();
			CompletableFuture<Optional<Lease>> waiting = waitOn(this.second);
			// The first wait needs a subscription and one more command; each wait needs a
			// grant and a release.
			awaitAsleep(waiting, before + ((i == 0) ? 3 : 1));
			lease.close();
			assertThat(waiting).succeedsWithin(SOON);
			waiting.join().orElseThrow().close();
		}
		this.second.assertCommands("tries and releases", 4 + 3 + 3, start);
	}

	@Test
	@DisplayName("Without a waiter, a release publishes nothing")
	void silentWithoutWaiters() {
		long before = calls("publish");
		for (int i = 0; i < 10; i++) {
			this.first.locks().acquire(this.key, WAITING).close();
			this.second.locks().tryAcquire(this.key, OPTIONS).orElseThrow().close();
		}
		assertThat(calls("publish")).isEqualTo(before);
	}

	@Test
	@DisplayName("When a holder dies, a waiter gets the lock when the lease expires")
	void holderDied() {
		long start = System.nanoTime();
		AcquireCommand command = AcquireCommand.of("dead", Duration.ofSeconds(2));
		this.first.store().lock(this.key).acquire(command).toCompletableFuture().join();
		this.second.locks().acquire(this.key, WAITING).close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(1900),
				Duration.ofSeconds(10));
	}

	@Test
	@DisplayName("If no message arrives, a waiter finds the free lock by polling, long before the lease would expire")
	void messageLost() {
		Lease lease = this.first.locks().acquire(this.key, OPTIONS.withoutRenewal());
		CompletableFuture<Optional<Lease>> waiting = waitOn(this.second);
		awaitAsleep(waiting, 3);
		redis.delete(redis.keys("engine:*" + this.key.key()));
		assertThat(waiting).succeedsWithin(SOON).matches(Optional::isPresent);
		waiting.join().orElseThrow().close();
		lease.close();
	}

	@Test
	@DisplayName("An instance that died while waiting delays other waiters only briefly")
	void waiterDied() {
		StoredLock dying = this.first.store().lock(this.key);
		AcquireCommand command = AcquireCommand.of("dead", OPTIONS.ttl()).notifying(() -> {
		});
		StoredLock held = this.second.store().lock(this.key);
		held.acquire(AcquireCommand.of("held", OPTIONS.ttl()))
			.thenCompose((granted) -> dying.acquire(command))
			.thenCompose((rejected) -> held.release("held", null))
			.toCompletableFuture()
			.join();
		Lease lease = this.second.locks().acquire(this.key, OPTIONS);
		dying.acquire(command).toCompletableFuture().join();
		List<CompletableFuture<Optional<Lease>>> waiting = IntStream.range(0, 20)
			.mapToObj((i) -> waitOn(this.second))
			.toList();
		lease.close();
		waiting.forEach((each) -> {
			assertThat(each).succeedsWithin(SOON);
			each.join().orElseThrow().close();
		});
	}

	@Test
	@DisplayName("Fencing tokens grow with every acquisition, across hand-offs and instances")
	void tokensGrow() throws Exception {
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		Contest contest = new Contest(400, this.first.locks(), this.second.locks());
		contest.tokens = tokens;
		contest.run(4);
		assertThat(tokens).hasSize(400).isSorted().doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("Connections that the application opens for other purposes trigger no renewal")
	void otherConnections() {
		Lease lease = this.first.locks().acquire(this.key, OPTIONS);
		long start = System.nanoTime();
		Lease waitedFor = this.second.locks().acquire(new LockKey("engine", "other"), OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = this.first.locks()
			.tryAcquireAsync(waitedFor.key(), WAITING)
			.toCompletableFuture();
		Awaitility.await().until(() -> this.first.commandCount() >= 4);
		this.first.assertCommands("no renewal for the subscription's connection", 3, start);
		waitedFor.close();
		assertThat(waiting).succeedsWithin(SOON);
		waiting.join().orElseThrow().close();
		lease.close();
	}

	@Test
	@DisplayName("10,000 leases are renewed by 20 commands of 500 each")
	void renewsManyAtOnce() {
		LockOptions options = LockOptions.of(Duration.ofSeconds(12));
		List<Lease> leases = new ArrayList<>();
		while (leases.size() < 10_000) {
			// Not all concurrently, which would exceed the timeout on a slow machine.
			int begin = leases.size();
			IntStream.range(begin, begin + 500)
				.mapToObj((i) -> this.first.locks().tryAcquireAsync(new LockKey("engine", "many" + i), options))
				.toList()
				.forEach((acquire) -> leases.add(acquire.toCompletableFuture().join().orElseThrow()));
		}
		int commands = this.first.commandCount();
		Awaitility.await().until(() -> this.first.commandCount() > commands);
		Awaitility.await().until(() -> leases.stream().allMatch((each) -> each.remaining().toMillis() > 10_000));
		assertThat(this.first.commandCount() - commands).isBetween(20, 60);
		CompletableFuture
			.allOf(leases.stream()
				.map((each) -> each.releaseAsync().toCompletableFuture())
				.toArray(CompletableFuture[]::new))
			.join();
		assertThat(this.first.losses()).isEmpty();
	}

	@Test
	@DisplayName("Hundreds of virtual threads, where available, wait without pinning their carriers")
	void virtualThreads() throws Exception {
		ExecutorService executor = executorOfVirtualThreads();
		List<Future<?>> running = new ArrayList<>();
		AtomicInteger holders = new AtomicInteger();
		for (int i = 0; i < 300; i++) {
			LockRegistry locks = (i % 2 == 0) ? this.first.locks() : this.second.locks();
			running.add(executor.submit(() -> {
				try (Lease lease = locks.acquire(this.key, WAITING)) {
					assertThat(holders.incrementAndGet()).isOne();
					// With pinned carriers no thread could continue.
					Thread.yield();
					LockSupport.parkNanos(100_000);
					assertThat(lease.isHeld()).isTrue();
					holders.decrementAndGet();
				}
			}));
		}
		for (Future<?> each : running) {
			each.get(25, TimeUnit.SECONDS);
		}
		executor.shutdown();
	}

	private static ExecutorService executorOfVirtualThreads() throws ReflectiveOperationException {
		return (Runtime.version().feature() < 21) ? Executors.newCachedThreadPool()
				: (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
	}

	private CompletableFuture<Optional<Lease>> waitOn(RedisInstance instance) {
		return instance.locks().tryAcquireAsync(this.key, WAITING).toCompletableFuture();
	}

	/** Waits until the second instance has sent its last command before it sleeps. */
	private void awaitAsleep(CompletableFuture<?> waiting, int commands) {
		awaitAsleep(waiting, commands, this.key);
	}

	private void awaitAsleep(CompletableFuture<?> waiting, int commands, LockKey key) {
		Awaitility.await().until(() -> this.second.commandCount() >= commands);
		Awaitility.await().until(() -> redis.hasKey("engine:waiting:" + redisKey(key)));
		assertThat(waiting).isNotDone();
	}

	private String redisKey() {
		return redisKey(this.key);
	}

	private static String redisKey(LockKey lock) {
		String key = redis.keys("engine:{*" + lock.key()).iterator().next();
		return key.substring("engine:".length());
	}

	private static long calls(String command) {
		Properties stats = redis
			.execute((RedisCallback<Properties>) (connection) -> connection.serverCommands().info("commandstats"));
		String calls = stats.getProperty("cmdstat_" + command, "calls=0,");
		return Long.parseLong(calls.substring("calls=".length(), calls.indexOf(',')));
	}

	/** Threads of one or more instances that repeatedly acquire the same lock. */
	private final class Contest {

		private final int acquisitions;

		private final LockRegistry[] instances;

		private final AtomicInteger left;

		private final AtomicInteger holders = new AtomicInteger();

		private final AtomicInteger violations = new AtomicInteger();

		private AtomicIntegerArray served = new AtomicIntegerArray(0);

		private List<Long> tokens = new ArrayList<>();

		Contest(int acquisitions, LockRegistry... instances) {
			this.acquisitions = acquisitions;
			this.instances = instances;
			this.left = new AtomicInteger(acquisitions);
		}

		void run(int threadsEach) throws Exception {
			int threads = threadsEach * this.instances.length;
			this.served = new AtomicIntegerArray(threads);
			ExecutorService executor = Executors.newFixedThreadPool(threads);
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int thread = i;
				running.add(executor.submit(() -> compete(thread)));
			}
			for (Future<?> each : running) {
				each.get(1, TimeUnit.MINUTES);
			}
			executor.shutdown();
		}

		private void compete(int thread) {
			LockRegistry locks = this.instances[thread % this.instances.length];
			while (this.left.getAndDecrement() > 0) {
				try (Lease lease = locks.acquire(EngineOnRedisTests.this.key, WAITING)) {
					this.violations.addAndGet(this.holders.getAndIncrement());
					this.tokens.add(lease.fencingToken());
					LockSupport.parkNanos(1_000_000);
					this.served.incrementAndGet(thread);
					this.holders.decrementAndGet();
				}
			}
		}

		void assertExclusiveAndFair() {
			assertThat(this.violations).hasValue(0);
			int[] counts = IntStream.range(0, this.served.length()).map(this.served::get).toArray();
			assertThat(IntStream.of(counts).sum()).isEqualTo(this.acquisitions);
			assertThat(IntStream.of(counts).max().orElseThrow()).as(Arrays.toString(counts))
				.isLessThanOrEqualTo(2 * IntStream.of(counts).min().orElseThrow());
		}

	}

}
