package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;
import io.github.lockstarter.store.GroupLockStore.Claim;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock whose value says that another instance waits for it. Its owner can do everything
 * with it as before, and nobody else can.
 */
@Tag("redis")
class AwaitedLockTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final ResultKey RESULT = new ResultKey("result", TTL, false);

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final String prefix = "awaited-" + UUID.randomUUID();

	private final LockKey key = new LockKey("redis", "taro");

	private final RedisLockStore store = newStore();

	private final RedisLockStore elsewhere = newStore();

	private final TokenStoredLock lock = this.store.lock(this.key);

	private final TokenStoredLock waiter = this.elsewhere.lock(this.key);

	private final AtomicInteger wakeUps = new AtomicInteger();

	private RedisLockStore newStore() {
		return new RedisLockStore(TestConnections.create(), this.prefix, TTL, 0);
	}

	@BeforeEach
	void awaitLock() {
		join(this.store.connect());
		assertThat(acquire("a")).isInstanceOf(Granted.class);
		assertThat(value()).isEqualTo("a!");
		join(this.waiter.acquire(AcquireCommand.of("b", TTL).notifying(this.wakeUps::incrementAndGet)));
		// Once by the subscription itself.
		Awaitility.await().until(() -> this.wakeUps.get() == 1);
		assertThat(value()).isEqualTo("a!*");
	}

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@AfterEach
	void close() {
		this.store.close();
		this.elsewhere.close();
		redis.delete(redis.keys(this.prefix + "*"));
	}

	@Test
	@DisplayName("A waiter does not change the time to live of the lock")
	void keepsTtl() {
		assertThat(redis.getExpire(lockKey(), TimeUnit.MILLISECONDS)).isBetween(1L, TTL.toMillis());
	}

	@Test
	@DisplayName("Further waiters do not change the value of the lock")
	void severalWaiters() {
		join(this.waiter.acquire(AcquireCommand.of("c", TTL).notifying(this.wakeUps::incrementAndGet)));
		assertThat(value()).isEqualTo("a!*");
	}

	@Test
	@DisplayName("Its owner releases it, and the waiter is notified")
	void released() {
		assertThat(join(this.lock.release("b", null))).isFalse();
		assertThat(join(this.lock.release("a", null))).isTrue();
		assertIsFreeAndNotified();
	}

	@Test
	@DisplayName("Its owner releases it with a result")
	void releasedWithResult() {
		StoredResult result = new StoredResult(RESULT, "text", 1);
		assertThat(join(this.lock.release("b", result))).isFalse();
		assertThat(join(this.lock.release("a", result))).isTrue();
		assertIsFreeAndNotified();
		assertThat(redis.keys(this.prefix + ":result:*")).hasSize(1);
	}

	@Test
	@DisplayName("Its owner releases it after a time, until which waiters are rejected; a repeated command does not extend that time")
	void releasedLater() {
		assertThat(join(this.lock.releaseAfter("b", LONG))).isFalse();
		assertThat(join(this.lock.releaseAfter("a", TTL))).isTrue();
		Awaitility.await().until(() -> this.wakeUps.get() == 2);
		assertThat(join(this.waiter.acquire(AcquireCommand.of("b", TTL).notifying(this.wakeUps::incrementAndGet))))
			.isInstanceOf(Held.class);
		assertThat(value()).isEqualTo("ended-a!*");
		assertThat(join(this.lock.releaseAfter("a", LONG))).isTrue();
		assertThat(redis.getExpire(lockKey())).isBetween(1L, TTL.toSeconds());
		assertThat(join(this.lock.release("a", null))).isFalse();
	}

	@Test
	@DisplayName("Its owner renews it")
	void renewed() {
		assertThat(join(this.lock.renew("b", LONG))).isFalse();
		assertThat(join(this.lock.renew("a", LONG))).isTrue();
		assertThat(redis.getExpire(lockKey())).isGreaterThan(TTL.toSeconds());
		assertThat(value()).isEqualTo("a!*");
	}

	@Test
	@DisplayName("Its owner renews it together with other locks")
	void renewedTogether() {
		assertThat(this.store.renewAll(List.of(new Renewal(this.lock, "b", LONG), new Renewal(this.lock, "a", LONG))))
			.extracting(AwaitedLockTests::join)
			.containsExactly(false, true);
		assertThat(redis.getExpire(lockKey())).isGreaterThan(TTL.toSeconds());
	}

	@Test
	@DisplayName("Its owner is granted it again, because a driver may repeat a command")
	void granted() {
		assertThat(acquire("b")).isInstanceOf(Held.class);
		assertThat(acquire("a")).isInstanceOf(Granted.class);
		ResultQuery query = new ResultQuery(RESULT, 0, TTL);
		assertThat(join(this.lock.acquire(AcquireCommand.of("b", TTL).orResult(query)))).isInstanceOf(Held.class);
		assertThat(join(this.lock.acquire(AcquireCommand.of("a", TTL).orResult(query)))).isInstanceOf(Granted.class);
		assertThat(value()).isEqualTo("a!*");
	}

	@Test
	@DisplayName("Its owner is granted it again, although there is a result")
	void grantedDespiteResult() {
		RedisKeys keys = new RedisKeys(this.prefix);
		redis.opsForValue().set(new String(keys.result(keys.lock(this.key), RESULT.name())), "0 9 text");
		ResultQuery query = new ResultQuery(RESULT, 0, TTL);
		assertThat(join(this.lock.acquire(AcquireCommand.of("a", TTL).orResult(query)))).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("Its owner is granted it again together with other locks")
	void grantedTogether() {
		TokenStoredLock second = this.store.lock(new LockKey("redis", "hanako"));
		assertThat(join(this.store.acquireAll(List.of(new Claim(second, "b", TTL), new Claim(this.lock, "b", TTL)))))
			.isInstanceOfSatisfying(FirstHeld.class, (held) -> assertThat(held.index()).isEqualTo(1));
		assertThat(join(this.store.acquireAll(List.of(new Claim(second, "a", TTL), new Claim(this.lock, "a", TTL)))))
			.isInstanceOf(AllGranted.class);
	}

	@Test
	@DisplayName("The turn of its owner ends")
	void endsTurn() {
		assertThat(join(this.lock.acquire(endOfTurn("c", "b")))).isInstanceOf(PredecessorLost.class);
		assertThat(value()).isEqualTo("a!*");
		assertThat(join(this.lock.acquire(endOfTurn("c", "a")))).isInstanceOf(Held.class);
		Awaitility.await().until(() -> this.wakeUps.get() == 2);
		assertThat(value()).isNull();
	}

	@Test
	@DisplayName("A repeated command to end a turn leaves it with the successor")
	void repeatedEndOfTurn() {
		assertThat(join(this.lock.acquire(endOfTurn("a", "predecessor")))).isInstanceOf(Granted.class);
		assertThat(value()).isEqualTo("a!*");
	}

	@Test
	@DisplayName("Until the lease expires, its remaining time is at least a millisecond")
	void shortestRemaining() {
		redis.expire(lockKey(), 50, TimeUnit.MILLISECONDS);
		AcquireResult result = acquire("b");
		while (result instanceof Held held) {
			assertThat(held.remaining()).isBetween(Duration.ofMillis(1), TTL);
			result = acquire("b");
		}
		assertThat(result).isInstanceOf(Granted.class);
	}

	private static AcquireCommand endOfTurn(String successor, String owner) {
		return AcquireCommand.of(successor, TTL).notifying(() -> {
		}).after(owner);
	}

	private void assertIsFreeAndNotified() {
		assertThat(value()).isNull();
		Awaitility.await().until(() -> this.wakeUps.get() == 2);
		assertThat(redis.keys(this.prefix + ":waiting:*")).isEmpty();
	}

	private AcquireResult acquire(String owner) {
		return join(this.lock.acquire(AcquireCommand.of(owner, TTL)));
	}

	private String value() {
		return redis.opsForValue().get(lockKey());
	}

	private String lockKey() {
		return new String(new RedisKeys(this.prefix).lock(this.key));
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
