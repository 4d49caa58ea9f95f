package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.TokenStoreContract;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

class RedisTokenStoreTests extends TokenStoreContract {

	private static final LettuceConnectionFactory factory = TestRedis.connectionFactory();

	private static final RedisConnections connections = TestRedis.connections();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final RedisLockStore store = new RedisLockStore(connections, "contract", Duration.ofSeconds(5), 0);

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
	@DisplayName("Who is refused and wants to know is told of the release; nobody else is waited for")
	void tellsOfRelease() {
		claim("a", LONG);
		claim("b", LONG);
		assertThat(redis.keys("contract:waiting:*" + this.key.key())).isEmpty();
		AtomicInteger woken = new AtomicInteger();
		assertThat(join(this.store.claim(this.key, "b", LONG, woken::incrementAndGet))).isInstanceOf(Busy.class);
		Awaitility.await().until(() -> woken.get() == 1);
		assertThat(redis.keys("contract:waiting:*" + this.key.key())).hasSize(1);
		release("a");
		Awaitility.await().until(() -> woken.get() == 2);
		this.store.stop();
	}

	@Test
	@DisplayName("Nobody knows for how long a key that somebody else left without a time to live holds the lock")
	void foreignKey() {
		claim("a", LONG);
		String lock = redis.keys("contract:{*}:tokens:" + this.key.key()).iterator().next();
		redis.opsForValue().set(lock, "foreign");
		assertThat(remaining()).hasValue(Duration.ZERO);
		redis.delete(lock);
	}

}
