package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The waiters that are registered in Redis.
 */
@Tag("redis")
class RedisNotificationTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private final StringRedisTemplate redis = new StringRedisTemplate(this.factory);

	private final RedisLockStore store = new RedisLockStore(TestConnections.create(), "notifications",
			Duration.ofSeconds(5), 0);

	private final StoredLock lock = this.store.lock(new LockKey("waiting", UUID.randomUUID().toString()));

	@AfterEach
	void disconnect() {
		this.store.close();
		this.factory.destroy();
	}

	@Test
	@DisplayName("The set of waiters contains waiting leases and tokens, and no other callers")
	void setOfWaiters() {
		AcquireCommand token = AcquireCommand.of("token", TTL).forSharedToken();
		join(this.lock.acquire(AcquireCommand.of("a", TTL)));
		assertThat(join(this.lock.acquire(AcquireCommand.of("b", TTL)))).isInstanceOf(Held.class);
		assertThat(join(this.lock.acquire(token))).isInstanceOf(Held.class);
		assertThat(this.redis.keys("notifications:waiting:*")).isEmpty();
		AtomicInteger woken = new AtomicInteger();
		assertThat(join(this.lock.acquire(token.notifying(woken::incrementAndGet)))).isInstanceOf(Held.class);
		Awaitility.await().until(() -> woken.get() == 1);
		assertThat(this.redis.keys("notifications:waiting:*")).hasSize(1);
		join(this.lock.release("a", null));
		Awaitility.await().until(() -> woken.get() == 2);
		assertThat(this.redis.keys("notifications:waiting:*")).isEmpty();
	}

	@Test
	@DisplayName("Closing a handle does not end the notifications of another handle for the same lock")
	void closesItsOwn() {
		AtomicInteger woken = new AtomicInteger();
		AcquireCommand waiting = AcquireCommand.of("b", TTL);
		try (StoredLock holder = this.lock; StoredLock next = this.store.lock(((RedisLock) this.lock).key())) {
			join(holder.acquire(AcquireCommand.of("a", TTL)));
			StoredLock old = this.store.lock(((RedisLock) this.lock).key());
			join(old.acquire(waiting.notifying(() -> {
			})));
			join(next.acquire(waiting.notifying(woken::incrementAndGet)));
			Awaitility.await().until(() -> woken.get() > 0);
			old.close();
			int before = woken.get();
			join(holder.release("a", null));
			Awaitility.await().until(() -> woken.get() > before);
		}
	}

	@Test
	@DisplayName("A repeated command to end a turn leaves the lock with the successor, even if another instance waits by then")
	void repeatedEndOfTurn() {
		RedisLockStore elsewhere = new RedisLockStore(TestConnections.create(), "notifications", Duration.ofSeconds(5),
				0);
		AcquireCommand endOfTurn = AcquireCommand.of("b", TTL).notifying(() -> {
		}).after("a");
		try {
			join(this.lock.acquire(AcquireCommand.of("a", TTL)));
			assertThat(join(this.lock.acquire(endOfTurn))).isInstanceOf(Granted.class);
			StoredLock waiter = elsewhere.lock(((RedisLock) this.lock).key());
			AcquireCommand waiting = AcquireCommand.of("c", TTL).notifying(() -> {
			});
			assertThat(join(waiter.acquire(waiting))).isInstanceOf(Held.class);
			assertThat(join(this.lock.acquire(endOfTurn))).isInstanceOf(Granted.class);
			assertThat(join(waiter.acquire(waiting))).isInstanceOf(Held.class);
			assertThat(join(this.lock.release("b", null))).isTrue();
		}
		finally {
			elsewhere.close();
		}
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
