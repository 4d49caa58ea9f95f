package io.github.lockstarter.registry;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.count.LockEventCounter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of waiters in one instance, for tokens and leases.
 */
class TokenQueueTests {

	private static final LockKey KEY = new LockKey("tokens", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private static final Duration POLL = Duration.ofMillis(100);

	private static final String HOLDER = "the-token-that-holds-the-lock";

	private static final String TOKEN = "a-token-that-waits";

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final LockEventCounter counts = new LockEventCounter();

	private DefaultLockRegistry registry = registry();

	private TokenLocks locks = new DefaultTokenLocks(this.registry);

	private DefaultLockRegistry registry() {
		return new DefaultLockRegistry(this.store,
				RegistrySettings.of(OPTIONS).withMaxWaiters(20_000).withCounts(this.counts).withRuntime(this.runtime));
	}

	@AfterEach
	void nothingIsLeft() {
		this.runtime.settle();
		assertThat(RegistryAccess.isUnused(this.registry)).isTrue();
		this.registry.close();
	}

	@Test
	@DisplayName("The holder extends the lock while others wait, and they continue to wait")
	void extendsPastTheQueue() {
		TokenLock held = hold();
		CompletableFuture<TokenLock> token = waitForToken();
		CompletableFuture<Optional<Lease>> lease = waitForLease();
		awaitWaiting(2);
		for (LockOptions options : List.of(OPTIONS, WAITING)) {
			TokenLock extended = join(this.locks.acquireAsync(KEY, options, HOLDER));
			assertThat(extended.extended()).isTrue();
			assertThat(extended.fencingToken()).isGreaterThanOrEqualTo(held.fencingToken());
		}
		assertThat(token).isNotDone();
		assertThat(lease).isNotDone();
		release(HOLDER);
		assertThat(joinWaiting(token).fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(lease).isNotDone();
		release(token.join().token());
		joinWaiting(lease).orElseThrow().close();
	}

	@Test
	@DisplayName("If all waiters are in this instance, a release notifies the next one at once, whether token or lease, without polling")
	void wakesTheNext() {
		this.store.local = true;
		this.registry = registry();
		this.locks = new DefaultTokenLocks(this.registry);
		hold();
		CompletableFuture<TokenLock> token = waitForToken();
		CompletableFuture<Optional<Lease>> lease = waitForLease();
		assertThat(this.store.acquires).hasValue(2);
		release(HOLDER);
		String next = join(token).token();
		assertThat(this.store.acquires).as("the lease has asked").hasValue(4);
		release(next);
		join(lease).orElseThrow().close();
		assertThat(this.store.acquires).hasValue(5);
	}

	@Test
	@DisplayName("Tokens and leases are served in the order of arrival")
	void firstComeFirstServed() {
		hold();
		List<Integer> served = new CopyOnWriteArrayList<>();
		List<CompletableFuture<?>> waiting = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			int place = i;
			waiting.add(switch (i % 3) {
				case 0 -> waitForToken().thenCompose((lock) -> {
					served.add(place);
					return this.locks.releaseAsync(KEY, lock.token());
				});
				case 1 -> waitForLease().thenCompose((lease) -> {
					served.add(place);
					return lease.orElseThrow().releaseAsync();
				});
				default -> waitFor(TOKEN + place).thenCompose((lock) -> {
					served.add(place);
					return this.locks.releaseAsync(KEY, lock.token());
				});
			});
			awaitWaiting(i + 1);
		}
		release(HOLDER);
		waiting.forEach(this::joinWaiting);
		assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
	}

	@Test
	@DisplayName("A token that waits for a lease gets the lock when the lease is closed, and not before")
	void waitsForLease() {
		Lease lease = this.registry.acquire(KEY, OPTIONS);
		assertRejected(this.locks.acquireAsync(KEY, OPTIONS));
		assertRejected(this.locks.acquireAsync(KEY, OPTIONS, TOKEN));
		CompletableFuture<TokenLock> first = waitForToken();
		CompletableFuture<TokenLock> second = waitFor(TOKEN);
		awaitWaiting(4);
		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
		lease.close();
		TokenLock held = join(first);
		assertThat(held.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(this.registry.tryAcquire(KEY, OPTIONS)).isEmpty();
		assertThat(second).isNotDone();
		release(held.token());
		assertThat(joinWaiting(second).fencingToken()).isGreaterThan(held.fencingToken());
		release(TOKEN);
		assertThat(this.store.releases).as("each gave the lock back to the store").hasValue(3);
	}

	@Test
	@DisplayName("A lease that waits for a token is granted when the token releases the lock, and not before")
	void leaseWaits() {
		TokenLock held = hold();
		assertThat(this.registry.tryAcquire(KEY, OPTIONS)).isEmpty();
		CompletableFuture<Optional<Lease>> waiting = waitForLease();
		CompletableFuture<TokenLock> token = waitForToken();
		awaitWaiting(3);
		assertThat(waiting).isNotDone();
		release(HOLDER);
		Lease lease = joinWaiting(waiting).orElseThrow();
		assertThat(lease.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(token).isNotDone();
		assertThat(join(this.locks.releaseAsync(KEY, HOLDER))).isFalse();
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		release(join(token).token());
	}

	@Test
	@DisplayName("A token that waits twice gets the lock twice, and each time holds it for as long as the answer says")
	void waitsTwice() {
		hold();
		List<CompletableFuture<TokenLock>> waiting = new ArrayList<>();
		for (Duration ttl : List.of(Duration.ofMinutes(1), Duration.ofMinutes(9), Duration.ofSeconds(5))) {
			LockOptions options = LockOptions.of(ttl).withWaitTime(WAITING.waitTime());
			waiting.add(this.locks.acquireAsync(KEY, options, TOKEN).toCompletableFuture());
			awaitWaiting(waiting.size());
		}
		release(HOLDER);
		Duration longest = joinWaiting(waiting.get(1)).remaining();
		waiting.forEach(this::join);
		assertThat(remaining()).isBetween(longest.minus(POLL.multipliedBy(3)), longest);
		release(TOKEN);
	}

	@Test
	@DisplayName("A token that waits again behind another waiter is not rejected at the end of its wait if it got the lock before")
	void waitsBehindOthers() {
		hold();
		CompletableFuture<TokenLock> first = waitFor(TOKEN);
		awaitWaiting(1);
		CompletableFuture<Optional<Lease>> other = waitForLease();
		LockOptions brief = OPTIONS.withWaitTime(Duration.ofSeconds(4));
		CompletionStage<TokenLock> again = this.locks.acquireAsync(KEY, brief, TOKEN);
		awaitWaiting(3);
		release(HOLDER);
		joinWaiting(first);
		this.runtime.pass(brief.waitTime());
		assertThat(join(again).extended()).isTrue();
		release(TOKEN);
		joinWaiting(other).orElseThrow().close();
	}

	@Test
	@DisplayName("10,000 waiters for one lock hold no thread, and leave nothing behind when they are cancelled")
	void manyWaiters() {
		hold();
		int threads = ManagementFactory.getThreadMXBean().getThreadCount();
		List<CompletableFuture<TokenLock>> waiting = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			waiting.add((i % 2 == 0) ? waitForToken() : waitFor(TOKEN + i));
		}
		awaitWaiting(10_000);
		assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threads).isLessThan(50);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		waiting.forEach((each) -> each.cancel(false));
		assertThat(RegistryAccess.isUnused(this.registry)).isTrue();
		assertThat(this.runtime.alarms()).isZero();
		release(HOLDER);
		assertThat(remaining()).isZero();
	}

	@Test
	@DisplayName("5,000 waiting attempts of one token are all granted, one after the other")
	void manyOfOneToken() {
		hold();
		List<CompletableFuture<TokenLock>> waiting = new ArrayList<>();
		for (int i = 0; i < 5000; i++) {
			waiting.add(waitFor(TOKEN));
		}
		awaitWaiting(5000);
		release(HOLDER);
		this.runtime.pass(POLL);
		waiting.forEach(this::join);
		release(TOKEN);
	}

	@Test
	@DisplayName("A further attempt of the holder with a shorter time to live does not shorten the granted time")
	void otherAttemptDoesNotShorten() {
		TokenLock held = hold();
		LockOptions shorter = LockOptions.of(Duration.ofMillis(10));
		assertThat(join(this.locks.acquireAsync(KEY, shorter, HOLDER)).extended()).isTrue();
		assertThat(remaining()).isEqualTo(held.remaining());
	}

	@Test
	@DisplayName("When the registry drains, tokens no longer wait, but the holder can still extend and release the lock")
	void drains() {
		hold();
		CompletableFuture<TokenLock> waiting = waitForToken();
		this.registry.drain();
		assertClosed(waiting);
		assertClosed(waitForToken());
		assertClosed(waitFor(TOKEN));
		assertRejected(this.locks.acquireAsync(KEY, OPTIONS));
		assertThat(join(this.locks.acquireAsync(KEY, WAITING, HOLDER)).extended()).isTrue();
		release(HOLDER);
		release(join(waitForToken()).token());
	}

	private void assertClosed(CompletionStage<TokenLock> attempt) {
		this.runtime.settle();
		assertThat(attempt).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageContaining("closed");
	}

	private TokenLock hold() {
		return join(this.locks.acquireAsync(KEY, OPTIONS, HOLDER));
	}

	private CompletableFuture<TokenLock> waitForToken() {
		return this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
	}

	private CompletableFuture<TokenLock> waitFor(String token) {
		return this.locks.acquireAsync(KEY, WAITING, token).toCompletableFuture();
	}

	private CompletableFuture<Optional<Lease>> waitForLease() {
		return this.registry.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
	}

	/** Waits until this number of callers has found the lock held. */
	private void awaitWaiting(int count) {
		this.runtime.settle();
		assertThat(this.counts.get(KEY.name(), Event.CONTENDED)).isEqualTo(count);
	}

	private void release(String token) {
		assertThat(join(this.locks.releaseAsync(KEY, token))).isTrue();
	}

	private Duration remaining() {
		return join(this.locks.remainingAsync(KEY)).orElse(Duration.ZERO);
	}

	private void assertRejected(CompletionStage<TokenLock> attempt) {
		this.runtime.settle();
		assertThat(attempt).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockConflictException.class,
					(ex) -> assertThat(ex.getRetryAfter()).isEqualTo(OPTIONS.ttl()));
	}

	/** Advances the time until a waiter polls the store. */
	private <T> T joinWaiting(CompletionStage<T> stage) {
		this.runtime.pass(POLL);
		return join(stage);
	}

	private <T> T join(CompletionStage<T> stage) {
		return this.runtime.join(stage);
	}

}
