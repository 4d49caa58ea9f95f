package io.github.lockstarter.store;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.testing.TestResults;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every {@link ResultStore} promises. To run it against a store, extend it and
 * return the store, connected to a real server.
 */
public abstract class ResultStoreContract {

	protected static final Duration LONG = Duration.ofSeconds(30);

	private static final ResultSlot SLOT = new ResultSlot("replay", LONG, true);

	private static final WantedResults NOTHING = TestResults.wanted(SLOT, Duration.ZERO);

	protected final LockKey key = new LockKey("results", UUID.randomUUID().toString());

	protected abstract LockStore store();

	@Test
	@DisplayName("What a holder leaves is found by all who look for it, and its lock is free")
	void leavesResult() {
		assertThat(ask("a", SLOT, LONG)).isInstanceOf(Granted.class);
		assertThat(ask("b", SLOT, LONG)).isInstanceOf(Busy.class);
		assertThat(release("a", SLOT, "the result")).isTrue();
		assertThat(ask("b", SLOT, LONG)).isInstanceOfSatisfying(Found.class, (found) -> {
			assertThat(found.result().text()).isEqualTo("the result");
			assertThat(found.age()).isBetween(Duration.ZERO, LONG);
		});
		assertThat(join(store().acquire(this.key, "b", LONG))).isInstanceOf(Granted.class);
		assertThat(ask("c", SLOT, LONG)).as("whoever holds the lock").isInstanceOf(Found.class);
		join(store().release(this.key, "b"));
	}

	@Test
	@DisplayName("Who does not hold the lock leaves nothing, and frees nothing")
	void onlyTheOwnerLeavesResults() {
		ask("a", SLOT, LONG);
		assertThat(release("b", SLOT, "of somebody else")).isFalse();
		assertThat(ask("b", SLOT, LONG)).isInstanceOf(Busy.class);
		assertThat(join(store().release(this.key, "a"))).isTrue();
		assertThat(release("a", SLOT, "too late")).isFalse();
		assertThat(ask("b", SLOT, LONG)).isInstanceOf(Granted.class);
		join(store().release(this.key, "b"));
	}

	@Test
	@DisplayName("A result is found in its slot and at its lock, and nowhere else")
	void slotsAreApart() {
		ask("a", SLOT, LONG);
		release("a", SLOT, "the result");
		for (String other : new String[] { "replay ", "Replay", "", "replay:", "r" }) {
			assertThat(ask("b", new ResultSlot(other, LONG, true), LONG)).isInstanceOf(Granted.class);
			join(store().release(this.key, "b"));
		}
		LockKey otherLock = new LockKey("results", this.key.key() + "2");
		assertThat(join(results().acquireOrResult(otherLock, "b", LONG, TestResults.wanted(SLOT, LONG), null)))
			.isInstanceOf(Granted.class);
		join(store().release(otherLock, "b"));
	}

	@Test
	@DisplayName("A result that is too old for the one who asks does not count, and he gets the lock")
	void tooOld() {
		ask("a", SLOT, LONG);
		release("a", SLOT, "the result");
		Awaitility.await()
			.untilAsserted(() -> assertThat(ask("b", SLOT, LONG)).isInstanceOfSatisfying(Found.class,
					(found) -> assertThat(found.age()).isGreaterThan(Duration.ofMillis(5))));
		assertThat(ask("b", SLOT, Duration.ofMillis(5))).isInstanceOf(Granted.class);
		join(store().release(this.key, "b"));
	}

	@Test
	@DisplayName("Who met a holder is given its result however old that is by then, and not that of one before")
	void ofTheHolderMet() {
		long first = grant("a");
		assertThat(join(results().release(this.key, "a", new LeftResult(SLOT, "first", first), false))).isTrue();
		long second = grant("b");
		WantedResults wanted = new WantedResults(SLOT, second, Duration.ZERO);
		assertThat(ask("c", wanted)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.fencingToken()).isEqualTo(second));
		LeftResult left = new LeftResult(SLOT, "second", second);
		assertThat(join(results().release(this.key, "b", left, false))).isTrue();
		assertThat(ask("c", wanted)).isInstanceOfSatisfying(Found.class, (found) -> {
			assertThat(found.result().text()).isEqualTo("second");
			assertThat(found.result().fencingToken()).isGreaterThanOrEqualTo(second);
		});
		assertThat(ask("c", new WantedResults(SLOT, second + 1, Duration.ZERO))).isInstanceOf(Granted.class);
		join(store().release(this.key, "c"));
	}

	@Test
	@DisplayName("Who has met no holder, and wants no old result, is given none, but is told whom he meets")
	void meetsAHolder() {
		long first = grant("a");
		assertThat(release("a", SLOT, "first")).isTrue();
		assertThat(grant("b")).isGreaterThan(first);
		assertThat(ask("c", NOTHING)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.fencingToken()).isGreaterThan(first));
		join(store().release(this.key, "b"));
	}

	@Test
	@DisplayName("A later result takes the place of an earlier one")
	void replaces() {
		ask("a", SLOT, LONG);
		release("a", SLOT, "first");
		join(store().acquire(this.key, "b", LONG));
		release("b", SLOT, "second");
		assertThat(ask("c", SLOT, LONG)).isInstanceOfSatisfying(Found.class,
				(found) -> assertThat(found.result().text()).isEqualTo("second"));
	}

	@Test
	@DisplayName("A result is gone when it has been kept for as long as it is to be kept")
	void isKeptForAWhile() {
		ResultSlot brief = new ResultSlot("brief", Duration.ofMillis(50), true);
		ask("a", brief, LONG);
		release("a", brief, "the result");
		Awaitility.await().until(() -> ask("b", brief, LONG), Granted.class::isInstance);
		join(store().release(this.key, "b"));
	}

	@ParameterizedTest(name = "{index}")
	@ValueSource(strings = { "", " ", "{}", "a\r\nDEL x\r\n", "\0", "\uD83D\uDD12", "%s%n", "lock:{a}" })
	@DisplayName("Any text is a result, and the name of a slot")
	void anyText(String text) {
		ResultSlot slot = new ResultSlot(text, LONG, true);
		ask("a", slot, LONG);
		assertThat(release("a", slot, text)).isTrue();
		assertThat(ask("b", slot, LONG)).isInstanceOfSatisfying(Found.class,
				(found) -> assertThat(found.result().text()).isEqualTo(text));
	}

	@Test
	@DisplayName("An owner that asks again, as a driver does after a reconnect, is granted the lock in spite of a result")
	void asksAgain() {
		ask("a", SLOT, LONG);
		release("a", SLOT, "result");
		join(store().acquire(this.key, "b", LONG));
		assertThat(ask("b", SLOT, LONG)).isInstanceOf(Granted.class);
		assertThat(join(store().release(this.key, "b"))).isTrue();
	}

	protected final ResultStore results() {
		return (ResultStore) store();
	}

	protected final AcquireResult ask(String owner, ResultSlot slot, Duration maxAge) {
		return ask(owner, TestResults.wanted(slot, maxAge));
	}

	private AcquireResult ask(String owner, WantedResults wanted) {
		return join(results().acquireOrResult(this.key, owner, LONG, wanted, null));
	}

	private long grant(String owner) {
		return ((Granted) ask(owner, NOTHING)).fencingToken();
	}

	protected final boolean release(String owner, ResultSlot slot, String result) {
		return join(results().release(this.key, owner, TestResults.left(slot, result), false));
	}

	protected static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
