package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Token locks with a real Redis, in two instances of an application.
 */
@Tag("redis")
class TokenLocksOnRedisTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(25));

	private static final String TOKEN = "a-token-of-the-caller";

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final LockKey key = new LockKey("tokens", UUID.randomUUID().toString());

	private final RedisInstance first = new RedisInstance("tokens");

	private final RedisInstance second = new RedisInstance("tokens");

	private final TokenLocks firstLocks = new DefaultTokenLocks(this.first.locks());

	private final TokenLocks secondLocks = new DefaultTokenLocks(this.second.locks());

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@AfterEach
	void closeAndLeaveNothing() {
		for (RedisInstance instance : List.of(this.first, this.second)) {
			Awaitility.await().until(() -> instance.locks().entries().snapshots().findAny().isEmpty());
			instance.close();
		}
		assertThat(redis.keys("tokens:{*" + this.key.key())).isEmpty();
		assertThat(redis.keys("tokens:waiting:*" + this.key.key())).isEmpty();
	}

	@Test
	@DisplayName("Acquiring for a new token, releasing and reading the remaining time are one command each; a given token needs two to acquire or extend")
	void countsCommands() {
		TokenLock held = join(this.firstLocks.acquireAsync(this.key, OPTIONS));
		assertThat(this.first.commands()).containsExactly("EVALSHA");
		join(this.firstLocks.remainingAsync(this.key));
		assertThat(this.first.commands()).containsExactly("EVALSHA", "PTTL");
		release(this.firstLocks, held.token());
		assertThat(this.first.commands()).containsExactly("EVALSHA", "PTTL", "EVALSHA");
		join(this.secondLocks.acquireAsync(this.key, WAITING, TOKEN));
		assertThat(this.second.commands()).containsExactly("EVALSHA", "EVALSHA");
		assertThat(join(this.secondLocks.acquireAsync(this.key, WAITING, TOKEN)).extended()).isTrue();
		assertThat(this.second.commands()).hasSize(4).containsOnly("EVALSHA");
		release(this.secondLocks, TOKEN);
		assertThat(this.second.commands()).hasSize(5).containsOnly("EVALSHA");
	}

	@Test
	@DisplayName("A token created by one instance extends and releases the lock at another")
	void anyInstance() {
		TokenLock held = join(this.firstLocks.acquireAsync(this.key, OPTIONS));
		TokenLock extended = join(
				this.secondLocks.acquireAsync(this.key, LockOptions.of(Duration.ofMinutes(9)), held.token()));
		assertThat(extended.extended()).isTrue();
		assertThat(extended.fencingToken()).isGreaterThanOrEqualTo(held.fencingToken());
		assertThat(join(this.firstLocks.remainingAsync(this.key)))
			.hasValueSatisfying((left) -> assertThat(left).isBetween(Duration.ofMinutes(8), Duration.ofMinutes(9)));
		assertRejected(this.firstLocks.acquireAsync(this.key, OPTIONS));
		assertThat(join(this.secondLocks.releaseAsync(this.key, TOKEN))).isFalse();
		release(this.secondLocks, held.token());
		assertThat(join(this.firstLocks.remainingAsync(this.key))).isEmpty();
		TokenLock next = join(this.firstLocks.acquireAsync(this.key, OPTIONS, TOKEN));
		assertThat(next.fencingToken()).isGreaterThan(extended.fencingToken());
		release(this.firstLocks, TOKEN);
	}

	@Test
	@DisplayName("A new token that waits is notified of a release at another instance, and needs one more command")
	void newTokenIsNotified() {
		join(this.firstLocks.acquireAsync(this.key, OPTIONS, TOKEN));
		long start = System.nanoTime();
		CompletableFuture<TokenLock> waiting = this.secondLocks.acquireAsync(this.key, WAITING).toCompletableFuture();
		awaitAsleep(waiting, 3);
		release(this.firstLocks, TOKEN);
		TokenLock held = join(waiting);
		this.second.assertCommands("first try, subscription, one more try, success", 3, start);
		release(this.firstLocks, held.token());
	}

	@Test
	@DisplayName("A given token that waits is notified of a release at another instance")
	void givenTokenIsNotified() {
		TokenLock held = join(this.firstLocks.acquireAsync(this.key, OPTIONS));
		long start = System.nanoTime();
		CompletableFuture<TokenLock> waiting = this.secondLocks.acquireAsync(this.key, WAITING, TOKEN)
			.toCompletableFuture();
		awaitAsleep(waiting, 4);
		release(this.firstLocks, held.token());
		assertThat(join(waiting).extended()).isFalse();
		this.second.assertCommands("does it hold the lock, first try, subscription, one more try, success", 4, start);
		release(this.firstLocks, TOKEN);
	}

	@Test
	@DisplayName("A token's release notifies waiting leases and tokens")
	void wakesOwnInstance() {
		long start = System.nanoTime();
		join(this.firstLocks.acquireAsync(this.key, OPTIONS, TOKEN));
		CompletableFuture<Optional<Lease>> lease = this.first.locks()
			.tryAcquireAsync(this.key, WAITING)
			.toCompletableFuture();
		CompletableFuture<TokenLock> token = this.firstLocks.acquireAsync(this.key, WAITING).toCompletableFuture();
		Awaitility.await().until(() -> this.first.commandCount() >= 5);
		release(this.firstLocks, TOKEN);
		join(lease).orElseThrow().close();
		release(this.secondLocks, join(token).token());
		this.first.assertCommands("up to the sleep, release, lease, its release, token", 4 + 4, start);
	}

	@Test
	@DisplayName("Tokens of one instance and leases of another exclude each other, and get the lock from each other")
	void excludesLeases() {
		Lease lease = this.first.locks().acquire(this.key, OPTIONS);
		assertRejected(this.secondLocks.acquireAsync(this.key, OPTIONS));
		assertRejected(this.secondLocks.acquireAsync(this.key, OPTIONS, TOKEN));
		CompletableFuture<TokenLock> token = this.secondLocks.acquireAsync(this.key, WAITING, TOKEN)
			.toCompletableFuture();
		awaitWaiting(1);
		lease.close();
		TokenLock held = join(token);
		assertThat(held.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(this.first.locks().tryAcquire(this.key, OPTIONS)).isEmpty();
		CompletableFuture<Optional<Lease>> next = this.first.locks()
			.tryAcquireAsync(this.key, WAITING)
			.toCompletableFuture();
		awaitWaiting(1);
		assertThat(next).isNotDone();
		release(this.secondLocks, TOKEN);
		Lease last = join(next).orElseThrow();
		assertThat(last.fencingToken()).isGreaterThan(held.fencingToken());
		last.close();
	}

	@Test
	@DisplayName("A token that waits at two instances gets the lock at both, holds it for as long as the answers say, and releases it once")
	void waitsAtBoth() {
		Lease lease = this.first.locks().acquire(this.key, OPTIONS);
		LockOptions brief = LockOptions.of(Duration.ofSeconds(4)).withWaitTime(Duration.ofSeconds(25));
		CompletableFuture<TokenLock> atFirst = this.firstLocks.acquireAsync(this.key, brief, TOKEN)
			.toCompletableFuture();
		CompletableFuture<TokenLock> atSecond = this.secondLocks.acquireAsync(this.key, WAITING, TOKEN)
			.toCompletableFuture();
		awaitWaiting(1);
		assertThat(atFirst).isNotDone();
		lease.close();
		join(atFirst);
		join(atSecond);
		assertThat(join(this.firstLocks.remainingAsync(this.key)))
			.hasValueSatisfying((left) -> assertThat(left).isGreaterThan(Duration.ofSeconds(20)));
		assertRejected(this.firstLocks.acquireAsync(this.key, OPTIONS));
		assertThat(this.second.locks().tryAcquire(this.key, OPTIONS)).isEmpty();
		release(this.secondLocks, TOKEN);
		assertThat(join(this.firstLocks.releaseAsync(this.key, TOKEN))).isFalse();
	}

	@Test
	@DisplayName("A token that tries the lock at two instances at once gets it from both")
	void asksBoth() {
		for (int i = 0; i < 50; i++) {
			CompletionStage<TokenLock> atFirst = this.firstLocks.acquireAsync(this.key, OPTIONS, TOKEN);
			CompletionStage<TokenLock> again = this.firstLocks.acquireAsync(this.key, OPTIONS, TOKEN);
			CompletionStage<TokenLock> atSecond = this.secondLocks.acquireAsync(this.key, OPTIONS, TOKEN);
			assertThat(List.of(join(atFirst), join(again), join(atSecond)))
				.allSatisfy((lock) -> assertThat(lock.token()).isEqualTo(TOKEN));
			release(this.secondLocks, TOKEN);
		}
	}

	@Test
	@DisplayName("A caller that is cancelled while another instance holds the lock leaves nothing, and its grant goes to no other caller")
	void leavesTheQueue() {
		join(this.firstLocks.acquireAsync(this.key, OPTIONS, TOKEN));
		List<CompletableFuture<TokenLock>> waiting = List.of(
				this.secondLocks.acquireAsync(this.key, WAITING).toCompletableFuture(),
				this.secondLocks.acquireAsync(this.key, WAITING, "another-token-of-the-caller").toCompletableFuture());
		awaitWaiting(1);
		waiting.forEach((each) -> each.cancel(false));
		Awaitility.await().until(() -> this.second.locks().entries().snapshots().findAny().isEmpty());
		release(this.firstLocks, TOKEN);
		Awaitility.await()
			.during(Duration.ofMillis(300))
			.until(() -> join(this.firstLocks.remainingAsync(this.key)).isEmpty());
	}

	/** Waits until the second instance has sent its last command before it sleeps. */
	private void awaitAsleep(CompletableFuture<?> waiting, int commands) {
		Awaitility.await().until(() -> this.second.commandCount() >= commands);
		awaitWaiting(1);
		assertThat(waiting).isNotDone();
	}

	/** Waits until this number of instances waits for the lock. */
	private void awaitWaiting(int instances) {
		Awaitility.await().until(() -> {
			Optional<String> waiting = redis.keys("tokens:waiting:*" + this.key.key()).stream().findFirst();
			return waiting.map(redis.opsForSet()::size).orElse(0L) == instances;
		});
	}

	private void release(TokenLocks locks, String token) {
		assertThat(join(locks.releaseAsync(this.key, token))).isTrue();
	}

	private static void assertRejected(CompletionStage<TokenLock> attempt) {
		assertThat(attempt).failsWithin(SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockConflictException.class, (ex) -> assertThat(ex.getRetryAfter()).isPositive());
	}

	private static <T> T join(CompletionStage<T> stage) {
		assertThat(stage).succeedsWithin(SOON);
		return stage.toCompletableFuture().join();
	}

}
