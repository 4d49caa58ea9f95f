package io.github.lockstarter.store.test;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store with the capability {@link Capability#NOTIFIES}, and optionally
 * {@link Capability#HANDS_OVER}.
 */
final class NotificationContract extends CapabilityContract {

	private final AtomicInteger woken = new AtomicInteger();

	private NotificationContract(LockStore store, LockStore other) {
		super(store, other);
	}

	static Stream<DynamicTest> tests(LockStore store, LockStore other) {
		Tests<NotificationContract> tests = new Tests<>(() -> new NotificationContract(store, other));
		tests.add("A waiter is notified of a release, and then granted the lock", NotificationContract::notifies);
		tests.add("No release is missed between the rejection and the first notification",
				NotificationContract::missesNothing);
		tests.add("A closed handle is not notified until its next acquisition", NotificationContract::closes);
		if (store.capabilities().contains(Capability.HOLDS_FOR_TOKENS)) {
			tests.add("When the holder acquires the lock again, its waiters keep waiting",
					NotificationContract::asksAgain);
		}
		if (store.capabilities().contains(Capability.HANDS_OVER)) {
			addTurns(tests);
		}
		return tests.stream();
	}

	private static void addTurns(Tests<NotificationContract> tests) {
		tests.add(
				"At the end of a turn, where no other instance waits, the lock is granted at once, with a larger token",
				NotificationContract::endsTurnAlone);
		tests.add(
				"At the end of a turn, if another instance waits, the lock is released, and both instances are notified",
				NotificationContract::endsTurnForOthers);
		tests.add("The end of a turn whose lease was lost has no effect", NotificationContract::endsLostTurn);
	}

	private void notifies() {
		acquire("a");
		try (StoredLock waiter = this.other.lock(this.key)) {
			assertThat(join(waiter.acquire(waiting("b")))).isInstanceOf(Held.class);
			awaitSubscription(this.other);
			int before = this.woken.get();
			assertThat(release("a")).isTrue();
			Awaitility.await().until(() -> this.woken.get() > before);
			assertThat(join(waiter.acquire(waiting("b")))).isInstanceOf(Granted.class);
			join(waiter.release("b", null));
		}
	}

	private void missesNothing() {
		try (StoredLock waiter = this.other.lock(this.key); StoredLock holder = this.store.lock(this.key)) {
			for (int i = 0; i < 100; i++) {
				acquire("a");
				int before = this.woken.get();
				CompletionStage<Boolean> early = (i % 2 == 0) ? holder.release("a", null) : null;
				CompletionStage<AcquireResult> rejected = waiter.acquire(waiting("b"));
				CompletionStage<Boolean> release = (early != null) ? early : holder.release("a", null);
				if (join(rejected) instanceof Held) {
					Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> this.woken.get() > before);
					assertThat(join(release)).isTrue();
					assertThat(join(waiter.acquire(waiting("b")))).isInstanceOf(Granted.class);
				}
				join(waiter.release("b", null));
			}
		}
	}

	private void asksAgain() {
		acquire(AcquireCommand.of("a", LONG).forSharedToken());
		try (StoredLock waiter = this.other.lock(this.key)) {
			assertThat(join(waiter.acquire(waiting("b")))).isInstanceOf(Held.class);
			awaitSubscription(this.other);
			acquire(AcquireCommand.of("a", LONG).forSharedToken());
			int before = this.woken.get();
			assertThat(release("a")).isTrue();
			Awaitility.await().until(() -> this.woken.get() > before);
		}
	}

	private void closes() {
		acquire("a");
		StoredLock waiter = this.other.lock(this.key);
		assertThat(join(waiter.acquire(waiting("b")))).isInstanceOf(Held.class);
		awaitSubscription(this.other);
		waiter.close();
		int before = this.woken.get();
		release("a");
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> this.woken.get() == before);
		acquire("a");
		assertThat(join(waiter.acquire(waiting("b")))).isInstanceOf(Held.class);
		release("a");
		Awaitility.await().until(() -> this.woken.get() > before);
		waiter.close();
	}

	private void endsTurnAlone() {
		long token = grant("a");
		try (StoredLock lock = this.store.lock(this.key)) {
			long next = fencingToken(join(lock.acquire(waiting("b").after("a"))));
			assertThat(next).isGreaterThan(token);
			assertThat(release("a")).isFalse();
			assertThat(release("b")).isTrue();
		}
	}

	private void endsTurnForOthers() {
		AtomicInteger otherWoken = new AtomicInteger();
		acquire("a");
		try (StoredLock lock = this.store.lock(this.key); StoredLock elsewhere = this.other.lock(this.key)) {
			AcquireCommand waiter = AcquireCommand.of("x", LONG).notifying(otherWoken::incrementAndGet);
			assertThat(join(elsewhere.acquire(waiter))).isInstanceOf(Held.class);
			awaitSubscription(this.other);
			int before = otherWoken.get();
			assertThat(join(lock.acquire(waiting("b").after("a")))).isInstanceOf(Held.class);
			Awaitility.await().until(() -> otherWoken.get() > before);
			assertThat(join(elsewhere.acquire(waiter))).isInstanceOf(Granted.class);
			awaitSubscription(this.store);
			int woken = this.woken.get();
			assertThat(join(elsewhere.release("x", null))).isTrue();
			Awaitility.await().until(() -> this.woken.get() > woken);
			assertThat(join(lock.acquire(waiting("b")))).isInstanceOf(Granted.class);
			release("b");
		}
	}

	private void endsLostTurn() {
		acquire("next");
		try (StoredLock lock = this.store.lock(this.key)) {
			assertThat(join(lock.acquire(waiting("b").after("late")))).isInstanceOf(PredecessorLost.class);
			assertThat(acquire("c")).isInstanceOf(Held.class);
			assertThat(release("next")).isTrue();
			assertThat(join(lock.acquire(waiting("b").after("late")))).isInstanceOf(PredecessorLost.class);
			assertThat(acquire("c")).isInstanceOf(Granted.class);
			release("c");
		}
	}

	private AcquireCommand waiting(String owner) {
		return AcquireCommand.of(owner, LONG).notifying(this.woken::incrementAndGet);
	}

	/**
	 * A store may subscribe for its first waiter, and then notify all waiters in any
	 * order. The second notification of a waiter follows that.
	 */
	private void awaitSubscription(LockStore store) {
		LockKey probe = new LockKey("contract", this.key.key() + " probe");
		for (int i = 0; i < 2; i++) {
			AtomicInteger woken = new AtomicInteger();
			join(store.lock(probe).acquire(AcquireCommand.of("holder", LONG)));
			try (StoredLock waiter = store.lock(probe)) {
				AcquireCommand command = AcquireCommand.of("waiter", LONG).notifying(woken::incrementAndGet);
				assertThat(join(waiter.acquire(command))).isInstanceOf(Held.class);
				join(waiter.release("holder", null));
				Awaitility.await().until(() -> woken.get() > 0);
			}
		}
	}

}
