package io.github.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks of processes that are killed, or in competition.
 */
@Tag("faults")
@Tag("redis")
class ProcessFaultTests {

	private static final String PREFIX = "faults";

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	@BeforeEach
	void clear() {
		redis.delete(redis.keys(PREFIX + ":{*"));
		redis.delete(List.of("elements", "tokens"));
	}

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@Test
	@DisplayName("When the holder is killed, the next owner gets the lock when the lease expires, never earlier")
	void holderKilled() {
		killHolders(3);
	}

	@Test
	@Tag("soak")
	@DisplayName("When the holder is killed, 20 times, the next owner gets the lock each time when the lease expires, never earlier")
	void holdersKilled() {
		for (int i = 0; i < 4; i++) {
			killHolders(5);
		}
	}

	private static void killHolders(int count) {
		try (RedisInstance next = new RedisInstance(PREFIX)) {
			killHolders(IntStream.range(0, count).boxed().toList(), Duration.ofSeconds(4), next);
		}
	}

	private static void killHolders(List<Integer> runs, Duration ttl, RedisInstance next) {
		LockOptions options = LockOptions.of(ttl).withWaitTime(Duration.ofMinutes(1));
		Map<Integer, TestJvm> holders = new TreeMap<>();
		runs.forEach((run) -> holders.put(run, holder(run, ttl)));
		holders.values().forEach((holder) -> holder.await("held"));
		Map<Integer, CompletableFuture<Long>> granted = new TreeMap<>();
		runs.forEach((run) -> granted.put(run,
				next.locks().tryAcquireAsync(new LockKey("fault", "run" + run), options).thenApply((lease) -> {
					lease.orElseThrow().close();
					return System.nanoTime();
				}).toCompletableFuture()));
		Awaitility.await()
			.until(() -> runs.stream().noneMatch((run) -> redis.keys(PREFIX + ":waiting:*:run" + run).isEmpty()));
		assertThat(granted.values()).as("before the kill").noneMatch(CompletableFuture::isDone);
		long killed = System.nanoTime();
		Map<Integer, Duration> left = new TreeMap<>();
		holders.forEach((run, holder) -> {
			holder.kill();
			left.put(run, Duration.ofMillis(redis.getExpire(lock(run), TimeUnit.MILLISECONDS)));
		});
		granted.forEach((run, grant) -> {
			assertThat(grant).as("run %d", run).succeedsWithin(Duration.ofSeconds(20));
			assertThat(Duration.ofNanos(grant.join() - killed)).as("run %d", run)
				.isBetween(left.get(run), ttl.plusSeconds(3));
		});
	}

	private static String lock(int run) {
		return redis.keys(PREFIX + ":{*}:fault:run" + run).iterator().next();
	}

	@Test
	@DisplayName("When the winner is killed while 20 losers wait, one of them runs after the lease has expired, and the others get its result")
	void winnerKilled() {
		Duration ttl = Duration.ofSeconds(4);
		LockOptions waiting = LockOptions.of(ttl).withWaitTime(Duration.ofSeconds(30));
		ResultKey result = new ResultKey("share", Duration.ofMinutes(1), false);
		try (RedisInstance second = new RedisInstance(PREFIX); RedisInstance third = new RedisInstance(PREFIX)) {
			TestJvm winner = holder(0, ttl);
			winner.await("held");
			List<CompletableFuture<LeaseOrResult>> losers = IntStream.range(0, 20)
				.mapToObj((i) -> ((i % 2 == 0) ? second : third).locks()
					.acquireAsync(new LockKey("fault", "run0"), waiting, result, ResultQuery.NO_TOKEN, null)
					.toCompletableFuture())
				.toList();
			winner.kill();
			Awaitility.await().until(() -> losers.stream().anyMatch(CompletableFuture::isDone));
			List<CompletableFuture<LeaseOrResult>> runs = losers.stream().filter(CompletableFuture::isDone).toList();
			assertThat(runs).hasSize(1);
			runs.get(0).join().lease().close("the result");
			assertThat(losers).filteredOn((loser) -> loser != runs.get(0))
				.allSatisfy((loser) -> assertThat(loser).succeedsWithin(Duration.ofSeconds(20))
					.matches(RedisInstance.gives("the result")));
		}
	}

	@Test
	@DisplayName("A set that 8 threads in two processes read, pause and write under the lock loses no element")
	void sharedSet() {
		redis.opsForValue().set("elements", "");
		Object[] args = { TestRedis.host(), TestRedis.port(), PREFIX, "first", 100 };
		try (TestJvm first = TestJvm.start(SetWriter.class, args)) {
			args[3] = "second";
			try (TestJvm second = TestJvm.start(SetWriter.class, args)) {
				assertThat(first.await("done")).contains("0 losses");
				assertThat(second.await("done")).contains("0 losses");
			}
		}
		assertThat(redis.opsForValue().get("elements").trim().split(" ")).hasSize(8 * 100).doesNotHaveDuplicates();
		List<Long> tokens = redis.opsForList().range("tokens", 0, -1).stream().map(Long::valueOf).toList();
		assertThat(tokens).hasSize(8 * 100).isSorted().doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("On one processor with all callbacks blocked, locks are renewed, released and granted to waiters")
	void oneProcessor() {
		try (TestJvm application = TestJvm.start(List.of("-XX:ActiveProcessorCount=1"), BlockedApplication.class,
				TestRedis.host(), TestRedis.port(), PREFIX)) {
			assertThat(application.await("processors ")).isEqualTo("1");
			assertThat(application.await("granted")).isEqualTo(" to the waiter");
			assertThat(application.await("renewed ")).isEqualTo("true");
		}
	}

	private static TestJvm holder(int run, Duration ttl) {
		return TestJvm.start(HoldingApplication.class, TestRedis.host(), TestRedis.port(), PREFIX, "run" + run,
				ttl.toMillis());
	}

}
