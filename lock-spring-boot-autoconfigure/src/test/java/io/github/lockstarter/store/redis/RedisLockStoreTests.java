package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStoreContract;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

class RedisLockStoreTests extends LockStoreContract {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LettuceConnectionFactory factory = TestRedis.connectionFactory();

	private static final RedisConnections connections = TestRedis.connections();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private static final List<String> requests = Collections.synchronizedList(new ArrayList<>());

	private final RedisLockStore store = new RedisLockStore(connections, "contract", Duration.ofSeconds(5), 0);

	private final LockKey key = new LockKey("redis", UUID.randomUUID().toString());

	@BeforeAll
	static void listen() {
		connections.client().addListener(new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				String command = event.getCommand().getType().toString();
				// Once for each subscription, to try it out.
				if (!command.equals("PUBLISH")) {
					requests.add(command);
				}
			}

		});
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

	@Override
	protected long locksInStore() {
		return redis.keys("contract:{*").size();
	}

	@Test
	@DisplayName("An uncontended cycle is two requests, a refusal is one")
	void countsRequests() {
		acquire("warm-up");
		release("warm-up");
		requests.clear();
		acquire("a");
		assertThat(requests).containsExactly("EVALSHA");
		acquire("b");
		assertThat(requests).containsExactly("EVALSHA", "EVALSHA");
		release("a");
		assertThat(requests).containsExactly("EVALSHA", "EVALSHA", "EVALSHA");
	}

	@Test
	@DisplayName("A held lock is one key with a time to live that holds the owner, beside the fence of its bucket")
	void keyLayout() {
		acquire("a");
		String lock = redis.keys("contract:{*}:redis:" + this.key.key()).iterator().next();
		assertThat(lock).matches("contract:\\{[0-9a-f]{3}}:redis:.+");
		assertThat(redis.opsForValue().get(lock)).isEqualTo("a");
		assertThat(redis.getExpire(lock)).isPositive();
		String bucket = lock.substring(lock.indexOf('{'), lock.indexOf('}') + 1);
		assertThat(redis.opsForValue().get("contract:fence:" + bucket)).matches("\\d+");
		release("a");
	}

	@Test
	@DisplayName("However many locks there were, at most 4096 fences remain")
	void fencesAreBounded() {
		RedisKeys keys = new RedisKeys("p");
		assertThat(IntStream.range(0, 200_000)
			.mapToObj((i) -> new String(keys.of(new LockKey("n", "user" + i)).fence()))
			.distinct()).hasSize(4096);
	}

	@Test
	@DisplayName("A server that has forgotten the scripts is sent them again")
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
	@DisplayName("A key that somebody else left without a time to live is busy, not granted")
	void foreignKeyIsBusy() {
		acquire("a");
		String lock = redis.keys("contract:{*}:redis:" + this.key.key()).iterator().next();
		redis.opsForValue().set(lock, "foreign");
		assertThat(acquire("b")).isEqualTo(new Busy(Duration.ZERO));
		redis.delete(lock);
	}

	@Test
	@DisplayName("A turn ends: where nobody else waits, the successor takes over with a larger token, in one request")
	void handsOverToSuccessor() {
		long token = ((Granted) acquire("a")).fencingToken();
		requests.clear();
		AcquireResult result = handOver(this.store, "a", "b").orElseThrow();
		assertThat(requests).containsExactly("EVALSHA");
		assertThat(((Granted) result).fencingToken()).isGreaterThan(token);
		assertThat(release("a")).isFalse();
		assertThat(release("b")).isTrue();
	}

	@Test
	@DisplayName("A turn ends: where another instance waits, the lock is freed, and both are told of its next release")
	void handsOverToOthers() {
		RedisLockStore other = new RedisLockStore(TestRedis.connections(), "contract", Duration.ofSeconds(5), 0);
		AtomicInteger woken = new AtomicInteger();
		AtomicInteger otherWoken = new AtomicInteger();
		acquire("a");
		acquireOrWatch(other, "x", otherWoken::incrementAndGet);
		Awaitility.await().until(() -> otherWoken.get() == 1);
		assertThat(handOver(this.store, "a", "b", woken::incrementAndGet)).containsInstanceOf(Busy.class);
		Awaitility.await().until(() -> otherWoken.get() == 2 && woken.get() == 1);
		assertThat(acquireOrWatch(other, "x", otherWoken::incrementAndGet)).isInstanceOf(Granted.class);
		other.release(this.key, "x").toCompletableFuture().join();
		Awaitility.await().until(() -> woken.get() == 2);
		other.stop();
		other.close();
		this.store.stop();
	}

	@Test
	@DisplayName("A turn that was lost meanwhile is neither handed over nor freed")
	void handsOverNothing() {
		acquire("next");
		assertThat(handOver(this.store, "late", "b")).isEmpty();
		assertThat(acquire("c")).isInstanceOf(Busy.class);
		assertThat(release("next")).isTrue();
	}

	@Test
	@DisplayName("Who does not watch any more is not told")
	void unwatches() {
		AtomicInteger woken = new AtomicInteger();
		Runnable action = woken::incrementAndGet;
		RedisLockStore other = new RedisLockStore(TestRedis.connections(), "contract", Duration.ofSeconds(5), 0);
		acquire("a");
		acquireOrWatch(other, "x", action);
		Awaitility.await().until(() -> woken.get() == 1);
		other.unwatch(this.key, () -> {
		});
		release("a");
		Awaitility.await().until(() -> woken.get() == 2);
		acquire("b");
		acquireOrWatch(other, "x", action);
		other.unwatch(this.key, action);
		release("b");
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> woken.get() == 2);
		other.stop();
		other.close();
	}

	private Optional<AcquireResult> handOver(RedisLockStore store, String owner, String successor) {
		return handOver(store, owner, successor, () -> {
		});
	}

	private Optional<AcquireResult> handOver(RedisLockStore store, String owner, String successor, Runnable onRelease) {
		return store.handOver(this.key, owner, successor, TTL, onRelease).toCompletableFuture().join();
	}

	private AcquireResult acquireOrWatch(RedisLockStore store, String owner, Runnable onRelease) {
		return store.acquireOrWatch(this.key, owner, TTL, onRelease).toCompletableFuture().join();
	}

	private AcquireResult acquire(String owner) {
		return this.store.acquire(this.key, owner, TTL).toCompletableFuture().join();
	}

	private boolean release(String owner) {
		return this.store.release(this.key, owner).toCompletableFuture().join();
	}

}
