package io.github.lockstarter.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore.Renewal;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every {@link LockStore} promises. To run it against a store, extend it and return
 * the store, connected to a real server, from {@link #store()}, and the number of locks
 * that the server holds from {@link #locksInStore()}.
 */
public abstract class LockStoreContract {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofMillis(60);

	private final LockKey key = new LockKey("contract", UUID.randomUUID().toString());

	protected abstract LockStore store();

	protected abstract long locksInStore();

	@Test
	@DisplayName("A free lock is granted; then it is busy until its owner releases it")
	void grantsAndRefuses() {
		assertThat(acquire(this.key, "a", LONG)).isInstanceOf(Granted.class);
		assertThat(acquire(this.key, "b", LONG)).isInstanceOf(Busy.class);
		assertThat(release(this.key, "a")).isTrue();
		assertThat(acquire(this.key, "b", LONG)).isInstanceOf(Granted.class);
		assertThat(release(this.key, "b")).isTrue();
	}

	@Test
	@DisplayName("A refusal tells how long the holder's lease lasts")
	void tellsRemainingTime() {
		acquire(this.key, "a", LONG);
		assertThat(busy(acquire(this.key, "b", LONG)).remaining()).isBetween(LONG.minusSeconds(10), LONG);
		release(this.key, "a");
	}

	@Test
	@DisplayName("A lock that nobody releases is free when its time to live has run out")
	void expires() {
		Duration ttl = Duration.ofSeconds(2);
		acquire(this.key, "a", ttl);
		assertThat(busy(acquire(this.key, "b", LONG)).remaining()).isLessThanOrEqualTo(ttl.plusSeconds(1));
		acquireWhenFree("b");
		release(this.key, "b");
	}

	@Test
	@DisplayName("Only the owner can release")
	void releaseChecksOwner() {
		acquire(this.key, "a", LONG);
		assertThat(release(this.key, "b")).isFalse();
		assertThat(acquire(this.key, "b", LONG)).isInstanceOf(Busy.class);
		assertThat(release(this.key, "a")).isTrue();
		assertThat(release(this.key, "a")).isFalse();
	}

	@Test
	@DisplayName("Only the owner can renew")
	void renewalChecksOwner() {
		acquire(this.key, "a", LONG);
		assertThat(renew(this.key, "b", Duration.ofHours(1))).isFalse();
		assertThat(busy(acquire(this.key, "b", LONG)).remaining()).isLessThanOrEqualTo(LONG);
		assertThat(renew(this.key, "a", Duration.ofHours(1))).isTrue();
		assertThat(busy(acquire(this.key, "b", LONG)).remaining()).isGreaterThan(LONG);
		release(this.key, "a");
		assertThat(renew(this.key, "a", LONG)).isFalse();
	}

	@Test
	@DisplayName("A renewal never shortens")
	void renewalNeverShortens() {
		acquire(this.key, "a", LONG);
		assertThat(renew(this.key, "a", SHORT)).isTrue();
		assertThat(busy(acquire(this.key, "b", LONG)).remaining()).isGreaterThan(LONG.minusSeconds(10));
		assertThat(store().renewAll(List.of(new Renewal(this.key, "a", SHORT)))).allMatch(LockStoreContract::join);
		assertThat(busy(acquire(this.key, "b", LONG)).remaining()).isGreaterThan(LONG.minusSeconds(10));
		release(this.key, "a");
	}

	@Test
	@DisplayName("Many are renewed at once, each for itself")
	void renewsMany() {
		List<LockKey> keys = IntStream.range(0, 1200).mapToObj((i) -> new LockKey("many", this.key.key() + i)).toList();
		keys.stream().map((each) -> store().acquire(each, "a", LONG)).toList().forEach(LockStoreContract::join);
		List<Renewal> renewals = IntStream.range(0, 1200)
			.mapToObj((i) -> new Renewal(keys.get(i), (i % 3 == 0) ? "b" : "a", Duration.ofHours(1)))
			.toList();
		List<CompletionStage<Boolean>> answers = store().renewAll(renewals);
		assertThat(answers).hasSize(1200);
		for (int i = 0; i < 1200; i++) {
			boolean owned = i % 3 != 0;
			assertThat(join(answers.get(i))).isEqualTo(owned);
			if (i % 10 == 0) {
				assertThat(busy(acquire(keys.get(i), "c", LONG)).remaining().compareTo(LONG) > 0).isEqualTo(owned);
			}
		}
		keys.stream().map((each) -> store().release(each, "a")).toList().forEach(LockStoreContract::join);
		assertThat(store().renewAll(List.of())).isEmpty();
	}

	@Test
	@DisplayName("A late holder can neither free nor extend the next one's lock")
	void lateHolderIsHarmless() {
		acquire(this.key, "late", SHORT);
		acquireWhenFree("next");
		assertThat(renew(this.key, "late", Duration.ofHours(1))).isFalse();
		assertThat(release(this.key, "late")).isFalse();
		assertThat(busy(acquire(this.key, "third", LONG)).remaining()).isLessThanOrEqualTo(LONG);
		assertThat(release(this.key, "next")).isTrue();
	}

	@Test
	@DisplayName("With 16 threads at one lock there is one holder at a time, and fencing tokens grow")
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
					release(this.key, owner);
				}
			}
		});
		assertThat(violations).hasValue(0);
		assertThat(tokens).hasSize(16 * 25).isSorted().doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("Fencing tokens grow over an expiry, too")
	void tokensGrowOverExpiry() {
		long first = ((Granted) acquire(this.key, "a", SHORT)).fencingToken();
		assertThat(acquireWhenFree("b").fencingToken()).isGreaterThan(first);
		release(this.key, "b");
	}

	@Test
	@DisplayName("Keys that look alike are different locks")
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
	@DisplayName("A hostile key is a key like any other")
	void hostileKeysWork(LockKey hostile) {
		assertThat(acquire(hostile, "a", LONG)).isInstanceOf(Granted.class);
		assertThat(acquire(hostile, "b", LONG)).isInstanceOf(Busy.class);
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
	@DisplayName("After 10,000 cycles nothing is left behind")
	void leavesNothingBehind() {
		long before = locksInStore();
		for (int i = 0; i < 10_000; i += 20) {
			IntStream.range(i, i + 20)
				.mapToObj((each) -> new LockKey("contract", this.key.key() + each))
				.map((each) -> store().acquire(each, "a", LONG).thenCompose((granted) -> store().release(each, "a")))
				.toList()
				.forEach((released) -> assertThat(join(released)).isTrue());
		}
		assertThat(locksInStore()).isEqualTo(before);
	}

	private AcquireResult acquire(LockKey key, String owner, Duration ttl) {
		return join(store().acquire(key, owner, ttl));
	}

	private Granted acquireWhenFree(String owner) {
		return (Granted) Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.until(() -> acquire(this.key, owner, LONG), Granted.class::isInstance);
	}

	private boolean renew(LockKey key, String owner, Duration ttl) {
		return join(store().renew(key, owner, ttl));
	}

	private boolean release(LockKey key, String owner) {
		return join(store().release(key, owner));
	}

	protected static Busy busy(AcquireResult result) {
		assertThat(result).isInstanceOf(Busy.class);
		return (Busy) result;
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
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
