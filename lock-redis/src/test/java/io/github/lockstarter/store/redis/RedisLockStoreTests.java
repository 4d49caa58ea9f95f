package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.test.LockStoreContract;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("redis")
class RedisLockStoreTests extends LockStoreContract {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final RedisConnections connections = TestConnections.create();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private static final List<String> commands = Collections.synchronizedList(new ArrayList<>());

	private static final RedisLockStore other = new RedisLockStore(TestConnections.create(), "contract",
			Duration.ofSeconds(5), 0);

	private final RedisLockStore store = new RedisLockStore(connections, "contract", Duration.ofSeconds(5), 0);

	private final LockKey key = new LockKey("redis", UUID.randomUUID().toString());

	@BeforeAll
	static void listen() {
		connections.client().addListener(new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				String command = event.getCommand().getType().toString();
				// Once per subscription, to probe it.
				if (!command.equals("PUBLISH")) {
					commands.add(command);
				}
			}

		});
	}

	@AfterAll
	static void disconnect() {
		other.close();
		connections.shutdown();
		factory.destroy();
	}

	@AfterEach
	void unsubscribe() {
		this.store.stop();
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected LockStore otherInstance() {
		return other;
	}

	@Override
	protected long locksInStore() {
		return redis.keys("contract:{*").size();
	}

	@Test
	@DisplayName("An uncontended cycle is two commands, a rejection is one")
	void countsCommands() {
		StoredLock lock = this.store.lock(this.key);
		acquire("warm-up");
		release("warm-up");
		commands.clear();
		join(lock.acquire(AcquireCommand.of("a", TTL)));
		assertThat(commands).containsExactly("EVALSHA");
		acquire("b");
		assertThat(commands).containsExactly("EVALSHA", "EVALSHA");
		join(lock.release("a", null));
		assertThat(commands).containsExactly("EVALSHA", "EVALSHA", RedisInstance.releaseCommand());
	}

	@Test
	@DisplayName("A held lock is one key with a time to live that contains the owner, next to the fence counter of its bucket")
	void keyLayout() {
		acquire("a");
		String lock = redis.keys("contract:{*}:redis:" + this.key.key()).iterator().next();
		assertThat(lock).matches("contract:\\{[0-9a-f]{3}}:redis:.+");
		assertThat(redis.opsForValue().get(lock)).isEqualTo("a!");
		assertThat(redis.getExpire(lock)).isPositive();
		String bucket = lock.substring(lock.indexOf('{'), lock.indexOf('}') + 1);
		assertThat(redis.opsForValue().get("contract:fence:" + bucket)).matches("\\d+");
		release("a");
	}

	@Test
	@DisplayName("However many locks there were, at most 4096 fence counters remain")
	void fencesAreBounded() {
		RedisKeys keys = new RedisKeys("p");
		assertThat(IntStream.range(0, 200_000)
			.mapToObj((i) -> new String(keys.fence(keys.lock(new LockKey("n", "user" + i)))))
			.distinct()).hasSize(4096);
	}

	@Test
	@DisplayName("A server that has lost the scripts is sent them again")
	void survivesScriptFlush() {
		redis.execute((RedisCallback<Void>) (connection) -> {
			connection.scriptingCommands().scriptFlush();
			return null;
		});
		assertThat(acquire("a")).isInstanceOf(Granted.class);
		assertThat(release("a")).isTrue();
	}

	@Test
	@DisplayName("An acquire that the driver repeats after a reconnect is still granted")
	void repeatedAcquireIsGranted() {
		assertThat(acquire("a")).isInstanceOf(Granted.class);
		assertThat(acquire("a")).isInstanceOf(Granted.class);
		assertThat(release("a")).isTrue();
	}

	@Test
	@DisplayName("A key without a time to live, written by another application, is a held lock")
	void foreignKeyIsHeld() {
		acquire("a");
		String lock = redis.keys("contract:{*}:redis:" + this.key.key()).iterator().next();
		redis.opsForValue().set(lock, "foreign");
		assertThat(acquire("b")).isEqualTo(new Held(Duration.ZERO));
		redis.delete(lock);
	}

	@Test
	@DisplayName("The end of a turn is one command")
	void countsCommandsOfTurn() {
		acquire("a");
		commands.clear();
		assertThat(join(this.store.lock(this.key).acquire(AcquireCommand.of("b", TTL).notifying(() -> {
		}).after("a")))).isInstanceOf(Granted.class);
		assertThat(commands).containsExactly("EVALSHA");
		release("b");
	}

	@Test
	@DisplayName("The remaining time of a key without a time to live, written by another application, is unknown")
	void remainingOfForeignKey() {
		acquire("a");
		String lock = redis.keys("contract:{*}:redis:" + this.key.key()).iterator().next();
		redis.opsForValue().set(lock, "foreign");
		assertThat(join(this.store.lock(this.key).remaining())).hasValue(Duration.ZERO);
		redis.delete(lock);
	}

	private AcquireResult acquire(String owner) {
		return join(this.store.lock(this.key).acquire(AcquireCommand.of(owner, TTL)));
	}

	private boolean release(String owner) {
		return join(this.store.lock(this.key).release(owner, null));
	}

}
