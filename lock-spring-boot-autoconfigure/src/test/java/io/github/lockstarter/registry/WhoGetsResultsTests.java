package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.share.SharedLease;
import io.github.lockstarter.share.SharingRegistry.Acquisition;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.testing.TestLocks;
import io.github.lockstarter.testing.TestResults;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who is given a result, and who the lock, when several wait on one server: in the order
 * of events that the test chooses.
 */
class WhoGetsResultsTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final LockKey KEY = new LockKey("results", "key");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(25));

	private static final ResultKey TARO = new ResultKey("replay taro", Duration.ofMinutes(1), true);

	private static final ResultKey JIRO = new ResultKey("replay jiro", Duration.ofMinutes(1), true);

	private static final ResultKey SHARED = new ResultKey("share", Duration.ofSeconds(5), false);

	private final ObservedStore store = new ObservedStore();

	private final DefaultLockRegistry locks = TestLocks.on(this.store);

	@AfterEach
	void nothingIsLeft() {
		// Whoever is given a result has it before the lock is put away.
		Awaitility.await().until(() -> this.locks.table().isEmpty());
		this.locks.close();
	}

	@Test
	@DisplayName("Who has a stored result is not handed the lock by another holder, but is given the result")
	void asksBeforeItRuns() {
		lease(TARO).close("taro's");
		SharedLease jiro = lease(JIRO);
		CompletableFuture<Acquisition> taro = ask(WAITING, TARO);
		CompletableFuture<Acquisition> jiroAgain = ask(WAITING, JIRO);
		jiro.close();
		assertThat(taro).succeedsWithin(SOON).matches(TestResults.gives("taro's"));
		assertThat(jiroAgain).succeedsWithin(SOON);
		jiroAgain.join().lease().close("jiro's");
	}

	@Test
	@DisplayName("Who waits for the same result is handed the lock without another question when there is none")
	void handsOver() {
		// Whoever holds it for long lets the store have its say.
		Awaitility.await().until(() -> {
			SharedLease first = lease(TARO);
			int requests = this.store.requests();
			CompletableFuture<Acquisition> second = ask(WAITING, TARO);
			first.close();
			assertThat(second).succeedsWithin(SOON);
			boolean asked = this.store.requests() != requests;
			second.join().lease().close();
			return !asked;
		});
	}

	@Test
	@DisplayName("Of those who do not wait and look on while another is given his result, one gets the lock, and the rest are refused")
	void onlookers() {
		lease(TARO).close("taro's");
		this.store.silent = true;
		CompletableFuture<Acquisition> taro = ask(OPTIONS, TARO);
		List<CompletableFuture<Acquisition>> others = Stream.of(JIRO, JIRO, JIRO)
			.map((slot) -> ask(OPTIONS, slot))
			.toList();
		this.store.speak();
		assertThat(taro).succeedsWithin(SOON).matches(TestResults.gives("taro's"));
		Awaitility.await().until(() -> others.stream().allMatch(CompletableFuture::isDone));
		assertThat(others).filteredOn(CompletableFuture::isCompletedExceptionally)
			.hasSize(2)
			.allSatisfy((other) -> assertThat(other).failsWithin(SOON)
				.withThrowableThat()
				.withCauseInstanceOf(LockConflictException.class));
		others.stream()
			.filter((other) -> !other.isCompletedExceptionally())
			.forEach((other) -> other.join().lease().close());
	}

	@Test
	@DisplayName("Who comes when the holder has finished already, and only its release is under way, runs himself")
	void comesTooLate() {
		SharedLease winner = lease(SHARED);
		CompletableFuture<Acquisition> loser = ask(WAITING, SHARED);
		this.store.silent = true;
		CompletableFuture<Void> released = winner.releaseAsync("the result").toCompletableFuture();
		CompletableFuture<Acquisition> late = ask(WAITING, SHARED);
		this.store.speak();
		assertThat(released).succeedsWithin(SOON);
		assertThat(loser).succeedsWithin(SOON).matches(TestResults.gives("the result"));
		assertThat(late).succeedsWithin(SOON);
		late.join().lease().close();
	}

	@Test
	@DisplayName("Who met a holder elsewhere is given its result, and so is who waits with him, however slow the store is")
	void slowStore() {
		long begin = System.nanoTime();
		long token = takeElsewhere("holder");
		List<CompletableFuture<Acquisition>> losers = Stream.generate(() -> loser()).limit(2).toList();
		awaitQuestion();
		this.store.silent = true;
		awaitQuestion();
		leaveElsewhere("holder", "the result", token);
		awaitTimeSince(begin);
		this.store.speak();
		assertThat(losers)
			.allSatisfy((loser) -> assertThat(loser).succeedsWithin(SOON).matches(TestResults.gives("the result")));
	}

	@Test
	@DisplayName("Who met a holder here is given the result of the next one elsewhere, however slow the store is")
	void slowStoreAfterAHolderHere() {
		long begin = System.nanoTime();
		SharedLease holder = lease(JIRO);
		CompletableFuture<Acquisition> loser = loser();
		int asked = this.store.acquires.get();
		this.store.silentWhenReleased = true;
		holder.close();
		Awaitility.await().until(() -> this.store.acquires.get() > asked);
		leaveElsewhere("next", "the result", takeElsewhere("next"));
		awaitTimeSince(begin);
		this.store.speak();
		assertThat(loser).succeedsWithin(SOON).matches(TestResults.gives("the result"));
	}

	@Test
	@DisplayName("Who comes while the store is asked has not met the holder that it tells of, and is not given that one's result")
	void comesWhileTheStoreIsAsked() {
		long first = takeElsewhere("first");
		this.store.silent = true;
		this.store.obedient = true;
		CompletableFuture<Acquisition> loser = loser();
		leaveElsewhere("first", "the first result", first);
		long second = takeElsewhere("second");
		CompletableFuture<Acquisition> late = loser();
		this.store.speak();
		assertThat(loser).succeedsWithin(SOON).matches(TestResults.gives("the first result"));
		awaitQuestion();
		assertThat(late).isNotDone();
		leaveElsewhere("second", "the second result", second);
		assertThat(late).succeedsWithin(SOON).matches(TestResults.gives("the second result"));
	}

	@Test
	@DisplayName("A caller that finds a lease which ended while the process stood still is not given an older result")
	void holderWhoseLeaseHasEnded() {
		VirtualRuntime runtime = new VirtualRuntime();
		ObservedStore store = new ObservedStore(runtime::nanoTime);
		DefaultLockRegistry locks = new DefaultLockRegistry(store, (name) -> OPTIONS, 64, (loss) -> {
		}, new LockCounts(), ObservationRegistry.NOOP, runtime);
		SharedLease ended = locks.acquire(KEY, OPTIONS.withoutRenewal(), TARO, ResultQuery.NOBODY).lease();
		runtime.standStill(OPTIONS.ttl());
		long token = takeElsewhere(store, "next");
		leaveElsewhere(store, "next", "too old", token);
		runtime.standStill(Duration.ofMillis(1));
		CompletableFuture<Acquisition> late = locks.acquireAsync(KEY, WAITING, TARO, ResultQuery.NOBODY, null)
			.toCompletableFuture();
		ended.close();
		runtime.pass(Duration.ofSeconds(1));
		assertThat(late).isCompletedWithValueMatching((acquired) -> acquired.lease() != null);
		late.join().lease().close();
		locks.close();
	}

	/** A JVM that is not warm may take so long that the store is asked in any case. */
	@RepeatedTest(3)
	@DisplayName("Who waits for a result behind one who does not want it is not handed the lock, but is given the result")
	void behindAnother() {
		long token = takeElsewhere("holder");
		CompletableFuture<Lease> plain = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<Acquisition> loser = loser();
		awaitQuestion();
		leaveElsewhere("holder", "the result", token);
		assertThat(plain).succeedsWithin(SOON);
		plain.join().close();
		assertThat(loser).succeedsWithin(SOON).matches(TestResults.gives("the result"));
	}

	private long takeElsewhere(String owner) {
		return takeElsewhere(this.store, owner);
	}

	private static long takeElsewhere(ObservedStore store, String owner) {
		AcquireCommand command = AcquireCommand.of(owner, OPTIONS.ttl());
		return ((Granted) store.memory().lock(KEY).acquire(command).toCompletableFuture().join()).fencingToken();
	}

	private void leaveElsewhere(String owner, String text, long token) {
		leaveElsewhere(this.store, owner, text, token);
	}

	private static void leaveElsewhere(ObservedStore store, String owner, String text, long token) {
		store.memory().lock(KEY).release(owner, new StoredResult(TARO, text, token));
	}

	/** Lets as much time pass as has passed since then. */
	private static void awaitTimeSince(long begin) {
		long now = System.nanoTime();
		Awaitility.await().until(() -> System.nanoTime() - now > now - begin);
	}

	/** Wants no result that was there before. */
	private CompletableFuture<Acquisition> loser() {
		return this.locks.acquireAsync(KEY, WAITING, TARO, ResultQuery.NOBODY, null).toCompletableFuture();
	}

	private void awaitQuestion() {
		int asked = this.store.acquires.get();
		Awaitility.await().until(() -> this.store.acquires.get() > asked);
	}

	@Test
	@DisplayName("When the store fails at the release, nobody is given the result")
	void releaseFails() {
		SharedLease winner = lease(SHARED);
		CompletableFuture<Acquisition> loser = ask(WAITING, SHARED);
		this.store.broken = true;
		winner.close("the result");
		assertThat(loser).failsWithin(SOON);
		this.store.broken = false;
	}

	@Test
	@DisplayName("Who is cancelled while he asks leaves what he was granted to nobody who has a stored result")
	void askerLeaves() {
		lease(TARO).close("taro's");
		this.store.silent = true;
		CompletableFuture<Lease> plain = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<Acquisition> taro = ask(WAITING, TARO);
		plain.cancel(false);
		this.store.speak();
		assertThat(taro).succeedsWithin(SOON).matches(TestResults.gives("taro's"));
	}

	private SharedLease lease(ResultKey slot) {
		SharedLease lease = this.locks.acquire(KEY, OPTIONS, slot, since(slot)).lease();
		assertThat(lease).isNotNull();
		return lease;
	}

	private CompletableFuture<Acquisition> ask(LockOptions options, ResultKey slot) {
		return this.locks.acquireAsync(KEY, options, slot, since(slot), null).toCompletableFuture();
	}

	private static long since(ResultKey slot) {
		return slot.replayed() ? ResultQuery.ANYBODY : ResultQuery.NOBODY;
	}

}
