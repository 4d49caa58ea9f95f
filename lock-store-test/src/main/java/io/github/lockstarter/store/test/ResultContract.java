package io.github.lockstarter.store.test;

import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.StoredResults;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store with the capability {@link Capability#KEEPS_RESULTS}.
 */
final class ResultContract extends CapabilityContract {

	private static final ResultKey REPLAYED = new ResultKey("replay", LONG, true);

	private static final ResultKey SHARED = new ResultKey("share", LONG, false);

	private static final ResultQuery NOTHING = TestResults.query(REPLAYED, Duration.ZERO);

	private ResultContract(LockStore store, LockStore other) {
		super(store, other);
	}

	static Stream<DynamicTest> tests(LockStore store, LockStore other) {
		Tests<ResultContract> tests = new Tests<>(() -> new ResultContract(store, other));
		tests.add("A result that a holder stores is found by all queries, and its lock is free", ResultContract::finds);
		tests.add("A caller that does not hold the lock can neither store a result nor release the lock",
				ResultContract::onlyTheOwnerStores);
		tests.add("A result is found by its own name and lock only", ResultContract::namesAreApart);
		tests.add("A result that is too old for the caller is ignored, and the caller gets the lock",
				ResultContract::tooOld);
		tests.add("A caller that met a holder gets that holder's result at any age, and no earlier result",
				ResultContract::ofTheHolderMet);
		tests.add(
				"A caller that met no holder and accepts no old result gets none, but gets the holder's fencing token",
				ResultContract::meetsHolder);
		tests.add("A later result replaces an earlier one", ResultContract::replaces);
		tests.add("A result expires after its keep time", ResultContract::isKeptForAWhile);
		tests.add(
				"An owner that asks again, as a driver does after a reconnect, is granted the lock in spite of a result",
				ResultContract::asksAgain);
		if (!store.capabilities().contains(Capability.LOCAL)) {
			tests.add("A waiter of another instance gets a result that is for waiters only",
					ResultContract::sharesWithWaiters);
		}
		if (store.maxResultSize() < Integer.MAX_VALUE) {
			tests.add("A result of the store's declared maximum size is stored", ResultContract::largest);
		}
		if (store.results().isPresent()) {
			Stream
				.of("listed", "listed*", "l?sted", "[listed]", "^a-z\\", "with space", "%", "_", "日本語", "a".repeat(200),
						"{a}", "listed'; --")
				.forEach((name) -> tests.add("Results are counted and removed by the name of their locks: " + name,
						(contract) -> contract.listed(name)));
			tests.add("An expired result is not counted", ResultContract::outOfDate);
			tests.add("Many results are counted and removed", ResultContract::many);
		}
		Stream.of("", " ", "{}", "a\r\nDEL x\r\n", "\0", "\uD83D\uDD12", "%s%n", "lock:{a}")
			.forEach((text) -> tests.add("Any text can be a result, and the name of a result: " + text.strip(),
					(contract) -> contract.anyText(text)));
		return tests.stream();
	}

	private void finds() {
		assertThat(ask("a", REPLAYED, LONG)).isInstanceOf(Granted.class);
		assertThat(ask("b", REPLAYED, LONG)).isInstanceOf(Held.class);
		assertThat(release("a", REPLAYED, "the result")).isTrue();
		assertThat(ask("b", REPLAYED, LONG)).isInstanceOfSatisfying(Found.class, (found) -> {
			assertThat(found.result().text()).isEqualTo("the result");
			assertThat(found.age()).isBetween(Duration.ZERO, LONG);
		});
		assertThat(acquire("b")).isInstanceOf(Granted.class);
		assertThat(ask("c", REPLAYED, LONG)).as("while the lock is held").isInstanceOf(Found.class);
		release("b");
	}

	private void onlyTheOwnerStores() {
		ask("a", REPLAYED, LONG);
		assertThat(release("b", REPLAYED, "of another owner")).isFalse();
		assertThat(ask("b", REPLAYED, LONG)).isInstanceOf(Held.class);
		assertThat(release("a")).isTrue();
		assertThat(release("a", REPLAYED, "too late")).isFalse();
		assertThat(ask("b", REPLAYED, LONG)).isInstanceOf(Granted.class);
		release("b");
	}

	private void namesAreApart() {
		ask("a", REPLAYED, LONG);
		release("a", REPLAYED, "the result");
		for (String other : new String[] { "replay ", "Replay", "", "replay:", "r" }) {
			assertThat(ask("b", new ResultKey(other, LONG, true), LONG)).isInstanceOf(Granted.class);
			release("b");
		}
		StoredLock otherLock = this.store.lock(new LockKey("contract", this.key.key() + "2"));
		AcquireCommand command = AcquireCommand.of("b", LONG).orResult(TestResults.query(REPLAYED, LONG));
		assertThat(join(otherLock.acquire(command))).isInstanceOf(Granted.class);
		join(otherLock.release("b", null));
	}

	private void tooOld() {
		ask("a", REPLAYED, LONG);
		release("a", REPLAYED, "the result");
		Awaitility.await()
			.untilAsserted(() -> assertThat(ask("b", REPLAYED, LONG)).isInstanceOfSatisfying(Found.class,
					(found) -> assertThat(found.age()).isGreaterThan(Duration.ofMillis(5))));
		assertThat(ask("b", REPLAYED, Duration.ofMillis(5))).isInstanceOf(Granted.class);
		release("b");
	}

	private void ofTheHolderMet() {
		long first = grantOrResult("a");
		assertThat(release("a", new StoredResult(REPLAYED, "first", first))).isTrue();
		long second = grantOrResult("b");
		ResultQuery query = new ResultQuery(REPLAYED, second, Duration.ZERO);
		assertThat(ask("c", query)).isInstanceOfSatisfying(Held.class,
				(held) -> assertThat(held.fencingToken()).isEqualTo(second));
		assertThat(release("b", new StoredResult(REPLAYED, "second", second))).isTrue();
		assertThat(ask("c", query)).isInstanceOfSatisfying(Found.class, (found) -> {
			assertThat(found.result().text()).isEqualTo("second");
			assertThat(found.result().fencingToken()).isGreaterThanOrEqualTo(second);
		});
		assertThat(ask("c", new ResultQuery(REPLAYED, second + 1, Duration.ZERO))).isInstanceOf(Granted.class);
		release("c");
	}

	private void meetsHolder() {
		long first = grantOrResult("a");
		assertThat(release("a", REPLAYED, "first")).isTrue();
		assertThat(grantOrResult("b")).isGreaterThan(first);
		assertThat(ask("c", NOTHING)).isInstanceOfSatisfying(Held.class,
				(held) -> assertThat(held.fencingToken()).isGreaterThan(first));
		release("b");
	}

	private void replaces() {
		ask("a", REPLAYED, LONG);
		release("a", REPLAYED, "first");
		acquire("b");
		release("b", REPLAYED, "second");
		assertThat(ask("c", REPLAYED, LONG)).isInstanceOfSatisfying(Found.class,
				(found) -> assertThat(found.result().text()).isEqualTo("second"));
	}

	private void isKeptForAWhile() {
		ResultKey brief = new ResultKey("brief", Duration.ofMillis(50), true);
		ask("a", brief, LONG);
		release("a", brief, "the result");
		Awaitility.await().until(() -> ask("b", brief, LONG), Granted.class::isInstance);
		release("b");
	}

	private void asksAgain() {
		ask("a", REPLAYED, LONG);
		release("a", REPLAYED, "result");
		acquire("b");
		assertThat(ask("b", REPLAYED, LONG)).isInstanceOf(Granted.class);
		assertThat(release("b")).isTrue();
	}

	private void sharesWithWaiters() {
		boolean notifies = this.store.capabilities().contains(Capability.NOTIFIES);
		long token = fencingToken(ask("a", SHARED, Duration.ZERO));
		AcquireCommand waiter = AcquireCommand.of("b", LONG).notifying(notifies ? () -> {
		} : null);
		try (StoredLock elsewhere = this.other.lock(this.key)) {
			ResultQuery first = TestResults.query(SHARED, Duration.ZERO);
			long met = held(join(elsewhere.acquire(waiter.orResult(first)))).fencingToken();
			assertThat(release("a", new StoredResult(SHARED, "the result", token))).isTrue();
			ResultQuery next = new ResultQuery(SHARED, met, Duration.ZERO);
			assertThat(join(elsewhere.acquire(waiter.orResult(next)))).isInstanceOfSatisfying(Found.class,
					(found) -> assertThat(found.result().text()).isEqualTo("the result"));
		}
	}

	private void largest() {
		String text = "x".repeat((int) this.store.maxResultSize());
		acquire("a");
		assertThat(release("a", REPLAYED, text)).isTrue();
		assertThat(ask("b", REPLAYED, LONG)).isInstanceOfSatisfying(Found.class,
				(found) -> assertThat(found.result().text().equals(text)).isTrue());
	}

	private void listed(String name) {
		StoredResults results = this.store.results().orElseThrow();
		String unique = name + UUID.randomUUID().toString().substring(0, 8);
		for (String key : new String[] { "", "a", "b:c", "k".repeat(600), "\u0000" }) {
			store(new LockKey(unique, key), REPLAYED);
		}
		store(new LockKey(unique, "a"), new ResultKey("replay another principal", LONG, true));
		store(new LockKey(unique + "x", unique), REPLAYED);
		store(new LockKey("x" + unique, "a"), REPLAYED);
		assertThat(join(results.count(unique))).isEqualTo(6);
		assertThat(join(results.remove(unique))).isEqualTo(6);
		assertThat(join(results.count(unique))).isZero();
		assertThat(join(results.remove(unique))).isZero();
		assertThat(join(this.store.lock(new LockKey(unique, "a"))
			.acquire(AcquireCommand.of("b", LONG).orResult(TestResults.query(REPLAYED, LONG)))))
			.isInstanceOf(Granted.class);
		assertThat(join(results.count(unique + "x"))).isOne();
		assertThat(join(results.count("x" + unique))).isOne();
	}

	private void outOfDate() {
		StoredResults results = this.store.results().orElseThrow();
		String name = "short" + UUID.randomUUID().toString().substring(0, 8);
		store(new LockKey(name, "a"), new ResultKey("replay", SHORT, true));
		store(new LockKey(name, "b"), REPLAYED);
		Awaitility.await().until(() -> join(results.count(name)) == 1);
		assertThat(join(results.remove(name))).isOne();
	}

	private void many() {
		StoredResults results = this.store.results().orElseThrow();
		String name = "many" + UUID.randomUUID().toString().substring(0, 8);
		// A slow machine needs longer than LONG to store them.
		ResultKey replayed = new ResultKey("replay", Duration.ofHours(1), true);
		for (int i = 0; i < 1100; i++) {
			store(new LockKey(name, "key " + i), replayed);
		}
		assertThat(join(results.count(name))).isEqualTo(1100);
		assertThat(join(results.remove(name))).isEqualTo(1100);
		assertThat(join(results.count(name))).isZero();
	}

	private void store(LockKey lock, ResultKey result) {
		StoredLock stored = this.store.lock(lock);
		long token = fencingToken(join(stored.acquire(AcquireCommand.of("a", LONG))));
		assertThat(join(stored.release("a", new StoredResult(result, "the result", token)))).isTrue();
	}

	private void anyText(String text) {
		ResultKey result = new ResultKey(text, LONG, true);
		ask("a", result, LONG);
		assertThat(release("a", result, text)).isTrue();
		assertThat(ask("b", result, LONG)).isInstanceOfSatisfying(Found.class,
				(found) -> assertThat(found.result().text()).isEqualTo(text));
	}

	private AcquireResult ask(String owner, ResultKey result, Duration maxAge) {
		return ask(owner, TestResults.query(result, maxAge));
	}

	private AcquireResult ask(String owner, ResultQuery query) {
		return acquire(AcquireCommand.of(owner, LONG).orResult(query));
	}

	private long grantOrResult(String owner) {
		return fencingToken(ask(owner, NOTHING));
	}

	private boolean release(String owner, ResultKey result, String text) {
		return release(owner, TestResults.stored(result, text));
	}

}
