package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.RedisCommand;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.GroupLockStore.Claim;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Batching of commands. To ensure that commands are batched, the server is stopped while
 * many are submitted.
 */
@Tag("redis")
class BatchesTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final Duration TTL = Duration.ofSeconds(30);

	@Test
	@DisplayName("While eight commands are in flight, a thousand acquires and releases are sent in batches of 32")
	void putsTogether() {
		withStopped(LocalRedis.started(), (redis) -> {
			List<CompletableFuture<AcquireResult>> acquired = redis.whileStopped(() -> redis.acquireAll(1000));
			assertThat(acquired).allSatisfy((result) -> assertThat(result.join()).isInstanceOf(Granted.class));
			assertThat(redis.instance.commands()).containsOnly("EVALSHA").hasSize(8 + (1000 - 8) / 32);
			redis.instance.forgetCommands();
			List<CompletableFuture<Boolean>> released = redis.whileStopped(() -> redis.releaseAll(1000));
			assertThat(released).allSatisfy((owned) -> assertThat(owned.join()).isTrue());
			assertThat(redis.instance.commands()).hasSize(8 + (1000 - 8) / 32);
			assertThat(redis.template.keys("batch:{*")).isEmpty();
		});
	}

	@Test
	@DisplayName("With large batches, four commands in flight are enough")
	void fewerWhenLarge() {
		Queue<RedisCommand<byte[], byte[], ?>> underWay = new ArrayDeque<>();
		RedisClusterAsyncCommands<byte[], byte[]> redis = DriverStub.commands(underWay::add);
		Batches batches = new Batches(true);
		byte[][] two = { {}, {} };
		for (int i = 0; i < 200; i++) {
			batches.with(Script.RELEASE, two, two).send(redis, () -> false, (number, failure) -> {
			});
		}
		assertThat(underWay).hasSize(8);
		for (int i = 0; i < 8; i++) {
			DriverStub.answer(underWay.remove(), 1);
		}
		assertThat(underWay).hasSize(4);
	}

	@Test
	@DisplayName("A driver that throws an Error at nine commands in a row still gets the tenth")
	void survivesErrors() {
		AtomicInteger errors = new AtomicInteger(9);
		List<RedisCommand<byte[], byte[], ?>> sent = new ArrayList<>();
		RedisClusterAsyncCommands<byte[], byte[]> redis = DriverStub.commands((command) -> {
			if (errors.getAndDecrement() > 0) {
				throw new NoClassDefFoundError("a class that is missing");
			}
			sent.add(command);
		});
		Batches batches = new Batches(true);
		List<Throwable> failures = new ArrayList<>();
		byte[][] two = { {}, {} };
		for (int i = 0; i < 10; i++) {
			batches.with(Script.RELEASE, two, two).send(redis, () -> false, (number, failure) -> failures.add(failure));
		}
		assertThat(failures).hasSize(9).hasOnlyElementsOfType(NoClassDefFoundError.class);
		assertThat(sent).hasSize(1);
	}

	@Test
	@DisplayName("While a server does not answer, commands that their callers gave up are not kept in any queue")
	void keepsNoAbandoned() {
		RedisClusterAsyncCommands<byte[], byte[]> redis = DriverStub.commands((command) -> {
		});
		Batches batches = new Batches(true);
		byte[][] two = { {}, {} };
		for (int i = 0; i < 10_000; i++) {
			boolean isRelease = i % 1000 == 0;
			batches.with(isRelease ? Script.RELEASE : Script.ACQUIRE, two, two)
				.send(redis, () -> !isRelease, (number, failure) -> {
				});
		}
		assertThat(batches.queued()).isBetween(1, 10);
	}

	@Test
	@DisplayName("Each call of a batch gets its own answer: granted, held or lost")
	void answersEach() {
		withStopped(LocalRedis.started(), (redis) -> {
			redis.acquire(20, "another").join();
			List<CompletableFuture<AcquireResult>> acquired = redis.whileStopped(() -> redis.acquireAll(40));
			assertThat(IntStream.range(0, 40).filter((i) -> !(acquired.get(i).join() instanceof Granted)))
				.containsExactly(20);
			List<CompletableFuture<Boolean>> released = redis.whileStopped(() -> redis.releaseAll(40));
			assertThat(IntStream.range(0, 40).filter((i) -> !released.get(i).join())).containsExactly(20);
		});
	}

	@Test
	@DisplayName("A failed call does not fail the other calls of its batch")
	void failsAlone() {
		withStopped(LocalRedis.started(), (redis) -> {
			redis.acquire(20, "owner").join();
			String lock = redis.template.keys("batch:{*").iterator().next();
			redis.template.delete(lock);
			redis.template.opsForList().rightPush(lock, "no lock at all");
			List<CompletableFuture<AcquireResult>> acquired = redis.whileStopped(() -> redis.acquireAll(40));
			assertThat(acquired.get(20)).failsWithin(10, TimeUnit.SECONDS)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class)
				.withStackTraceContaining("WRONGTYPE");
			assertThat(IntStream.range(0, 40).filter((i) -> i != 20))
				.allSatisfy((i) -> assertThat(acquired.get(i).join()).isInstanceOf(Granted.class));
		});
	}

	@Test
	@DisplayName("A user with access to the prefix only can send commands for several locks")
	void restrictedUser() {
		withStopped(LocalRedis.started(), (redis) -> {
			redis.template.execute((RedisCallback<Object>) (connection) -> connection.execute("ACL",
					arguments("SETUSER default reset resetchannels on nopass ~batch:* &batch:* +@all")));
			assertThat(redis.whileStopped(() -> redis.acquireAll(40)))
				.allSatisfy((result) -> assertThat(result.join()).isInstanceOf(Granted.class));
			assertThat(redis.whileStopped(() -> redis.releaseAll(40)))
				.allSatisfy((owned) -> assertThat(owned.join()).isTrue());
			assertThat(redis.instance.commands()).filteredOn("EVALSHA"::equals).hasSize(2 * (8 + 1));
		});
	}

	@Test
	@DisplayName("A transient refusal is passed on, and does not end batching")
	void passingRefusal() {
		withStopped(LocalRedis.started(), (redis) -> {
			redis.template.execute((RedisCallback<Object>) (connection) -> connection.execute("ACL",
					arguments("SETUSER default resetkeys ~other:*")));
			// A failed acquire is undone later.
			assertThat(redis.whileStopped(() -> redis.releaseAll(40)))
				.allSatisfy((owned) -> assertThat(owned).failsWithin(10, TimeUnit.SECONDS)
					.withThrowableThat()
					.withCauseInstanceOf(LockStoreException.class)
					.withStackTraceContaining("NOPERM"));
			redis.template.execute((RedisCallback<Object>) (connection) -> connection.execute("ACL",
					arguments("SETUSER default allkeys")));
			redis.instance.forgetCommands();
			assertThat(redis.whileStopped(() -> redis.acquireAll(40)))
				.allSatisfy((result) -> assertThat(result.join()).isInstanceOf(Granted.class));
			assertThat(redis.instance.commands()).filteredOn("EVALSHA"::equals).hasSize(8 + 1);
		});
	}

	@Test
	@DisplayName("Fencing tokens grow within a command for several locks")
	void fencingTokens() {
		withStopped(LocalRedis.started(), (redis) -> {
			List<Long> first = redis.fencingTokens(redis.whileStopped(() -> redis.acquireAll(40)));
			redis.releaseAll(40).forEach(CompletableFuture::join);
			List<Long> second = redis.fencingTokens(redis.whileStopped(() -> redis.acquireAll(40)));
			assertThat(IntStream.range(0, 40)).allMatch((i) -> second.get(i) > first.get(i));
		});
	}

	@Test
	@DisplayName("When the server dies with commands in flight and queued, all are answered, and batching continues when it is back")
	void survivesCrash() {
		LocalRedis server = LocalRedis.started();
		withStopped(server, TIMEOUT, (redis) -> {
			server.freeze();
			List<CompletableFuture<AcquireResult>> acquired = redis.acquireAll(100);
			server.kill();
			server.start();
			// The driver repeats the commands in flight, so they may even be granted.
			CompletableFuture.allOf(acquired.toArray(CompletableFuture[]::new))
				.handle((done, failure) -> true)
				.orTimeout(10, TimeUnit.SECONDS)
				.join();
			redis.releaseAll(100).forEach((released) -> released.handle((owned, failure) -> owned).join());
			Awaitility.await().untilAsserted(() -> assertThat(redis.template.keys("batch:{*")).isEmpty());
			Awaitility.await()
				.untilAsserted(() -> assertThat(redis.acquireAll(100))
					.allSatisfy((result) -> assertThat(result).succeedsWithin(5, TimeUnit.SECONDS)
						.isInstanceOf(Granted.class)));
		});
	}

	@Test
	@DisplayName("A driver that refuses thousands of queued commands at once leaves no command unanswered")
	void survivesRefusingDriver() {
		LocalRedis server = LocalRedis.started();
		withStopped(server, TIMEOUT, (redis) -> {
			server.freeze();
			List<CompletableFuture<AcquireResult>> acquired = redis.acquireAll(20_000);
			redis.connections.disconnect();
			CompletableFuture.allOf(acquired.toArray(CompletableFuture[]::new))
				.handle((done, failure) -> true)
				.orTimeout(10, TimeUnit.SECONDS)
				.join();
			server.thaw();
			Awaitility.await()
				.untilAsserted(() -> assertThat(redis.acquireAll(100))
					.allSatisfy((result) -> assertThat(result).succeedsWithin(5, TimeUnit.SECONDS)
						.isInstanceOf(Granted.class)));
			// The outcome of the first eight is unknown, so they are released once more.
			AtomicInteger seen = new AtomicInteger();
			Awaitility.await()
				.during(Duration.ofSeconds(2))
				.atMost(20, TimeUnit.SECONDS)
				.until(() -> seen.getAndSet(redis.instance.commandCount()) == redis.instance.commandCount());
			assertThat(redis.acquireAll(40))
				.allSatisfy((result) -> assertThat(result.join()).isInstanceOf(Granted.class));
			redis.instance.forgetCommands();
			assertThat(redis.whileStopped(() -> redis.releaseAll(40)))
				.allSatisfy((owned) -> assertThat(owned.join()).isTrue());
			// All eight commands can be in flight again.
			assertThat(redis.instance.commands()).filteredOn("EVALSHA"::equals).hasSize(8 + 1);
		});
	}

	@Test
	@DisplayName("A server without the scripts is sent them, also for batches")
	void survivesScriptFlush() {
		withStopped(LocalRedis.started(), (redis) -> {
			redis.template.execute((RedisCallback<Void>) (connection) -> {
				connection.scriptingCommands().scriptFlush();
				return null;
			});
			assertThat(redis.whileStopped(() -> redis.acquireAll(100)))
				.allSatisfy((result) -> assertThat(result.join()).isInstanceOf(Granted.class));
		});
	}

	@Test
	@DisplayName("If keys of several slots cannot be in one command, as with a cluster proxy, each call is sent separately")
	void sendsAloneBeforeCluster() {
		LocalRedis cluster = LocalRedis.started("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf");
		withStopped(cluster, (redis) -> {
			String slots = IntStream.range(0, 16384).mapToObj(Integer::toString).collect(Collectors.joining(" "));
			redis.template.execute((RedisCallback<Object>) (connection) -> connection.execute("CLUSTER",
					arguments("ADDSLOTS " + slots)));
			Awaitility.await().until(() -> cluster.ask("CLUSTER INFO").contains("cluster_state:ok"));
			assertThat(redis.whileStopped(() -> redis.acquireAll(100)))
				.allSatisfy((result) -> assertThat(result.join()).isInstanceOf(Granted.class));
			redis.instance.forgetCommands();
			assertThat(redis.renewAll(100)).allSatisfy((owned) -> assertThat(owned.join()).isTrue());
			assertThat(redis.renewAll(100)).allSatisfy((owned) -> assertThat(owned.join()).isTrue());
			assertThat(redis.instance.commands()).hasSize(1 + 2 * 100);
			redis.instance.forgetCommands();
			assertThat(redis.whileStopped(() -> redis.releaseAll(100)))
				.allSatisfy((owned) -> assertThat(owned.join()).isTrue());
			assertThat(redis.instance.commands()).hasSize(100);
		});
	}

	@Test
	@DisplayName("If keys of several slots cannot be in one command, several locks are granted, all or none, with one command per slot")
	void acquiresAllBeforeCluster() {
		LocalRedis cluster = LocalRedis.started("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf");
		withStopped(cluster, (redis) -> {
			String slots = IntStream.range(0, 16384).mapToObj(Integer::toString).collect(Collectors.joining(" "));
			redis.template.execute((RedisCallback<Object>) (connection) -> connection.execute("CLUSTER",
					arguments("ADDSLOTS " + slots)));
			Awaitility.await().until(() -> cluster.ask("CLUSTER INFO").contains("cluster_state:ok"));
			assertThat(redis.acquireAtOnce(20)).isInstanceOf(AllGranted.class);
			// How many are put together in vain depends on when the first answers arrive.
			assertThat(redis.instance.commands())
				.as("one for all, one for each, and those for several that are refused")
				.hasSizeBetween(1 + 20, 1 + 20 + 12 / 2);
			redis.releaseAll(19).forEach(CompletableFuture::join);
			redis.instance.forgetCommands();
			assertThat(redis.acquireAtOnce(20)).as("the same owner is granted again").isInstanceOf(AllGranted.class);
			assertThat(redis.instance.commands()).hasSize(20);
			redis.releaseAll(20).forEach(CompletableFuture::join);
			redis.acquire(19, "another").join();
			redis.instance.forgetCommands();
			assertThat(redis.acquireAtOnce(20)).isInstanceOfSatisfying(FirstHeld.class,
					(first) -> assertThat(first.index()).isEqualTo(19));
			assertThat(redis.instance.commands()).as("what was granted is released").hasSize(20 + 19);
			assertThat(redis.template.keys("batch:{*")).hasSize(1);
		});
	}

	@Test
	@DisplayName("Several locks that are granted after their caller has given up are all released")
	void releasesLateGroup() {
		withStopped(LocalRedis.started(), TIMEOUT, (redis) -> {
			redis.whileStopped(() -> {
				CompletableFuture<AcquireAllResult> acquired = redis.acquireAtOnceAsync(100);
				assertThat(acquired).failsWithin(10, TimeUnit.SECONDS)
					.withThrowableThat()
					.withCauseInstanceOf(LockStoreException.class);
				return List.of();
			});
			Awaitility.await().until(() -> redis.instance.commandCount() > 1);
			Awaitility.await().untilAsserted(() -> assertThat(redis.template.keys("batch:{*")).isEmpty());
			assertThat(redis.acquireAtOnce(100)).isInstanceOf(AllGranted.class);
		});
	}

	@Test
	@DisplayName("A command for several locks that fails in the middle leaves none held")
	void releasesBrokenGroup() {
		withStopped(LocalRedis.started(), (redis) -> {
			redis.acquire(10, "owner").join();
			String fence = redis.template.keys("batch:fence:*").iterator().next();
			redis.releaseAll(11).forEach(CompletableFuture::join);
			redis.template.delete(fence);
			redis.template.opsForList().rightPush(fence, "no counter at all");
			assertThat(redis.acquireAtOnceAsync(20)).failsWithin(10, TimeUnit.SECONDS)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class)
				.withStackTraceContaining("WRONGTYPE");
			Awaitility.await().untilAsserted(() -> assertThat(redis.template.keys("batch:{*")).isEmpty());
		});
	}

	@Test
	@DisplayName("Locks that are granted after their callers have given up are released")
	void releasesLateGrants() {
		withStopped(LocalRedis.started(), TIMEOUT, (redis) -> {
			redis.whileStopped(() -> {
				List<CompletableFuture<AcquireResult>> acquired = redis.acquireAll(200);
				assertThat(acquired).allSatisfy((result) -> assertThat(result).failsWithin(10, TimeUnit.SECONDS)
					.withThrowableThat()
					.withCauseInstanceOf(LockStoreException.class));
				return acquired;
			});
			Awaitility.await().untilAsserted(() -> assertThat(redis.template.keys("batch:{*")).isEmpty());
			// Commands that were not sent need no release: eight were sent, and are
			// released.
			assertThat(redis.instance.commands()).filteredOn("EVALSHA"::equals).hasSize(8 + 8);
			assertThat(redis.acquireAll(40))
				.allSatisfy((result) -> assertThat(result.join()).isInstanceOf(Granted.class));
		});
	}

	private static byte[][] arguments(String text) {
		return Stream.of(text.split(" ")).map(String::getBytes).toArray(byte[][]::new);
	}

	private static void withStopped(LocalRedis server, Consumer<Redis> test) {
		withStopped(server, Duration.ofSeconds(30), test);
	}

	private static void withStopped(LocalRedis server, Duration timeout, Consumer<Redis> test) {
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory("127.0.0.1", server.port());
		RedisConnections connections = TestConnections.to("127.0.0.1", server.port());
		try (server; RedisInstance instance = new RedisInstance(connections, "batch", 0, 64, timeout)) {
			test.accept(new Redis(server, instance, connections, new StringRedisTemplate(factory)));
		}
		finally {
			factory.destroy();
		}
	}

	private record Redis(LocalRedis server, RedisInstance instance, RedisConnections connections,
			StringRedisTemplate template) {

		<T> List<T> whileStopped(Supplier<List<T>> questions) {
			this.server.freeze();
			try {
				return questions.get();
			}
			finally {
				this.server.thaw();
			}
		}

		CompletableFuture<AcquireResult> acquire(int lock, String owner) {
			return lock(lock).acquire(AcquireCommand.of(owner, TTL)).toCompletableFuture();
		}

		List<CompletableFuture<AcquireResult>> acquireAll(int count) {
			return IntStream.range(0, count).mapToObj((lock) -> acquire(lock, "owner")).toList();
		}

		AcquireAllResult acquireAtOnce(int count) {
			return acquireAtOnceAsync(count).join();
		}

		CompletableFuture<AcquireAllResult> acquireAtOnceAsync(int count) {
			return this.instance.store()
				.acquireAll(IntStream.range(0, count).mapToObj((lock) -> new Claim(lock(lock), "owner", TTL)).toList())
				.toCompletableFuture();
		}

		List<CompletableFuture<Boolean>> releaseAll(int count) {
			return IntStream.range(0, count)
				.mapToObj((lock) -> lock(lock).release("owner", null))
				.map(CompletionStage::toCompletableFuture)
				.toList();
		}

		List<CompletableFuture<Boolean>> renewAll(int count) {
			List<Renewal> renewals = IntStream.range(0, count)
				.mapToObj((lock) -> new Renewal(lock(lock), "owner", TTL))
				.toList();
			return this.instance.store().renewAll(renewals).stream().map(CompletionStage::toCompletableFuture).toList();
		}

		List<Long> fencingTokens(List<CompletableFuture<AcquireResult>> granted) {
			return granted.stream().map((result) -> ((Granted) result.join()).fencingToken()).toList();
		}

		private StoredLock lock(int lock) {
			return this.instance.store().lock(new LockKey("batch", Integer.toString(lock)));
		}

	}

}
