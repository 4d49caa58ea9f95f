package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * This version and the earlier version with one Redis, as during a rolling deployment.
 */
@Tag("redis")
class TwoVersionsTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final ResultKey REPLAYED = new ResultKey("replay", TTL, true);

	private static final ResultQuery ANY = new ResultQuery(REPLAYED, ResultQuery.ANY_TOKEN, Duration.ZERO);

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final String prefix = "versions-" + UUID.randomUUID();

	private final LockKey key = new LockKey("redis", "taro");

	private final EarlierVersion before = new EarlierVersion(redis, this.prefix, this.key, REPLAYED.name());

	private final RedisLockStore store = new RedisLockStore(TestConnections.create(), this.prefix,
			Duration.ofSeconds(5), 0);

	private final StoredLock lock = this.store.lock(this.key);

	private final AtomicInteger wakeUps = new AtomicInteger();

	@AfterEach
	void close() {
		this.before.close();
		this.store.close();
	}

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@Test
	@DisplayName("A lock held by the earlier version is held for this version, and its release notifies a waiter of this version")
	void heldByEarlierVersion() {
		long token = this.before.acquireOrWait("before");
		awaitRejected("after");
		assertThat(join(this.lock.release("after", null))).as("only the owner releases").isFalse();
		assertThat(this.before.release("before")).isTrue();
		Awaitility.await().until(() -> this.wakeUps.get() == 2);
		assertThat(acquire("after")).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.fencingToken()).isGreaterThan(token));
	}

	@Test
	@DisplayName("A lock held by this version is held for the earlier version, and free after its release")
	void heldByThisVersion() {
		long token = ((Granted) acquire("after")).fencingToken();
		assertThat(this.before.acquireOrWait("before")).isBetween(-TTL.toMillis(), -1L);
		assertThat(this.before.release("before")).as("only the owner releases").isFalse();
		assertThat(join(this.lock.release("after", null))).isTrue();
		assertThat(this.before.acquireOrWait("before")).isGreaterThan(token);
	}

	@Test
	@DisplayName("A release by a script of this version notifies a waiter of the earlier version")
	void notifiesEarlierVersion() {
		acquire("after");
		assertThat(this.before.acquireOrWait("before")).isNegative();
		// Through another handle, as a token is released.
		assertThat(join(this.store.lock(this.key).release("after", null))).isTrue();
		Awaitility.await().until(() -> this.before.wakeUps() == 1);
	}

	@Test
	@DisplayName("A turn of the earlier version ends for a waiter of this version, and notifies it")
	void turnOfEarlierVersion() {
		this.before.acquireOrWait("first");
		long token = this.before.handOver("first", "second");
		assertThat(token).isPositive();
		awaitRejected("after");
		assertThat(this.before.handOver("second", "third")).isZero();
		Awaitility.await().until(() -> this.wakeUps.get() == 2);
		assertThat(acquire("after")).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.fencingToken()).isGreaterThan(token));
		assertThat(join(this.lock.release("after", null))).isTrue();
		Awaitility.await().until(() -> this.before.wakeUps() == 1);
	}

	@Test
	@DisplayName("A turn of this version ends for a waiter of the earlier version, and notifies it")
	void turnOfThisVersion() {
		acquire("first");
		long token = ((Granted) handOver("first", "second")).fencingToken();
		assertThat(this.before.acquireOrWait("before")).isNegative();
		assertThat(handOver("second", "third")).isInstanceOf(Held.class);
		Awaitility.await().until(() -> this.before.wakeUps() == 1);
		assertThat(this.before.acquireOrWait("before")).isGreaterThan(token);
		awaitRejected("third");
		this.before.release("before");
		Awaitility.await().until(() -> this.wakeUps.get() == 2);
	}

	@Test
	@DisplayName("A result that one version stores is found by the other")
	void results() {
		long token = this.before.acquireOrWait("before");
		this.before.release("before", "of the earlier version");
		assertThat(join(this.lock.acquire(AcquireCommand.of("after", TTL).orResult(ANY))))
			.isInstanceOfSatisfying(Found.class, (found) -> assertThat(found.result())
				.isEqualTo(new StoredResult(REPLAYED, "of the earlier version", token)));
		assertThat(acquire("after")).isInstanceOf(Granted.class);
		join(this.lock.release("after", new StoredResult(REPLAYED, "of this version", 0)));
		assertThat(this.before.result("before")).isEqualTo("of this version");
	}

	@Test
	@DisplayName("Redis keys have the same form in every version of the library")
	void keysStay() {
		RedisKeys keys = new RedisKeys("lock");
		byte[] lock = keys.lock(new LockKey("registration", "taro"));
		assertThat(Stream.of(lock, keys.waiting(lock), keys.fence(lock), keys.result(lock, "replay taro"))
			.map(String::new)).containsExactly("lock:{153}:registration:taro", "lock:waiting:{153}:registration:taro",
					"lock:fence:{153}", "lock:result:{153}:bd3ec701637cff4e53b62d2524f4d40d:registration:taro");
		assertThat(new String(keys.lock(new LockKey("n", "\uD83D\uDD12".repeat(60)))))
			.isEqualTo("lock:{d5c}:n:sha256:f9fcb0c1c800e0f2be6462c928f3e47a526e8d4e82cbf8651a4d352e72c6f677");
	}

	private AcquireResult acquire(String owner) {
		return join(this.lock.acquire(AcquireCommand.of(owner, TTL)));
	}

	private AcquireResult handOver(String owner, String successor) {
		return join(this.lock.acquire(command(successor).after(owner)));
	}

	/**
	 * Returns when the waiter is first notified by the subscription itself.
	 */
	private void awaitRejected(String owner) {
		assertThat(join(this.lock.acquire(command(owner)))).isInstanceOfSatisfying(Held.class,
				(held) -> assertThat(held.remaining()).isBetween(Duration.ofMillis(1), TTL));
		Awaitility.await().until(() -> this.wakeUps.get() == 1);
	}

	private AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, TTL).notifying(this.wakeUps::incrementAndGet);
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
