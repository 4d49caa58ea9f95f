package io.github.lockstarter.store.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.GroupLockStore.Claim;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
@Tag("faults")
@Tag("redis")
class RedisLockStoreFaultTests {

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	/** Additional time that a busy machine may need. */
	private static final Duration SOON = Duration.ofSeconds(10);

	private static final Duration TTL = Duration.ofMinutes(10);

	private final LockKey key = new LockKey("fault", "taro");

	private final LocalRedis server = LocalRedis.started();

	private final LettuceConnectionFactory factory = TestRedis.newConnectionFactory("127.0.0.1", this.server.port());

	private final RedisConnections connections = TestConnections.to("127.0.0.1", this.server.port());

	private final RedisLockStore store = new RedisLockStore(this.connections, "lock", TIMEOUT, 0);

	private final RedisLockStore patient = new RedisLockStore(this.connections, "lock", SOON, 0);

	@BeforeEach
	void connect() {
		assertThat(acquire("warm-up")).succeedsWithin(SOON).isInstanceOf(Granted.class);
		assertThat(this.patient.lock(this.key).release("warm-up", null)).succeedsWithin(SOON).isEqualTo(true);
	}

	@AfterEach
	void stop() {
		this.server.close();
		this.connections.shutdown();
		this.factory.destroy();
	}

	@Test
	@DisplayName("While Redis is frozen, callers are answered in time; after it resumes, no lock without an owner remains")
	void frozen() {
		this.server.freeze();
		assertBroken(impatiently("a"));
		this.server.thaw();
		Awaitility.await()
			.untilAsserted(() -> assertThat(acquire("b")).succeedsWithin(SOON).isInstanceOf(Granted.class));
	}

	@Test
	@DisplayName("After a reconnection, locks are released by the command of the server again")
	void commandAfterReconnection() {
		String calls = "cmdstat_" + RedisInstance.releaseCommand().toLowerCase(Locale.ROOT) + ":";
		this.server.kill();
		this.server.start();
		Awaitility.await().untilAsserted(() -> {
			StoredLock lock = this.patient.lock(new LockKey("fault", "hanako"));
			assertThat(lock.acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON).isInstanceOf(Granted.class);
			assertThat(lock.release("a", null)).succeedsWithin(SOON).isEqualTo(true);
			assertThat(this.server.ask("INFO commandstats")).contains(calls);
		});
	}

	@Test
	@DisplayName("When Redis is frozen, killed and restarted without scripts, no lock without an owner remains")
	void frozenThenRestarted() {
		this.server.freeze();
		assertBroken(impatiently("a"));
		this.server.kill();
		this.server.start();
		StringRedisTemplate redis = new StringRedisTemplate(this.factory);
		Awaitility.await()
			.ignoreExceptions()
			.during(Duration.ofSeconds(1))
			.untilAsserted(() -> assertThat(redis.keys("lock:{*")).isEmpty());
	}

	@Test
	@DisplayName("While Redis is down, callers are answered in time; after a restart, the next call works")
	void killedAndStarted() {
		this.server.kill();
		for (int i = 0; i < 5; i++) {
			assertBroken(impatiently("a" + i));
		}
		this.server.start();
		LockKey other = new LockKey("fault", "jiro");
		assertThat(this.patient.lock(other).acquire(AcquireCommand.of("b", TTL))).succeedsWithin(SOON)
			.isInstanceOf(Granted.class);
		// The driver may repeat an acquire from just before the kill; it is undone.
		Awaitility.await()
			.untilAsserted(() -> assertThat(acquire("b")).succeedsWithin(SOON).isInstanceOf(Granted.class));
	}

	@Test
	@DisplayName("When Redis is killed while a lock is held and released, the lock is released as soon as Redis is back with its data")
	void releasedWhileDown(@TempDir Path data) {
		assertFreedWhenBack(data, (store) -> store.lock(this.key).release("a", null));
	}

	@Test
	@DisplayName("When Redis is killed after a hand-over that is then released, the lock is released as soon as Redis is back with its data")
	void handedOverWhileDown(@TempDir Path data) {
		assertFreedWhenBack(data, (store) -> store.lock(this.key).acquire(endOfTurn("a", "b", () -> {
		})).whenComplete((result, failure) -> store.lock(this.key).release("a", null)));
	}

