package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.count.LockEventCounter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks that were granted to a token whose caller has given up.
 */
class AbandonedTokenAcquisitionsTests {

	private static final LockKey KEY = new LockKey("tokens", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private static final String TOKEN = "a-token-of-the-caller";

	private static final List<Consumer<CompletableFuture<?>>> WAYS_TO_LEAVE = List.of((future) -> future.cancel(false),
			(future) -> future.complete(null), (future) -> future.completeExceptionally(new TimeoutException()));

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final LockEventCounter counts = new LockEventCounter();

	private final DefaultLockRegistry registry = this.runtime.registry(this.store, this.counts);

	private final TokenLocks locks = new DefaultTokenLocks(this.registry);

	@AfterEach
	void nothingIsLeft() {
		awaitNothingHere();
		this.registry.close();
	}

	@Test
	@DisplayName("A waiter that leaves the queue in any way is not granted the lock when it is released")
	void leavesTheQueue() {
		for (Consumer<CompletableFuture<?>> way : WAYS_TO_LEAVE) {
			long before = this.counts.get(KEY.name(), Event.CONTENDED);
			String holder = join(this.locks.acquireAsync(KEY, OPTIONS)).token();
			List<CompletableFuture<TokenLock>> waiting = List.of(acquire(WAITING), acquire(WAITING, TOKEN),
					acquire(WAITING));
			awaitContended(before + 3);
			waiting.forEach(way);
			awaitNothingHere();
			assertThat(join(this.locks.releaseAsync(KEY, holder))).isTrue();
			this.runtime.pass(WAITING.waitTime());
			assertThat(remaining()).isEmpty();
		}
	}

	@Test
	@DisplayName("A caller with a new token that gives up during the command releases the lock")
	void newToken() {
		for (Consumer<CompletableFuture<?>> way : WAYS_TO_LEAVE) {
			int releases = this.store.releases.get();
			this.store.withholding = true;
			CompletableFuture<TokenLock> leaving = acquire(OPTIONS);
			way.accept(leaving);
			this.store.deliver();
			awaitNothingHere();
			assertThat(this.store.releases).hasValue(releases + 1);
			assertThat(remaining()).isEmpty();
		}
	}

	@Test
	@DisplayName("A given token keeps the lock, because it may have been used again")
	void givenToken() {
		for (Consumer<CompletableFuture<?>> way : WAYS_TO_LEAVE) {
			CompletableFuture<TokenLock> leaving = claimInSilence(OPTIONS);
			way.accept(leaving);
			CompletableFuture<TokenLock> again = acquire(OPTIONS, TOKEN);
			this.store.deliver();
			assertThat(join(again).extended()).isTrue();
			awaitNothingHere();
			assertThat(remaining()).isPresent();
			assertThat(join(this.locks.releaseAsync(KEY, TOKEN))).isTrue();
		}
		assertThat(this.store.releases).as("none but those that were asked for").hasValue(3);
	}

	@Test
	@DisplayName("A caller that gives up during an extension does not stop it, and joins no queue")
	void leavesExtension() {
		join(acquire(OPTIONS, TOKEN));
		this.store.withholding = true;
		CompletableFuture<TokenLock> extension = acquire(LockOptions.of(Duration.ofMinutes(9)), TOKEN);
		CompletableFuture<TokenLock> other = acquire(WAITING, "another-token-of-the-caller");
		extension.cancel(false);
		other.cancel(false);
		this.store.deliver();
		assertThat(remaining()).hasValue(Duration.ofMinutes(9));
		this.runtime.pass(WAITING.waitTime());
		assertThat(this.store.releases).hasValue(0);
		assertThat(RegistryAccess.isUnused(this.registry)).isTrue();
	}

	@Test
	@DisplayName("A caller that gives up while its acquisition joins the queue is not granted the lock when it is released")
	void leavesWhileJoining() {
		for (Consumer<CompletableFuture<?>> way : WAYS_TO_LEAVE) {
			String holder = join(acquire(OPTIONS)).token();
			this.store.withholding = true;
			CompletableFuture<TokenLock> leaving = acquire(WAITING, TOKEN);
			this.store.onAcquire = () -> way.accept(leaving);
			this.store.deliver();
			assertThat(leaving).isDone();
			awaitNothingHere();
			assertThat(join(this.locks.releaseAsync(KEY, holder))).isTrue();
			this.runtime.pass(WAITING.waitTime());
			assertThat(remaining()).isEmpty();
		}
	}

	@Test
	@DisplayName("A waiter behind a caller that gave up waits for the token, which got the lock anyway")
	void behindCancelledCaller() {
		CompletableFuture<TokenLock> leaving = claimInSilence(OPTIONS);
		CompletableFuture<Optional<Lease>> next = this.registry.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		leaving.cancel(false);
		this.store.deliver();
		awaitContended(1);
		assertThat(next).isNotDone();
		assertThat(join(this.locks.releaseAsync(KEY, TOKEN))).isTrue();
		this.runtime.pass(WAITING.waitTime().dividedBy(2));
		join(next).orElseThrow().close();
	}

	@Test
	@DisplayName("An acquisition for a token behind a cancelled one for a lease gets its own grant from the store, not that of the other")
	void behindLease() {
		this.store.withholding = true;
		CompletableFuture<Optional<Lease>> leaving = this.registry.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<TokenLock> next = acquire(WAITING);
		leaving.cancel(false);
		this.store.deliver();
		TokenLock held = join(next);
		assertThat(this.store.releases).as("what the lease was granted").hasValue(1);
		assertThat(join(acquire(OPTIONS, held.token())).extended()).isTrue();
		assertThat(join(this.locks.releaseAsync(KEY, held.token()))).isTrue();
	}

	@Test
	@DisplayName("A caller with a new token that gives up before it is notified of the grant releases the lock")
	void leavesBeforeNotified() {
		for (Consumer<CompletableFuture<?>> way : WAYS_TO_LEAVE) {
			int releases = this.store.releases.get();
			CompletableFuture<TokenLock> leaving = acquire(OPTIONS);
			assertThat(leaving).isNotDone();
			way.accept(leaving);
			this.runtime.settle();
			assertThat(this.store.releases).hasValue(releases + 1);
			assertThat(remaining()).isEmpty();
		}
	}

	@Test
	@DisplayName("Whenever a caller gives up, its lock is released; a caller that does not give up holds its lock")
	void leaveAtAnyTime() {
		DefaultLockRegistry threaded = new DefaultLockRegistry(new ObservedStore(),
				LockOptions.of(Duration.ofSeconds(10)));
		TokenLocks locks = new DefaultTokenLocks(threaded);
		Map<LockKey, CompletableFuture<TokenLock>> attempts = new HashMap<>();
		for (int i = 0; i < 3000; i++) {
			LockKey key = new LockKey("tokens", Integer.toString(i));
			CompletableFuture<TokenLock> attempt = locks.acquireAsync(key, OPTIONS).toCompletableFuture();
			attempts.put(key, attempt);
			LockSupport.parkNanos(i % 100 * 1000L);
			attempt.cancel(false);
		}
		Awaitility.await()
			.untilAsserted(() -> attempts
				.forEach((key, attempt) -> assertThat(locks.remainingAsync(key).toCompletableFuture().join().isEmpty())
					.as(key.key())
					.isEqualTo(attempt.isCancelled())));
		assertThat(attempts.values().stream().filter(CompletableFuture::isCancelled).count()).as("of 3000")
			.isBetween(1L, 2999L);
		threaded.close();
	}

	@Test
	@DisplayName("A grant that arrives after the time to live is a failure; a new token releases it, a given token does not")
	void lateAnswers() {
		LockOptions brief = LockOptions.of(Duration.ofMillis(50));
		this.store.withholding = true;
		assertTooLate(acquire(brief));
		assertThat(this.store.releases).hasValue(1);
		assertTooLate(claimInSilence(brief));
		assertThat(this.store.releases).hasValue(1);
	}

	private void assertTooLate(CompletableFuture<TokenLock> attempt) {
		this.runtime.pass(Duration.ofMillis(50));
		this.store.deliver();
		this.runtime.settle();
		assertThat(attempt).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageContaining("longer than the ttl");
		awaitNothingHere();
	}

	private CompletableFuture<TokenLock> acquire(LockOptions options) {
		return this.locks.acquireAsync(KEY, options).toCompletableFuture();
	}

	private CompletableFuture<TokenLock> acquire(LockOptions options, String token) {
		return this.locks.acquireAsync(KEY, options, token).toCompletableFuture();
	}

	/** Returns an attempt whose answer the store withholds. */
	private CompletableFuture<TokenLock> claimInSilence(LockOptions options) {
		this.store.withholdingAfterTokenAcquire = true;
		int before = this.store.acquires.get();
		CompletableFuture<TokenLock> attempt = acquire(options, TOKEN);
		this.runtime.settle();
		assertThat(this.store.acquires).hasValue(before + 1);
		return attempt;
	}

	private void awaitNothingHere() {
		this.runtime.settle();
		assertThat(RegistryAccess.isUnused(this.registry)).isTrue();
	}

	/** Waits until this number of callers has found the lock held. */
	private void awaitContended(long count) {
		this.runtime.settle();
		assertThat(this.counts.get(KEY.name(), Event.CONTENDED)).isEqualTo(count);
	}

	private Optional<Duration> remaining() {
		return join(this.locks.remainingAsync(KEY));
	}

	private <T> T join(CompletionStage<T> stage) {
		return this.runtime.join(stage);
	}

}
