package io.github.lockstarter.faults;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.store.redis.connection.RedisConnections;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.DefaultTokenLocks;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.store.redis.RedisInstance;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acquires for a token that Redis answers too late.
 */
@Tag("faults")
@Tag("redis")
class TokenFaultTests {

	/** The command timeout of the first instance; that of the second is long. */
	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockKey KEY = new LockKey("fault", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(25));

	private static final String TOKEN = "a-token-of-the-caller";

	private final LocalRedis server = LocalRedis.started();

	private final RedisInstance first = new RedisInstance(connections(), "lock", 0, 64, TIMEOUT);

	private final RedisInstance second = new RedisInstance(connections(), "lock", 0, 64);

	private final TokenLocks firstLocks = new DefaultTokenLocks(this.first.locks());

	private final TokenLocks secondLocks = new DefaultTokenLocks(this.second.locks());

	@AfterEach
	void stop() {
		this.first.close();
		this.second.close();
		this.server.close();
	}

	@Test
	@DisplayName("A given token whose grant arrived too late keeps the lock, and can acquire it again at another instance")
	void givenToken() {
		Lease lease = this.first.locks().acquire(KEY, OPTIONS);
		CompletableFuture<TokenLock> attempt = this.firstLocks.acquireAsync(KEY, WAITING, TOKEN).toCompletableFuture();
		freezeAndRelease(lease, attempt);
		// Sent on another connection before Redis resumes.
		CompletableFuture<TokenLock> again = this.secondLocks.acquireAsync(KEY, WAITING, TOKEN).toCompletableFuture();
		this.server.thaw();
		assertThat(again).succeedsWithin(SOON);
		assertStaysHeld();
		assertThat(join(this.secondLocks.releaseAsync(KEY, TOKEN))).isTrue();
		assertThat(remaining()).isEmpty();
	}

	@Test
	@DisplayName("A given token whose grant arrived too late can acquire the lock again at the same instance")
	void givenTokenAsksAgain() {
		Lease lease = this.first.locks().acquire(KEY, OPTIONS);
		CompletableFuture<TokenLock> attempt = this.firstLocks.acquireAsync(KEY, WAITING, TOKEN).toCompletableFuture();
		freezeAndRelease(lease, attempt);
		this.server.thaw();
		Awaitility.await().ignoreExceptions().until(() -> remaining().isPresent());
		TokenLock held = join(this.firstLocks.acquireAsync(KEY, OPTIONS, TOKEN));
		assertThat(held.extended()).isTrue();
		assertThat(held.fencingToken()).isGreaterThan(lease.fencingToken());
		assertStaysHeld();
	}

	@Test
	@DisplayName("A new token whose grant arrived too late releases the lock")
	void newToken() {
		Lease lease = this.first.locks().acquire(KEY, OPTIONS);
		CompletableFuture<TokenLock> attempt = this.firstLocks.acquireAsync(KEY, WAITING).toCompletableFuture();
		freezeAndRelease(lease, attempt);
		this.server.thaw();
		Awaitility.await().atMost(SOON).ignoreExceptions().until(() -> remaining().isEmpty());
		Awaitility.await().during(Duration.ofSeconds(1)).until(() -> remaining().isEmpty());
	}

	@Test
	@DisplayName("An extension that Redis answers too late fails, but the lock stays held")
	void extension() {
		TokenLock held = join(this.firstLocks.acquireAsync(KEY, OPTIONS, TOKEN));
		this.server.freeze();
		assertBroken(this.firstLocks.acquireAsync(KEY, LockOptions.of(Duration.ofMinutes(9)), TOKEN));
		assertBroken(this.firstLocks.remainingAsync(KEY));
		this.server.thaw();
		Awaitility.await()
			.ignoreExceptions()
			.until(() -> remaining().orElseThrow().compareTo(Duration.ofMinutes(8)) > 0);
		assertThat(join(this.secondLocks.acquireAsync(KEY, OPTIONS, TOKEN)).fencingToken())
			.isGreaterThanOrEqualTo(held.fencingToken());
	}

	@Test
	@DisplayName("When Redis is killed while a token waits, its caller gets a failure, and the token gets the lock when Redis is back")
	void killed() {
		join(this.secondLocks.acquireAsync(KEY, OPTIONS));
		CompletableFuture<TokenLock> waiting = this.firstLocks.acquireAsync(KEY, WAITING, TOKEN).toCompletableFuture();
		Awaitility.await().until(() -> this.first.commands().contains("SUBSCRIBE"));
		this.server.kill();
		assertBroken(waiting);
		this.server.start();
		Awaitility.await()
			.atMost(SOON)
			.untilAsserted(() -> assertThat(this.firstLocks.acquireAsync(KEY, OPTIONS, TOKEN)).succeedsWithin(SOON)
				.satisfies((lock) -> assertThat(lock.token()).isEqualTo(TOKEN)));
		assertStaysHeld();
	}

	/** Redis gets the release and the acquire, and answers both too late. */
	private void freezeAndRelease(Lease lease, CompletableFuture<TokenLock> attempt) {
		// Answered on the same connection, after the query for the token.
		assertThat(join(this.firstLocks.remainingAsync(KEY))).isPresent();
		assertThat(attempt).isNotDone();
		int commands = this.first.commandCount();
		this.server.freeze();
		lease.releaseAsync();
		assertBroken(attempt);
		assertThat(this.first.commandCount()).isEqualTo(commands + 2);
	}

	/** Checks for longer than an undo would take. */
	private void assertStaysHeld() {
		Awaitility.await()
			.during(Duration.ofSeconds(1))
			.until(() -> remaining().isPresent() && this.second.locks().tryAcquire(KEY, OPTIONS).isEmpty());
	}

	private Optional<Duration> remaining() {
		return join(this.secondLocks.remainingAsync(KEY));
	}

	private static void assertBroken(CompletionStage<?> answer) {
		assertThat(answer).failsWithin(SOON).withThrowableThat().havingCause().isInstanceOf(LockStoreException.class);
	}

	private static <T> T join(CompletionStage<T> stage) {
		assertThat(stage).succeedsWithin(SOON);
		return stage.toCompletableFuture().join();
	}

	private RedisConnections connections() {
		return TestConnections.to("127.0.0.1", this.server.port());
	}

}
