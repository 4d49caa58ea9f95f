package io.github.lockstarter.store.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.GroupLockStore.Claim;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store with the capability {@link Capability#ACQUIRES_ALL}.
 */
final class GroupContract extends CapabilityContract {

	private GroupContract(LockStore store, LockStore other) {
		super(store, other);
	}

	static Stream<DynamicTest> tests(LockStore store, LockStore other) {
		Tests<GroupContract> tests = new Tests<>(() -> new GroupContract(store, other));
		tests.add("If all locks are free, all are granted, and each is held until its owner releases it",
				GroupContract::grantsAll);
		tests.add("If one lock is held, none is granted, and the answer has the first held lock and its remaining time",
				GroupContract::grantsNone);
		tests.add("A lock whose time to live is over is free", GroupContract::expires);
		tests.add("The fencing token of each lock is larger than its earlier ones, however it was acquired",
				GroupContract::fencingTokensGrow);
		tests.add("The maximum number of locks of one command is granted, and released", GroupContract::grantsMany);
		tests.add(
				"Callers that want some of the same locks at once exclude each other, and one that is rejected has none",
				GroupContract::excludes);
		tests.add("Another instance is rejected, unless the store is LOCAL", GroupContract::excludesOtherInstance);
		return tests.stream();
	}

	private void grantsAll() {
		List<Granted> grants = granted(acquireAll(this.store, "a", LONG, 5));
		assertThat(grants).hasSize(5);
		for (int i = 0; i < 5; i++) {
			assertThat(held(acquire(i, "b")).remaining()).isBetween(LONG.minusSeconds(10), LONG.plusMillis(1));
			assertThat(release(this.store, i, "b")).isFalse();
			assertThat(join(lock(this.store, i).renew("a" + i, LONG))).isTrue();
			assertThat(release(this.store, i, "a" + i)).isTrue();
			assertThat(acquire(i, "b")).isInstanceOf(Granted.class);
			assertThat(release(this.store, i, "b")).isTrue();
		}
	}

	private void grantsNone() {
		acquire(4, "b");
		acquire(2, "b");
		FirstHeld first = (FirstHeld) acquireAll(this.store, "a", LONG, 6);
		assertThat(first.index()).isEqualTo(2);
		assertThat(first.held().remaining()).isBetween(LONG.minusSeconds(10), LONG.plusMillis(1));
		for (int i = 0; i < 6; i++) {
			assertThat(release(this.store, i, "a" + i)).isFalse();
			assertThat(acquire(i, "c") instanceof Granted).isEqualTo(i != 2 && i != 4);
			release(this.store, i, "c");
			release(this.store, i, "b");
		}
	}

	private void expires() {
		granted(acquireAll(this.store, "a", SHORT, 3));
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.until(() -> acquireAll(this.store, "b", LONG, 3), AllGranted.class::isInstance);
		assertThat(release(this.store, 0, "a0")).isFalse();
		releaseAll(this.store, "b", 3);
	}

	private void fencingTokensGrow() {
		long[] last = new long[3];
		for (int round = 0; round < 3; round++) {
			List<Granted> grants = granted(acquireAll(this.store, "a", LONG, 3));
			releaseAll(this.store, "a", 3);
			for (int i = 0; i < 3; i++) {
				assertThat(grants.get(i).fencingToken()).isGreaterThan(last[i]);
				last[i] = fencingToken(acquire(i, "b"));
				assertThat(last[i]).isGreaterThan(grants.get(i).fencingToken());
				release(this.store, i, "b");
			}
		}
	}

	private void grantsMany() {
		int count = GroupLockStore.MAX_ACQUIRED_AT_ONCE;
		assertThat(granted(acquireAll(this.store, "a", LONG, count))).hasSize(count);
		releaseAll(this.store, "a", count);
		acquire(count - 1, "b");
		assertThat(((FirstHeld) acquireAll(this.store, "a", LONG, count)).index()).isEqualTo(count - 1);
		release(this.store, count - 1, "b");
		assertThat(granted(acquireAll(this.store, "a", LONG, count))).hasSize(count);
		releaseAll(this.store, "a", count);
	}

	private void excludes() {
		AtomicIntegerArray holders = new AtomicIntegerArray(5);
		AtomicInteger violations = new AtomicInteger();
		AtomicInteger rounds = new AtomicInteger();
		List<CompletableFuture<Void>> threads = IntStream.range(0, 6)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> {
				for (int round = 0; round < 100; round++) {
					int from = (thread + round) % 4;
					List<Integer> places = (thread % 3 == 0) ? List.of(from) : List.of(from, from + 1);
					String owner = UUID.randomUUID().toString();
					if (isGranted(places, owner)) {
						rounds.incrementAndGet();
						places.forEach((place) -> violations.addAndGet(holders.getAndIncrement(place)));
						places.forEach(holders::decrementAndGet);
						places.forEach((place) -> release(this.store, place, owner + place));
					}
					else if (places.stream().anyMatch((place) -> release(this.store, place, owner + place))) {
						violations.incrementAndGet();
					}
				}
			}))
			.toList();
		threads.forEach(CompletableFuture::join);
		assertThat(violations).hasValue(0);
		assertThat(rounds).hasPositiveValue();
		assertThat(granted(acquireAll(this.store, "last", LONG, 5))).hasSize(5);
		releaseAll(this.store, "last", 5);
	}

	private boolean isGranted(List<Integer> places, String owner) {
		if (places.size() == 1) {
			return join(lock(this.store, places.get(0))
				.acquire(AcquireCommand.of(owner + places.get(0), LONG))) instanceof Granted;
		}
		return acquireAll(this.store,
				places.stream()
					.map((place) -> new Claim(lock(this.store, place), owner + place, LONG))
					.toList()) instanceof AllGranted;
	}

	private void excludesOtherInstance() {
		boolean local = this.store.capabilities().contains(Capability.LOCAL);
		granted(acquireAll(this.store, "a", LONG, 3));
		assertThat(acquireAll(this.other, "b", LONG, 3) instanceof AllGranted).isEqualTo(local);
		releaseAll(this.store, "a", 3);
		if (!local) {
			granted(acquireAll(this.other, "b", LONG, 3));
		}
		releaseAll(this.other, "b", 3);
	}

	private AcquireAllResult acquireAll(LockStore store, String owner, Duration ttl, int count) {
		return acquireAll(store,
				IntStream.range(0, count)
					.mapToObj((place) -> new Claim(lock(store, place), owner + place, ttl))
					.toList());
	}

	private static AcquireAllResult acquireAll(LockStore store, List<Claim> claims) {
		return join(Capability.ACQUIRES_ALL.as(GroupLockStore.class, store).acquireAll(claims));
	}

	private void releaseAll(LockStore store, String owner, int count) {
		List<CompletionStage<Boolean>> released = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			released.add(lock(store, i).release(owner + i, null));
		}
		assertThat(released).allSatisfy((each) -> assertThat(join(each)).isTrue());
	}

	private static List<Granted> granted(AcquireAllResult result) {
		assertThat(result).isInstanceOf(AllGranted.class);
		return ((AllGranted) result).grants();
	}

	private AcquireResult acquire(int place, String owner) {
		return join(lock(this.store, place).acquire(AcquireCommand.of(owner, LONG)));
	}

	private boolean release(LockStore store, int place, String owner) {
		return join(lock(store, place).release(owner, null));
	}

	private StoredLock lock(LockStore store, int place) {
		return store.lock(new LockKey("contract", this.key.key() + "-" + place));
	}

}