	private void assertFreedWhenBack(Path data, Function<RedisLockStore, CompletionStage<?>> whileAway) {
		LocalRedis durable = LocalRedis.started("--appendonly", "yes", "--appendfsync", "always", "--dir",
				data.toString());
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory("127.0.0.1", durable.port());
		RedisConnections connections = TestConnections.to("127.0.0.1", durable.port());
		RedisLockStore store = new RedisLockStore(connections, "lock", TIMEOUT, 0);
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		// Ensures that the store is connected.
		Awaitility.await()
			.untilAsserted(() -> assertThat(
					store.lock(new LockKey("fault", "other")).acquire(AcquireCommand.of("a", Duration.ofMillis(1))))
				.succeedsWithin(SOON));
		assertThat(new RedisLockStore(connections, "lock", SOON, 0).lock(this.key).acquire(AcquireCommand.of("a", TTL)))
			.succeedsWithin(SOON);
		durable.kill();
		assertBroken(whileAway.apply(store));
		durable.start();
		Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(redis.keys("lock:{*")).isEmpty());
		assertThat(redis.keys("lock:fence:*")).as("the data are back").isNotEmpty();
		connections.shutdown();
		factory.destroy();
		durable.close();
	}

	@Test
	@DisplayName("When Redis restarts without its data during a release, the release fails with an unknown outcome, not as a lost lease")
	void releasedDuringRestart() {
		assertThat(this.patient.lock(this.key).acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON);
		this.server.kill();
		CompletionStage<Boolean> release = this.patient.lock(this.key).release("a", null);
		this.server.start();
		assertThat(release).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class)
			.withMessageContaining("connection was lost");
	}

	@Test
	@DisplayName("If Redis is unavailable at startup, calls fail; when it is available, calls work")
	void startedLate() {
		LocalRedis late = new LocalRedis();
		RedisLockStore store = new RedisLockStore(TestConnections.to("127.0.0.1", late.port()), "lock", TIMEOUT, 0);
		assertBroken(store.lock(this.key).acquire(AcquireCommand.of("a", TTL)));
		late.start();
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(store.lock(this.key).acquire(AcquireCommand.of("b", TTL))).succeedsWithin(SOON)
						.isInstanceOf(Granted.class));
		store.close();
		late.close();
	}

	@Test
	@DisplayName("A Redis that has no memory left grants, renews, and releases locks")
	void outOfMemory() {
		StringRedisTemplate redis = new StringRedisTemplate(this.factory);
		redis.execute((RedisCallback<Void>) (connection) -> {
			connection.serverCommands().setConfig("maxmemory", "1");
			return null;
		});
		StoredLock lock = this.patient.lock(this.key);
		for (int i = 0; i < 100; i++) {
			assertThat(join(lock.acquire(AcquireCommand.of("a", TTL)))).isInstanceOf(Granted.class);
			Runnable onRelease = () -> {
			};
			assertThat(join(lock.acquire(AcquireCommand.of("c", TTL).notifying(onRelease)))).isInstanceOf(Held.class);
			assertThat(join(lock.renew("a", TTL))).isTrue();
			assertThat(join(lock.release("a", null))).isTrue();
			TokenStoredLock other = this.patient.lock(new LockKey("fault", "hanako"));
			List<Claim> both = List.of(new Claim(lock, "d", TTL), new Claim(other, "e", TTL));
			assertThat(join(this.patient.acquireAll(both))).isInstanceOf(AllGranted.class);
			assertThat(join(lock.release("d", null))).isTrue();
			assertThat(join(this.patient.acquireAll(both))).isInstanceOf(AllGranted.class);
			assertThat(join(lock.release("d", null))).isTrue();
			assertThat(join(other.releaseAfter("e", Duration.ofMillis(1)))).isTrue();
			Awaitility.await().until(() -> join(other.remaining()).isEmpty());
		}
	}

	@Test
	@DisplayName("A grant that no replica acknowledges in time fails, and is undone")
	void replicasToAck() {
		try (LocalRedis replica = LocalRedis.started("--replicaof", "127.0.0.1 " + this.server.port())) {
			RedisLockStore careful = new RedisLockStore(this.connections, "lock", Duration.ofSeconds(4), 1);
			StringRedisTemplate redis = new StringRedisTemplate(this.factory);
			AtomicInteger attempts = new AtomicInteger();
			// A grant without acknowledgement is undone later, so each grant has a new
			// owner.
			Awaitility.await()
				.ignoreExceptions()
				.until(() -> careful.lock(this.key)
					.acquire(AcquireCommand.of("a" + attempts.incrementAndGet(), TTL))
					.toCompletableFuture()
					.join() instanceof Granted);
			LettuceConnectionFactory replicas = TestRedis.newConnectionFactory("127.0.0.1", replica.port());
			assertThat(new StringRedisTemplate(replicas).keys("lock:{*")).hasSize(1);
			replicas.destroy();
			replica.freeze();
			assertThat(careful.lock(this.key).release("a" + attempts, null)).succeedsWithin(SOON).isEqualTo(true);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> join(careful.lock(this.key).acquire(AcquireCommand.of("c", TTL))))
				.withMessageContaining("0 of 1 replicas");
			Awaitility.await().until(() -> redis.keys("lock:{*").isEmpty());
			replica.thaw();
		}
	}

	@Test
	@DisplayName("The subscription survives a restart of Redis, and waiters are notified again")
	void subscriptionAfterRestart() {
		AtomicInteger woken = new AtomicInteger();
		StoredLock waiter = this.patient.lock(this.key);
		AcquireCommand waiting = AcquireCommand.of("b", TTL).notifying(woken::incrementAndGet);
		assertThat(acquire("a")).succeedsWithin(SOON);
		waiter.acquire(waiting);
		Awaitility.await().until(() -> woken.get() == 1);
		this.server.kill();
		this.server.start();
		Awaitility.await().until(() -> woken.get() == 2);
		RedisLockStore other = new RedisLockStore(TestConnections.to("127.0.0.1", this.server.port()), "lock", SOON, 0);
		assertThat(other.lock(this.key).acquire(AcquireCommand.of("c", TTL))).succeedsWithin(SOON);
		assertThat(waiter.acquire(waiting)).succeedsWithin(SOON);
		assertThat(other.lock(this.key).release("c", null)).succeedsWithin(SOON);
		Awaitility.await().until(() -> woken.get() == 3);
		this.patient.stop();
		other.close();
	}

	@Test
	@DisplayName("If subscribing is forbidden, waiters poll, and the log has the reason")
	void noSubscription(CapturedOutput output) {
		StringRedisTemplate redis = new StringRedisTemplate(this.factory);
		redis.execute((RedisCallback<Object>) (connection) -> connection.execute("ACL", "SETUSER".getBytes(),
				"default".getBytes(), "resetchannels".getBytes()));
		AtomicInteger woken = new AtomicInteger();
		StoredLock waiter = this.patient.lock(this.key);
		AcquireCommand waiting = AcquireCommand.of("b", TTL).notifying(woken::incrementAndGet);
		assertThat(acquire("a")).succeedsWithin(SOON);
		waiter.acquire(waiting);
		Awaitility.await().until(() -> woken.get() >= 3);
		assertThat(this.patient.lock(this.key).release("a", null)).succeedsWithin(SOON).isEqualTo(true);
		assertThat(acquire("c")).succeedsWithin(SOON).isInstanceOf(Granted.class);
		assertThat(waiter.acquire(waiting)).succeedsWithin(SOON);
		redis.opsForSet().add(redis.keys("lock:waiting:*").iterator().next(), "another");
		assertThat(this.patient.lock(this.key).acquire(endOfTurn("c", "d", woken::incrementAndGet)))
			.succeedsWithin(SOON);
		assertThat(acquire("e")).succeedsWithin(SOON).isInstanceOf(Granted.class);
		this.patient.stop();
		assertThat(output).containsOnlyOnce("No subscription to channel lock:released");
	}

	private static AcquireCommand endOfTurn(String predecessor, String owner, Runnable onRelease) {
		return AcquireCommand.of(owner, TTL).notifying(onRelease).after(predecessor);
	}

	private CompletionStage<AcquireResult> acquire(String owner) {
		return this.patient.lock(this.key).acquire(AcquireCommand.of(owner, TTL));
	}

	private CompletionStage<AcquireResult> impatiently(String owner) {
		return this.store.lock(this.key).acquire(AcquireCommand.of(owner, TTL));
	}

	private static void assertBroken(CompletionStage<?> answer) {
		assertThat(answer).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
	}

	private static <T> T join(CompletionStage<T> stage) {
		try {
			return stage.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

}
