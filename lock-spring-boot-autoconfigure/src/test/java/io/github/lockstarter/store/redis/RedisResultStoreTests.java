package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.ResultStoreContract;
import io.github.lockstarter.store.WantedResults;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.RedisInstance;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestResults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class RedisResultStoreTests extends ResultStoreContract {

	private static final LettuceConnectionFactory factory = TestRedis.connectionFactory();

	private static final RedisConnections connections = TestRedis.connections();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final ResultSlot shared = new ResultSlot("share", LONG, false);

	private final ResultSlot replayed = new ResultSlot("replay", LONG, true);

	/** The keys of one test are not those of another. */
	private final String prefix = "kept-" + UUID.randomUUID();

	private final RedisLockStore store = new RedisLockStore(connections, this.prefix, Duration.ofSeconds(5), 0);

	@BeforeEach
	void connect() {
		this.store.start();
	}

	@AfterAll
	static void disconnect() {
		connections.shutdown();
		factory.destroy();
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Test
	@DisplayName("A result that is not replayed is kept only if somebody waits for it on another server")
	void keepsWhatIsAwaited() {
		join(this.store.acquire(this.key, "a", LONG));
		release("a", this.shared, "for nobody");
		assertThat(redis.keys(this.prefix + ":result:*")).isEmpty();
		join(this.store.acquire(this.key, "a", LONG));
		assertThat(join(this.store.acquireOrResult(this.key, "b", LONG, TestResults.wanted(this.shared, LONG), () -> {
		}))).isInstanceOf(Busy.class);
		release("a", this.shared, "awaited");
		String result = redis.keys(this.prefix + ":result:*").iterator().next();
		assertThat(redis.opsForValue().get(result)).endsWith(" awaited");
		assertThat(redis.getExpire(result)).isBetween(1L, LONG.toSeconds());
		assertThat(ask("b", this.shared, LONG)).isInstanceOf(Found.class);
		this.store.stop();
	}

	@Test
	@DisplayName("Who met a holder is given its result also when a lock with the same counter has been taken since")
	void sharedCounter() {
		RedisKeys keys = new RedisKeys(this.prefix);
		LockKey other = Stream.iterate(0, (i) -> i + 1)
			.map((i) -> new LockKey("other", Integer.toString(i)))
			.filter((each) -> Arrays.equals(keys.of(each).fence(), keys.of(this.key).fence()))
			.findFirst()
			.orElseThrow();
		long token = ((Granted) ask("a", this.replayed, Duration.ZERO)).fencingToken();
		join(this.store.acquire(other, "a", LONG));
		long met = ((Busy) ask("b", this.replayed, Duration.ZERO)).fencingToken();
		join(this.store.release(this.key, "a", new LeftResult(this.replayed, "result", token), false));
		WantedResults wanted = new WantedResults(this.replayed, met, Duration.ZERO);
		assertThat(join(this.store.acquireOrResult(this.key, "b", LONG, wanted, null))).isInstanceOf(Found.class);
		join(this.store.release(other, "a"));
	}

	@Test
	@DisplayName("To leave a result is one request, and so is to find it")
	void countsRequests() {
		try (RedisInstance instance = new RedisInstance(this.prefix)) {
			int before = instance.requests().size();
			join(instance.store().acquireOrResult(this.key, "a", LONG, TestResults.wanted(this.replayed, LONG), null));
			join(instance.store().release(this.key, "a", TestResults.left(this.replayed, "result"), false));
			assertThat(instance.requests()).hasSize(before + 2);
			assertThat(join(instance.store()
				.acquireOrResult(this.key, "b", LONG, TestResults.wanted(this.replayed, LONG), null)))
				.isInstanceOf(Found.class);
			assertThat(instance.requests()).hasSize(before + 3);
		}
	}

	@Test
	@DisplayName("A key that is no text where a result belongs is taken for absent, and the next result takes its place")
	void wrongType() {
		ask("a", this.replayed, LONG);
		release("a", this.replayed, "first");
		String result = redis.keys(this.prefix + ":result:*").iterator().next();
		redis.delete(result);
		redis.opsForList().leftPush(result, "element");
		assertThat(ask("b", this.replayed, LONG)).isInstanceOf(Granted.class);
		release("b", this.replayed, "second");
		assertThat(ask("c", this.replayed, LONG)).isInstanceOfSatisfying(Found.class,
				(found) -> assertThat(found.result().text()).isEqualTo("second"));
	}

	@Test
	@DisplayName("A Redis that does not tell the time keeps no result, and frees the lock all the same")
	void noTime() {
		LettuceConnectionFactory mute = TestRedis.connectionFactory("127.0.0.1", LocalRedis.started().port());
		RedisLockStore store = new RedisLockStore(new SpringDataConnections(mute), "mute", Duration.ofSeconds(5), 0);
		store.start();
		StringRedisTemplate redis = new StringRedisTemplate(mute);
		redis.execute((RedisCallback<?>) (connection) -> connection.execute("ACL", "SETUSER".getBytes(UTF_8),
				"default".getBytes(UTF_8), "-time".getBytes(UTF_8)));
		join(store.acquire(this.key, "a", LONG));
		assertThat(join(store.release(this.key, "a", TestResults.left(this.replayed, "result"), false))).isTrue();
		assertThat(redis.keys("mute:{*")).isEmpty();
		assertThat(join(store.acquireOrResult(this.key, "b", LONG, TestResults.wanted(this.replayed, LONG), null)))
			.isInstanceOf(Granted.class);
		store.stop();
		mute.destroy();
	}

	@Test
	@DisplayName("Where replicas must have a grant and there are none it is taken back, but a result is found all the same")
	void replicas() {
		RedisLockStore strict = new RedisLockStore(connections, this.prefix, Duration.ofSeconds(4), 1);
		strict.start();
		assertThat(strict.acquireOrResult(this.key, "a", LONG, TestResults.wanted(this.replayed, LONG), null))
			.failsWithin(LONG);
		Awaitility.await().until(() -> redis.keys(this.prefix + ":{*").isEmpty());
		ask("b", this.replayed, LONG);
		release("b", this.replayed, "result");
		assertThat(join(strict.acquireOrResult(this.key, "c", LONG, TestResults.wanted(this.replayed, LONG), null)))
			.isInstanceOf(Found.class);
		strict.stop();
	}

	@Test
	@DisplayName("A Redis without room for the result frees the lock all the same")
	void noRoom() {
		LettuceConnectionFactory full = TestRedis.connectionFactory("127.0.0.1", LocalRedis.started().port());
		RedisLockStore store = new RedisLockStore(new SpringDataConnections(full), "full", Duration.ofSeconds(5), 0);
		store.start();
		StringRedisTemplate redis = new StringRedisTemplate(full);
		join(store.acquire(this.key, "a", LONG));
		redis.execute((RedisCallback<?>) (connection) -> {
			connection.serverCommands().setConfig("maxmemory", "1");
			return null;
		});
		assertThat(join(store.release(this.key, "a", TestResults.left(this.replayed, "r".repeat(100_000)), false)))
			.isTrue();
		assertThat(redis.keys("full:{*")).isEmpty();
		store.stop();
		full.destroy();
	}

}
