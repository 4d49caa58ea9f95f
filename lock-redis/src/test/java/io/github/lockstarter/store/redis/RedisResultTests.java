package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.DroppedResults;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.store.test.TestResults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results in Redis.
 */
@Tag("redis")
class RedisResultTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final ResultKey SHARED = new ResultKey("share", LONG, false);

	private static final ResultKey REPLAYED = new ResultKey("replay", LONG, true);

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final RedisConnections connections = TestConnections.create();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final LockKey key = new LockKey("results", UUID.randomUUID().toString());

	/** Separates the keys of each test. */
	private final String prefix = "kept-" + UUID.randomUUID();

	private final RedisLockStore store = new RedisLockStore(connections, this.prefix, Duration.ofSeconds(5), 0);

	private final StoredLock lock = this.store.lock(this.key);

	@BeforeEach
	void connect() {
		this.store.start();
	}

	@AfterAll
	static void disconnect() {
		connections.shutdown();
		factory.destroy();
	}

	@Test
	@DisplayName("A result that is not replayed is stored only if another instance waits for it")
	void keepsWhatIsAwaited() {
		join(this.lock.acquire(AcquireCommand.of("a", LONG)));
		release("a", SHARED, "not awaited");
		assertThat(redis.keys(this.prefix + ":result:*")).isEmpty();
		join(this.lock.acquire(AcquireCommand.of("a", LONG)));
		StoredLock elsewhere = this.store.lock(this.key);
		AcquireCommand waiter = AcquireCommand.of("b", LONG).orResult(TestResults.query(SHARED, LONG));
		assertThat(join(elsewhere.acquire(waiter.notifying(() -> {
		})))).isInstanceOf(Held.class);
		release("a", SHARED, "awaited");
		String result = redis.keys(this.prefix + ":result:*").iterator().next();
		assertThat(redis.opsForValue().get(result)).endsWith(" awaited");
		assertThat(redis.getExpire(result)).isBetween(1L, LONG.toSeconds());
		assertThat(join(elsewhere.acquire(waiter))).isInstanceOf(Found.class);
		this.store.stop();
	}

	@Test
	@DisplayName("A handle that met a holder always stores its next result, because other callers may have met the same holder")
	void keepsForOthersThatMetTheHolder() {
		StoredLock elsewhere = this.store.lock(this.key);
		join(elsewhere.acquire(AcquireCommand.of("first", LONG)));
		assertThat(ask("a", SHARED, Duration.ZERO)).isInstanceOf(Held.class);
		join(elsewhere.release("first", null));
		assertThat(ask("a", SHARED, Duration.ZERO)).isInstanceOf(Granted.class);
		release("a", SHARED, "of the second holder");
		assertThat(redis.keys(this.prefix + ":result:*")).hasSize(1);
		redis.delete(redis.keys(this.prefix + ":result:*"));
		assertThat(ask("a", SHARED, Duration.ZERO)).isInstanceOf(Granted.class);
		release("a", SHARED, "met no holder since");
		assertThat(redis.keys(this.prefix + ":result:*")).isEmpty();
	}

	@Test
	@DisplayName("A caller that met a holder gets its result even if a lock with the same counter was acquired in between")
	void sharedCounter() {
		RedisKeys keys = new RedisKeys(this.prefix);
		LockKey other = Stream.iterate(0, (i) -> i + 1)
			.map((i) -> new LockKey("other", Integer.toString(i)))
			.filter((each) -> Arrays.equals(keys.fence(keys.lock(each)), keys.fence(keys.lock(this.key))))
			.findFirst()
			.orElseThrow();
		long token = ((Granted) ask("a", REPLAYED, Duration.ZERO)).fencingToken();
		join(this.store.lock(other).acquire(AcquireCommand.of("a", LONG)));
		long met = ((Held) ask("b", REPLAYED, Duration.ZERO)).fencingToken();
		join(this.lock.release("a", new StoredResult(REPLAYED, "result", token)));
		ResultQuery query = new ResultQuery(REPLAYED, met, Duration.ZERO);
		assertThat(join(this.lock.acquire(AcquireCommand.of("b", LONG).orResult(query)))).isInstanceOf(Found.class);
		join(this.store.lock(other).release("a", null));
	}

	@Test
	@DisplayName("Storing a result is one command, and so is finding it")
	void countsCommands() {
		try (RedisInstance instance = new RedisInstance(this.prefix)) {
			int before = instance.commands().size();
			StoredLock lock = instance.store().lock(this.key);
			join(lock.acquire(lockOrResult("a")));
			join(lock.release("a", TestResults.stored(REPLAYED, "result")));
			assertThat(instance.commands()).hasSize(before + 2);
			assertThat(join(lock.acquire(lockOrResult("b")))).isInstanceOf(Found.class);
			assertThat(instance.commands()).hasSize(before + 3);
		}
	}

	@Test
	@DisplayName("A key of the wrong type in place of a result is ignored, and the next result replaces it")
	void wrongType() {
		ask("a", REPLAYED, LONG);
		release("a", REPLAYED, "first");
		String result = redis.keys(this.prefix + ":result:*").iterator().next();
		redis.delete(result);
		redis.opsForList().leftPush(result, "element");
		assertThat(ask("b", REPLAYED, LONG)).isInstanceOf(Granted.class);
		release("b", REPLAYED, "second");
		assertThat(ask("c", REPLAYED, LONG)).isInstanceOfSatisfying(Found.class,
				(found) -> assertThat(found.result().text()).isEqualTo("second"));
	}

	@Test
	@DisplayName("If Redis forbids TIME, no result is stored, and the lock is released")
	void noTime() {
		LettuceConnectionFactory mute = TestRedis.newConnectionFactory("127.0.0.1", LocalRedis.started().port());
		RedisLockStore store = new RedisLockStore(new SpringDataConnections(mute), "mute", Duration.ofSeconds(5), 0);
		store.start();
		StringRedisTemplate redis = new StringRedisTemplate(mute);
		redis.execute((RedisCallback<?>) (connection) -> connection.execute("ACL", "SETUSER".getBytes(UTF_8),
				"default".getBytes(UTF_8), "-time".getBytes(UTF_8)));
		join(store.lock(this.key).acquire(AcquireCommand.of("a", LONG)));
		assertThat(join(store.lock(this.key).release("a", TestResults.stored(REPLAYED, "result")))).isTrue();
		assertThat(redis.keys("mute:{*")).isEmpty();
		assertThat(join(store.lock(this.key).acquire(lockOrResult("b")))).isInstanceOf(Granted.class);
		store.stop();
		mute.destroy();
	}

	@Test
	@DisplayName("Without the required replicas a grant is undone, but a stored result is found")
	void replicas() {
		RedisLockStore strict = new RedisLockStore(connections, this.prefix, Duration.ofSeconds(4), 1);
		strict.start();
		assertThat(strict.lock(this.key).acquire(lockOrResult("a"))).failsWithin(LONG);
		Awaitility.await().until(() -> redis.keys(this.prefix + ":{*").isEmpty());
		ask("b", REPLAYED, LONG);
		release("b", REPLAYED, "result");
		assertThat(join(strict.lock(this.key).acquire(lockOrResult("c")))).isInstanceOf(Found.class);
		strict.stop();
	}

	@Test
	@DisplayName("If Redis has no memory for the result, the lock is released, and the dropped result is counted")
	void noRoom() {
		LockEventCounter counts = new LockEventCounter();
		LettuceConnectionFactory full = TestRedis.newConnectionFactory("127.0.0.1", LocalRedis.started().port());
		RedisLockStore store = new RedisLockStore(new SpringDataConnections(full), "full", Duration.ofSeconds(5), 0,
				new DroppedResults((lockName) -> counts.add(lockName, Event.RESULT_DROPPED)));
		store.start();
		StringRedisTemplate redis = new StringRedisTemplate(full);
		join(store.lock(this.key).acquire(AcquireCommand.of("a", LONG)));
		redis.execute((RedisCallback<?>) (connection) -> {
			connection.serverCommands().setConfig("maxmemory", "1");
			return null;
		});
		assertThat(join(store.lock(this.key).release("a", TestResults.stored(REPLAYED, "r".repeat(100_000))))).isTrue();
		assertThat(redis.keys("full:{*")).isEmpty();
		assertThat(redis.keys("full:result:*")).isEmpty();
		assertThat(counts.get(this.key.name(), Event.RESULT_DROPPED)).isEqualTo(1);
		assertThat(join(store.lock(this.key).acquire(lockOrResult("b")))).as("a duplicate runs again")
			.isInstanceOf(Granted.class);
		store.stop();
		full.destroy();
	}

	private AcquireResult ask(String owner, ResultKey result, Duration maxAge) {
		return join(this.lock.acquire(AcquireCommand.of(owner, LONG).orResult(TestResults.query(result, maxAge))));
	}

	private static AcquireCommand lockOrResult(String owner) {
		return AcquireCommand.of(owner, LONG).orResult(TestResults.query(REPLAYED, LONG));
	}

	private boolean release(String owner, ResultKey result, String text) {
		return join(this.lock.release(owner, TestResults.stored(result, text)));
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
