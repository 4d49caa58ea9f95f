package io.github.lockstarter.store.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ReactiveTransactionalStoredLock;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.TransactionalStoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of every {@link LockStore} and of its declared capabilities. To run it
 * against a store, extend this class and return the store, connected to a real server,
 * from {@link #store()}; a store of another instance of the application from
 * {@link #otherInstance()}; and the number of held locks from {@link #locksInStore()}.
 */
public abstract class LockStoreContract {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofMillis(60);

	private final LockKey key = new LockKey("contract", UUID.randomUUID().toString());

	/** Returns the store, always the same during a test. */
	protected abstract LockStore store();

	/**
	 * Returns a second store on the same server, like that of another instance of the
	 * application.
	 */
	protected abstract LockStore otherInstance();

	/** Returns the number of locks of the contract that are held in the store. */
	protected abstract long locksInStore();

	@Test
	@DisplayName("A free lock is granted, and is held until its owner releases it")
	void grantsAndRejects() {
		assertThat(acquire(this.key, "a", LONG)).isInstanceOf(Granted.class);
		assertThat(acquire(this.key, "b", LONG)).isInstanceOf(Held.class);
		assertThat(release(this.key, "a")).isTrue();
		assertThat(acquire(this.key, "b", LONG)).isInstanceOf(Granted.class);
		assertThat(release(this.key, "b")).isTrue();
	}

	@Test
	@DisplayName("A rejection contains the remaining time of the holder's lease")
	void tellsRemainingTime() {
		acquire(this.key, "a", LONG);
		assertThat(held(acquire(this.key, "b", LONG)).remaining()).isBetween(LONG.minusSeconds(10), LONG);
		release(this.key, "a");
	}

	@Test
	@DisplayName("A lock that is not released is free after its time to live")
	void expires() {
		Duration ttl = Duration.ofSeconds(2);
		acquire(this.key, "a", ttl);
		assertThat(held(acquire(this.key, "b", LONG)).remaining()).isLessThanOrEqualTo(ttl.plusSeconds(1));
		acquireWhenFree("b");
		release(this.key, "b");
	}

	@Test
	@DisplayName("Only the owner can release a lock")
	void releaseChecksOwner() {
		acquire(this.key, "a", LONG);
		assertThat(release(this.key, "b")).isFalse();
		assertThat(acquire(this.key, "b", LONG)).isInstanceOf(Held.class);
		assertThat(release(this.key, "a")).isTrue();
		assertThat(release(this.key, "a")).isFalse();
	}

	@Test
	@DisplayName("A release concurrent with renewals succeeds")
	void releasesBesideRenewals() throws Exception {
		int rounds = declares(Capability.LOCAL) ? 20_000 : 50;
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture<Void> renewals = CompletableFuture.runAsync(() -> {
			while (!over.get()) {
				repeated(() -> renew(this.key, "a", LONG));
			}
		});
		try {
			for (int i = 0; i < rounds; i++) {
				if (acquire(this.key, "a", LONG) instanceof Held) {
					acquireWhenFree("a");
				}
				assertThat(repeated(() -> release(this.key, "a"))).isTrue();
			}
		}
		finally {
			over.set(true);
		}
		renewals.get(1, TimeUnit.MINUTES);
		assertThat(renew(this.key, "a", LONG)).isFalse();
	}

	@Test
	@DisplayName("Only the owner can renew a lock")
	void renewalChecksOwner() {
		acquire(this.key, "a", LONG);
		assertThat(renew(this.key, "b", Duration.ofHours(1))).isFalse();
		assertThat(held(acquire(this.key, "b", LONG)).remaining()).isLessThanOrEqualTo(LONG);
		assertThat(renew(this.key, "a", Duration.ofHours(1))).isTrue();
		assertThat(held(acquire(this.key, "b", LONG)).remaining()).isGreaterThan(LONG);
		release(this.key, "a");
		assertThat(renew(this.key, "a", LONG)).isFalse();
	}

	@Test
	@DisplayName("A renewal never shortens the time to live")
	void renewalNeverShortens() {
		acquire(this.key, "a", LONG);
		assertThat(renew(this.key, "a", SHORT)).isTrue();
		assertThat(held(acquire(this.key, "b", LONG)).remaining()).isGreaterThan(LONG.minusSeconds(10));
		assertThat(store().renewAll(List.of(new Renewal(store().lock(this.key), "a", SHORT))))
			.allMatch(LockStoreContract::join);
		assertThat(held(acquire(this.key, "b", LONG)).remaining()).isGreaterThan(LONG.minusSeconds(10));
		release(this.key, "a");
	}

	@Test
	@DisplayName("Several locks are renewed in one call, each independently")
	void renewsMany() {
		List<LockKey> keys = IntStream.range(0, 1200).mapToObj((i) -> new LockKey("many", this.key.key() + i)).toList();
		List<StoredLock> locks = keys.stream().map((each) -> store().lock(each)).toList();
		locks.stream()
			.map((each) -> each.acquire(AcquireCommand.of("a", LONG)))
			.toList()
			.forEach(LockStoreContract::join);
		List<Renewal> renewals = IntStream.range(0, 1200)
			.mapToObj((i) -> new Renewal(locks.get(i), (i % 3 == 0) ? "b" : "a", Duration.ofHours(1)))
			.toList();
		List<CompletionStage<Boolean>> answers = store().renewAll(renewals);
		assertThat(answers).hasSize(1200);
		for (int i = 0; i < 1200; i++) {
			boolean owned = i % 3 != 0;
			assertThat(join(answers.get(i))).isEqualTo(owned);
			if (i % 10 == 0) {
				assertThat(held(acquire(keys.get(i), "c", LONG)).remaining().compareTo(LONG) > 0).isEqualTo(owned);
			}
		}
		locks.stream().map((each) -> each.release("a", null)).toList().forEach(LockStoreContract::join);
		assertThat(store().renewAll(List.of())).isEmpty();
	}

	@Test
	@DisplayName("The store and its handles have the types that the declared capabilities need")
	void typesOfCapabilities() {
		Map.of(Capability.HOLDS_FOR_TOKENS, TokenStoredLock.class, Capability.JOINS_TRANSACTIONS,
				TransactionalStoredLock.class, Capability.JOINS_REACTIVE_TRANSACTIONS,
				ReactiveTransactionalStoredLock.class)
			.forEach((capability, type) -> {
				if (declares(capability)) {
					assertThat(store().lock(this.key)).as(capability.name()).isInstanceOf(type);
				}
			});
		assertThat(!declares(Capability.ACQUIRES_ALL) || store() instanceof GroupLockStore).isTrue();
	}

	@Test
	@DisplayName("A lock with a delayed release is granted to no owner until then, and is no longer held by its owner")
	void releasesAfterAWhile() throws Exception {
		Duration time = Duration.ofMillis(1500);
		// The default implementation renews the lease, and its owner keeps it.
		boolean ends = store().lock(this.key)
			.getClass()
			.getMethod("releaseAfter", String.class, Duration.class)
			.getDeclaringClass() != StoredLock.class;
		acquire(this.key, "a", ends ? LONG : time);
		assertThat(releaseAfter("b", time)).isFalse();
		assertThat(releaseAfter("a", time)).isTrue();
		if (ends) {
			assertThat(renew(this.key, "a", Duration.ofHours(1))).isFalse();
			assertThat(release(this.key, "a")).isFalse();
		}
		assertThat(held(acquire(this.key, "b", LONG)).remaining()).isLessThanOrEqualTo(time.plusSeconds(2));
		long from = System.nanoTime();
		Granted next = acquireWhenFree("b");
		assertThat(next.fencingToken()).isPositive();
		assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(LONG.minusSeconds(10));
		release(this.key, "b");
	}

	@Test
	@DisplayName("A lock with a delayed release is not free before the delay is over")
	void isNotFreeEarlier() {
		Duration time = Duration.ofMillis(400);
		acquire(this.key, "a", Duration.ofSeconds(2));
		long from = System.nanoTime();
		releaseAfter("a", time);
		acquireWhenFree("b");
		// Some servers have a resolution of milliseconds, and some a clock that is not
		// monotonic.
		assertThat(Duration.ofNanos(System.nanoTime() - from)).isGreaterThan(time.minusMillis(20));
		release(this.key, "b");
	}

	@Test
	@DisplayName("A former holder can neither release nor extend the next holder's lock")
	void lateHolderIsHarmless() {
		acquire(this.key, "late", SHORT);
		acquireWhenFree("next");
		assertThat(renew(this.key, "late", Duration.ofHours(1))).isFalse();
		assertThat(release(this.key, "late")).isFalse();
		assertThat(held(acquire(this.key, "third", LONG)).remaining()).isLessThanOrEqualTo(LONG);
		assertThat(release(this.key, "next")).isTrue();
	}

	@Test
	@DisplayName("With 16 threads there is one holder at a time, and fencing tokens grow")
	void excludes() throws Exception {
		AtomicInteger holders = new AtomicInteger();
		AtomicInteger violations = new AtomicInteger();
		List<Long> tokens = new ArrayList<>();
		inThreads(16, () -> {
			for (int granted = 0; granted < 25;) {
				String owner = UUID.randomUUID().toString();
				if (acquire(this.key, owner, LONG) instanceof Granted grant) {
					granted++;
					violations.addAndGet(holders.getAndIncrement());
					tokens.add(grant.fencingToken());
					holders.decrementAndGet();
					releaseAtLast(owner);
				}
			}
		});
		assertThat(violations).hasValue(0);
		assertThat(tokens).hasSize(16 * 25).isSorted().doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("Fencing tokens grow after an expiry, too")
	void tokensGrowOverExpiry() {
		long first = ((Granted) acquire(this.key, "a", SHORT)).fencingToken();
		assertThat(acquireWhenFree("b").fencingToken()).isGreaterThan(first);
		release(this.key, "b");
	}

	@Test
	@DisplayName("Similar keys are different locks")
	void keysDoNotCollide() {
		String longKey = "k".repeat(300);
		List<LockKey> keys = Stream.concat(hostileKeys(),
				Stream.of(new LockKey("n", "a:b"), new LockKey("n", "a"), new LockKey("n", "A"), new LockKey("n", "a "),
						new LockKey("n", "a\0"), new LockKey("n", "a:waiting"), new LockKey("n", "fence"),
						new LockKey("fence", "n"), new LockKey("fence", ""), new LockKey("n", longKey + "1"),
						new LockKey("n", longKey + "2"),
						new LockKey("n", new LockKey("n", longKey + "1").storeForm(200)), new LockKey("n", "?"),
						new LockKey("n", "\uD800"), new LockKey("n", "\uDBFF"), LockKey.ofDigest("n", "x"),
						new LockKey("n", "n:a"), new LockKey("n.n", "a")))
			.distinct()
			.toList();
		assertThat(keys).allSatisfy((each) -> assertThat(acquire(each, "a", LONG)).isInstanceOf(Granted.class));
		assertThat(keys).allSatisfy((each) -> assertThat(release(each, "a")).isTrue());
	}

	@ParameterizedTest(name = "{index}")
	@MethodSource("hostileKeys")
	@DisplayName("A key with special characters is a key like any other")
	void hostileKeysWork(LockKey hostile) {
		assertThat(acquire(hostile, "a", LONG)).isInstanceOf(Granted.class);
		assertThat(acquire(hostile, "b", LONG)).isInstanceOf(Held.class);
		assertThat(renew(hostile, "a", LONG)).isTrue();
		assertThat(release(hostile, "a")).isTrue();
	}

	static Stream<LockKey> hostileKeys() {
		return Stream
			.of("", " ", "*", "?", "{}", "{a}", "a}{b", "\0", "a\r\nDEL x\r\n", "%s%n", "../..", "' or 1=1 --",
					"\uD83D\uDD12", "\uD800", "é", "e\u0301", "x".repeat(1_000_000), "\u202Eabc")
			.map((key) -> new LockKey("hostile", key));
	}

	@Test
	@DisplayName("After 1,000 cycles nothing is left in the store")
	void leavesNothingBehind() {
		long before = locksInStore();
		for (int i = 0; i < 1_000; i += 20) {
			IntStream.range(i, i + 20)
				.mapToObj((each) -> store().lock(new LockKey("contract", this.key.key() + each)))
				.map((each) -> each.acquire(AcquireCommand.of("a", LONG))
					.thenCompose((granted) -> each.release("a", null)))
				.toList()
				.forEach((released) -> assertThat(join(released)).isTrue());
		}
		// Leases of earlier tests may have expired since.
		assertThat(locksInStore()).isLessThanOrEqualTo(before);
	}

	@Test
	@DisplayName("Another instance does not get a held lock, unless the store is LOCAL")
	void excludesOtherInstance() {
		acquire(this.key, "a", LONG);
		StoredLock elsewhere = otherInstance().lock(this.key);
		assertThat(join(elsewhere.acquire(AcquireCommand.of("b", LONG))) instanceof Granted)
			.isEqualTo(declares(Capability.LOCAL));
		assertThat(join(elsewhere.release("a", null))).isNotEqualTo(declares(Capability.LOCAL));
		join(elsewhere.release("b", null));
		release(this.key, "a");
	}

	@TestFactory
	@DisplayName("A store with capability NOTIFIES")
	Stream<DynamicTest> notifies() {
		return declares(Capability.NOTIFIES) ? NotificationContract.tests(store(), otherInstance()) : Stream.empty();
	}

	@TestFactory
	@DisplayName("A store with capability KEEPS_RESULTS")
	Stream<DynamicTest> keepsResults() {
		return declares(Capability.KEEPS_RESULTS) ? ResultContract.tests(store(), otherInstance()) : Stream.empty();
	}

	@TestFactory
	@DisplayName("A store with capability HOLDS_FOR_TOKENS")
	Stream<DynamicTest> holdsForTokens() {
		return declares(Capability.HOLDS_FOR_TOKENS) ? TokenContract.tests(store(), otherInstance()) : Stream.empty();
	}

	@TestFactory
	@DisplayName("A store with capability ACQUIRES_ALL")
	Stream<DynamicTest> acquiresAll() {
		return declares(Capability.ACQUIRES_ALL) ? GroupContract.tests(store(), otherInstance()) : Stream.empty();
	}

	private boolean declares(Capability capability) {
		return store().capabilities().contains(capability);
	}

	private AcquireResult acquire(LockKey key, String owner, Duration ttl) {
		return join(store().lock(key).acquire(AcquireCommand.of(owner, ttl)));
	}

	private Granted acquireWhenFree(String owner) {
		return (Granted) Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.until(() -> acquire(this.key, owner, LONG), Granted.class::isInstance);
	}

	private boolean renew(LockKey key, String owner, Duration ttl) {
		return join(store().lock(key).renew(owner, ttl));
	}

	private boolean releaseAfter(String owner, Duration time) {
		return join(store().lock(this.key).releaseAfter(owner, time));
	}

	/**
	 * Repeats a call that fails, as one does that finds the row locked for too long by
	 * another one.
	 */
	private static <T> T repeated(Supplier<T> call) {
		for (int attempts = 1;; attempts++) {
			try {
				return call.get();
			}
			catch (CompletionException ex) {
				if (attempts == 10 || !(ex.getCause() instanceof LockStoreException)) {
					throw ex;
				}
			}
		}
	}

	/** Releases a lock; a store that is slow for a moment repeats the release itself. */
	private void releaseAtLast(String owner) {
		try {
			release(this.key, owner);
		}
		catch (CompletionException ex) {
			assertThat(ex).hasCauseInstanceOf(LockStoreException.class);
			Awaitility.await()
				.ignoreExceptions()
				.until(() -> !join(store().lock(this.key).renew(owner, Duration.ofMillis(1))));
		}
	}

	private boolean release(LockKey key, String owner) {
		return join(store().lock(key).release(owner, null));
	}

	protected static Held held(AcquireResult result) {
		assertThat(result).isInstanceOf(Held.class);
		return (Held) result;
	}

	protected static <T> T join(CompletionStage<T> stage) {
		assertThat(stage).as("the answer of the store").isNotNull();
		return stage.toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join();
	}

	private static void inThreads(int threads, Runnable action) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> running = new ArrayList<>();
			IntStream.range(0, threads).forEach((i) -> running.add(executor.submit(action)));
			for (Future<?> each : running) {
				each.get(1, TimeUnit.MINUTES);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

}
