package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenlessResults;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipients of a result and of the lock when several callers wait on one instance,
 * in an order of events that the test controls.
 */
class ResultRecipientsTests {

	/** The longest interval between two commands of a waiter to the store. */
	private static final Duration POLL = Duration.ofMillis(100);

	private static final LockKey KEY = new LockKey("results", "key");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(25));

	private static final ResultKey TARO = new ResultKey("replay taro", Duration.ofMinutes(1), true);

	private static final ResultKey JIRO = new ResultKey("replay jiro", Duration.ofMinutes(1), true);

	private static final ResultKey SHARED = new ResultKey("share", Duration.ofSeconds(5), false);

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final DefaultLockRegistry locks = this.runtime.registry(this.store);

	@AfterEach
	void nothingIsLeft() {
		this.runtime.settle();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
		this.locks.close();
	}

	@Test
	@DisplayName("A waiter with a stored result is given the result instead of the lock")
	void asksBeforeItRuns() {
		lease(TARO).close("taro's");
		SharedLease jiro = lease(JIRO);
		CompletableFuture<LeaseOrResult> taro = ask(WAITING, TARO);
		CompletableFuture<LeaseOrResult> jiroAgain = ask(WAITING, JIRO);
		jiro.close();
		assertThat(joinWaiting(taro)).matches(TokenlessResults.gives("taro's"));
		joinWaiting(jiroAgain);
		jiroAgain.join().lease().close("jiro's");
	}

	@Test
	@DisplayName("Without a stored result, a waiter for the same result is handed the lock without another command")
	void handsOver() {
		SharedLease first = lease(TARO);
		int commands = this.store.commands();
		CompletableFuture<LeaseOrResult> second = ask(WAITING, TARO);
		first.close();
		this.runtime.settle();
		assertThat(second).isCompleted();
		assertThat(this.store.commands()).isEqualTo(commands);
		second.join().lease().close();
	}

	@Test
	@DisplayName("Of several try-lock callers behind a caller that gets its result, one gets the lock, and the others are rejected")
	void tryLockCallers() {
		lease(TARO).close("taro's");
		this.store.withholding = true;
		CompletableFuture<LeaseOrResult> taro = ask(OPTIONS, TARO);
		List<CompletableFuture<LeaseOrResult>> others = Stream.of(JIRO, JIRO, JIRO)
			.map((slot) -> ask(OPTIONS, slot))
			.toList();
		this.store.deliver();
		assertThat(joinWaiting(taro)).matches(TokenlessResults.gives("taro's"));
		assertThat(others).allMatch(CompletableFuture::isDone);
		assertThat(others).filteredOn(CompletableFuture::isCompletedExceptionally)
			.hasSize(2)
			.allSatisfy((other) -> assertThat(other).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withCauseInstanceOf(LockConflictException.class));
		others.stream()
			.filter((other) -> !other.isCompletedExceptionally())
			.forEach((other) -> other.join().lease().close());
	}

	@Test
	@DisplayName("A caller that arrives while the finished holder's release is under way gets the lock")
	void comesTooLate() {
		SharedLease winner = lease(SHARED);
		CompletableFuture<LeaseOrResult> loser = ask(WAITING, SHARED);
		this.store.withholding = true;
		CompletableFuture<Void> released = winner.releaseAsync("the result").toCompletableFuture();
		CompletableFuture<LeaseOrResult> late = ask(WAITING, SHARED);
		this.store.deliver();
		joinWaiting(released);
		assertThat(joinWaiting(loser)).matches(TokenlessResults.gives("the result"));
		joinWaiting(late);
		late.join().lease().close();
	}

	@Test
	@DisplayName("A waiter that met a holder on another instance gets its result, as does the waiter behind it, however slow the store is")
	void slowStore() {
		long begin = this.runtime.nanoTime();
		long token = takeElsewhere("holder");
		List<CompletableFuture<LeaseOrResult>> losers = Stream.generate(() -> loser()).limit(2).toList();
		awaitQuestion();
		this.store.withholding = true;
		awaitQuestion();
		leaveElsewhere("holder", "the result", token);
		passTimeSince(begin);
		this.store.deliver();
		assertThat(losers)
			.allSatisfy((loser) -> assertThat(joinWaiting(loser)).matches(TokenlessResults.gives("the result")));
	}

	@Test
	@DisplayName("A waiter that met a local holder gets the result of the next holder on another instance, however slow the store is")
	void slowStoreAfterAHolderHere() {
		long begin = this.runtime.nanoTime();
		SharedLease holder = lease(JIRO);
		CompletableFuture<LeaseOrResult> loser = loser();
		int asked = this.store.acquires.get();
		this.store.withholdingAfterRelease = true;
		holder.close();
		this.runtime.pass(POLL);
		assertThat(this.store.acquires).hasValueGreaterThan(asked);
		leaveElsewhere("next", "the result", takeElsewhere("next"));
		passTimeSince(begin);
		this.store.deliver();
		assertThat(joinWaiting(loser)).matches(TokenlessResults.gives("the result"));
	}

	@Test
	@DisplayName("A caller that arrives during a command to the store has not met the holder in the answer, and does not get its result")
	void comesWhileTheStoreIsAsked() {
		long first = takeElsewhere("first");
		this.store.withholding = true;
		this.store.executingAtOnce = true;
		CompletableFuture<LeaseOrResult> loser = loser();
		leaveElsewhere("first", "the first result", first);
		long second = takeElsewhere("second");
		this.runtime.pass(Duration.ofMillis(1));
		CompletableFuture<LeaseOrResult> late = loser();
		this.store.deliver();
		assertThat(joinWaiting(loser)).matches(TokenlessResults.gives("the first result"));
		awaitQuestion();
		assertThat(late).isNotDone();
		leaveElsewhere("second", "the second result", second);
		assertThat(joinWaiting(late)).matches(TokenlessResults.gives("the second result"));
	}

	@Test
	@DisplayName("A caller that finds a lease that expired while the process was paused does not get an older result")
	void holderWhoseLeaseHasEnded() {
		SharedLease ended = this.locks.acquire(KEY, OPTIONS.withoutRenewal(), TARO, ResultQuery.NO_TOKEN).lease();
		this.runtime.standStill(OPTIONS.ttl());
		long token = takeElsewhere("next");
		leaveElsewhere("next", "too old", token);
		this.runtime.standStill(Duration.ofMillis(1));
		CompletableFuture<LeaseOrResult> late = this.locks.acquireAsync(KEY, WAITING, TARO, ResultQuery.NO_TOKEN, null)
			.toCompletableFuture();
		ended.close();
		this.runtime.pass(Duration.ofSeconds(1));
		assertThat(late).isCompletedWithValueMatching((acquired) -> acquired.lease() != null);
		late.join().lease().close();
	}

	@Test
	@DisplayName("A caller that arrives after a result has expired does not get it from a late answer")
	void resultIsNotKeptAnyMore() {
		lease(TARO).close("taro's");
		this.store.withholding = true;
		this.store.executingAtOnce = true;
		CompletableFuture<LeaseOrResult> first = ask(WAITING, TARO);
		this.runtime.standStill(TARO.keep());
		CompletableFuture<LeaseOrResult> inTime = ask(WAITING, TARO);
		this.runtime.standStill(Duration.ofNanos(1));
		CompletableFuture<LeaseOrResult> late = ask(WAITING, TARO);
		this.store.deliver();
		assertThat(joinWaiting(first)).matches(TokenlessResults.gives("taro's"));
		assertThat(joinWaiting(inTime)).matches(TokenlessResults.gives("taro's"));
		joinWaiting(late).lease().close();
	}

	@Test
	@DisplayName("A waiter for a result, queued behind a waiter for the lock, gets the result instead of the lock")
	void behindAnother() {
		long token = takeElsewhere("holder");
		CompletableFuture<Lease> plain = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<LeaseOrResult> loser = loser();
		awaitQuestion();
		leaveElsewhere("holder", "the result", token);
		joinWaiting(plain);
		plain.join().close();
		assertThat(joinWaiting(loser)).matches(TokenlessResults.gives("the result"));
	}

	private long takeElsewhere(String owner) {
		AcquireCommand command = AcquireCommand.of(owner, OPTIONS.ttl());
		return ((Granted) this.store.memory().lock(KEY).acquire(command).toCompletableFuture().join()).fencingToken();
	}

	private void leaveElsewhere(String owner, String text, long token) {
		this.store.memory().lock(KEY).release(owner, new StoredResult(TARO, text, token));
	}

	/** Advances the time by more than the time since the given instant. */
	private void passTimeSince(long begin) {
		this.runtime.pass(Duration.ofNanos(this.runtime.nanoTime() - begin + 1));
	}

	/** Makes an acquisition that accepts no older result. */
	private CompletableFuture<LeaseOrResult> loser() {
		return this.locks.acquireAsync(KEY, WAITING, TARO, ResultQuery.NO_TOKEN, null).toCompletableFuture();
	}

	private void awaitQuestion() {
		int asked = this.store.acquires.get();
		this.runtime.pass(POLL);
		assertThat(this.store.acquires).hasValueGreaterThan(asked);
	}

	@Test
	@DisplayName("When the store fails at the release, no waiter gets the result")
	void releaseFails() {
		SharedLease winner = lease(SHARED);
		CompletableFuture<LeaseOrResult> loser = ask(WAITING, SHARED);
		this.store.broken = true;
		winner.close("the result");
		this.runtime.pass(POLL);
		assertThat(loser).isCompletedExceptionally();
		this.store.broken = false;
	}

	@Test
	@DisplayName("The grant of a caller that was cancelled during the command is not passed to a waiter with a stored result")
	void cancelledWhileAsking() {
		lease(TARO).close("taro's");
		this.store.withholding = true;
		CompletableFuture<Lease> plain = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<LeaseOrResult> taro = ask(WAITING, TARO);
		plain.cancel(false);
		this.store.deliver();
		assertThat(joinWaiting(taro)).matches(TokenlessResults.gives("taro's"));
	}

	/** Advances the time until a waiter sends its next command. */
	private <T> T joinWaiting(CompletionStage<T> stage) {
		this.runtime.pass(POLL);
		return this.runtime.join(stage);
	}

	private SharedLease lease(ResultKey slot) {
		SharedLease lease = this.locks.acquire(KEY, OPTIONS, slot, since(slot)).lease();
		assertThat(lease).isNotNull();
		return lease;
	}

	private CompletableFuture<LeaseOrResult> ask(LockOptions options, ResultKey slot) {
		return this.locks.acquireAsync(KEY, options, slot, since(slot), null).toCompletableFuture();
	}

	private static long since(ResultKey slot) {
		return slot.replayed() ? ResultQuery.ANY_TOKEN : ResultQuery.NO_TOKEN;
	}

}
