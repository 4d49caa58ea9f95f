package io.github.lockstarter.store.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.DroppedResults;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultLimits;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResults;
import io.github.lockstarter.store.TokenlessResults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The limits of the results in a {@link MemoryLockStore}.
 */
@ExtendWith(OutputCaptureExtension.class)
class BoundedResultsTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final long PLENTY = 1_000_000_000;

	private final List<String> dropped = new ArrayList<>();

	@Test
	@DisplayName("15,000 orders with new keys leave as many results as are allowed, the latest ones")
	void keepsLatest() {
		MemoryLockStore store = store(1000, PLENTY);
		IntStream.range(0, 15_000).forEach((i) -> order(store, "ann", i, "paid"));
		assertThat(count(store)).isEqualTo(1000);
		assertThat(this.dropped).hasSize(14_000).containsOnly("orders");
		assertThat(kept(store, "ann", 15_000))
			.containsExactlyElementsOf(IntStream.range(14_000, 15_000).boxed().toList());
	}

	@Test
	@DisplayName("Results use as much memory as is allowed")
	void boundsMemory() {
		// orders + 5 digits + "replay ann" + text, and the rest
		long each = 512 + 2 * (6 + 5 + 10 + 1000);
		MemoryLockStore store = store(1_000_000, 10 * each);
		IntStream.range(10_000, 10_100).forEach((i) -> order(store, "ann", i, "x".repeat(1000)));
		assertThat(count(store)).isEqualTo(10);
		order(store, "ann", 20_000, "x".repeat(5000));
		assertThat(count(store)).isLessThan(10);
		assertThat(find(store, "ann", 20_000)).isInstanceOf(Found.class);
	}

	@Test
	@DisplayName("A result that is larger than all memory for results is dropped, and its lock is released")
	void dropsTooLarge() {
		MemoryLockStore store = store(10, 1000);
		order(store, "ann", 1, "x".repeat(1000));
		assertThat(count(store)).isZero();
		assertThat(this.dropped).containsExactly("orders");
		assertThat(find(store, "ann", 1)).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("A principal with many results does not push out those of the others")
	void protectsOthers() {
		MemoryLockStore store = store(100, PLENTY);
		IntStream.range(0, 75).forEach((i) -> order(store, "user-" + i, i, "paid"));
		IntStream.range(1000, 6000).forEach((i) -> order(store, "mallory", i, "paid"));
		IntStream.range(0, 75).forEach((i) -> assertThat(find(store, "user-" + i, i)).isInstanceOf(Found.class));
		assertThat(kept(store, "mallory", 6000)).hasSize(25).endsWith(5999);
	}

	@Test
	@DisplayName("A principal with large results does not push out those of the others")
	void protectsOthersFromLargeResults() {
		MemoryLockStore store = store(1000, 100 * 2000);
		IntStream.range(0, 50).forEach((i) -> order(store, "user-" + i, i, "x".repeat(700)));
		IntStream.range(1000, 2000).forEach((i) -> order(store, "mallory", i, "x".repeat(7000)));
		IntStream.range(0, 50).forEach((i) -> assertThat(find(store, "user-" + i, i)).isInstanceOf(Found.class));
	}

	@Test
	@DisplayName("A principal that filled an unused store makes room for the others")
	void makesRoom() {
		MemoryLockStore store = store(100, PLENTY);
		IntStream.range(1000, 2000).forEach((i) -> order(store, "mallory", i, "paid"));
		assertThat(kept(store, "mallory", 2000)).hasSize(100);
		IntStream.range(0, 75).forEach((i) -> order(store, "user-" + i, i, "paid"));
		IntStream.range(0, 75).forEach((i) -> assertThat(find(store, "user-" + i, i)).isInstanceOf(Found.class));
		assertThat(kept(store, "mallory", 2000)).hasSize(25);
	}

	@Test
	@DisplayName("A result that replaces another one counts once, and as the latest")
	void replaces() {
		MemoryLockStore store = store(3, PLENTY);
		order(store, "ann", 1, "paid");
		order(store, "bob", 2, "paid");
		StoredLock lock = store.lock(key(1));
		lock.acquire(AcquireCommand.of("again", TTL));
		lock.release("again", TokenlessResults.stored(result("ann"), "paid"));
		assertThat(this.dropped).isEmpty();
		order(store, "cid", 3, "paid");
		order(store, "dan", 4, "paid");
		assertThat(find(store, "ann", 1)).isInstanceOf(Found.class);
		assertThat(find(store, "bob", 2)).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("Removed results make room for others")
	void removed() {
		MemoryLockStore store = store(10, PLENTY);
		IntStream.range(0, 10).forEach((i) -> order(store, "ann", i, "paid"));
		StoredResults results = store.results().orElseThrow();
		assertThat(results.remove("orders")).isCompletedWithValue(10L);
		IntStream.range(10, 20).forEach((i) -> order(store, "ann", i, "paid"));
		assertThat(this.dropped).isEmpty();
		assertThat(count(store)).isEqualTo(10);
	}

	@Test
	@DisplayName("A result that has expired is replaced without being counted as dropped")
	void replacesExpired() {
		AtomicLong now = new AtomicLong();
		MemoryLockStore store = new MemoryLockStore(now::get, new ResultLimits(10, PLENTY), this.dropped::add);
		IntStream.range(0, 10).forEach((i) -> order(store, "ann", i, "paid"));
		now.addAndGet(Duration.ofHours(25).toNanos());
		IntStream.range(10, 25).forEach((i) -> order(store, "ann", i, "paid"));
		assertThat(this.dropped).hasSize(5);
	}

	@Test
	@DisplayName("No lock is lost for a result")
	void keepsLocks() {
		MemoryLockStore store = store(10, PLENTY);
		IntStream.range(0, 100)
			.forEach((i) -> store.lock(new LockKey("held", "" + i)).acquire(AcquireCommand.of("a", TTL)));
		IntStream.range(0, 1000).forEach((i) -> order(store, "ann", i, "paid"));
		IntStream.range(0, 100)
			.forEach((i) -> assertThat(acquire(store.lock(new LockKey("held", "" + i)), AcquireCommand.of("b", TTL)))
				.isInstanceOf(Held.class));
	}

	@Test
	@DisplayName("Each dropped result is counted, and the first one of each lock name is logged")
	void counts(CapturedOutput output) {
		LockEventCounter counts = new LockEventCounter();
		DroppedResults dropped = new DroppedResults((lockName) -> counts.add(lockName, Event.RESULT_DROPPED));
		MemoryLockStore store = new MemoryLockStore(System::nanoTime, new ResultLimits(10, PLENTY),
				(lockName) -> dropped.add(lockName, "it is full"));
		IntStream.range(0, 15).forEach((i) -> order(store, "ann", i, "paid"));
		assertThat(counts.get("orders", Event.RESULT_DROPPED)).isEqualTo(5);
		assertThat(output.getOut())
			.containsOnlyOnce("A stored result of lock 'orders' was dropped before its time, because it is full.");
	}

	@Test
	@DisplayName("A limit of zero is rejected")
	void rejectsZero() {
		assertThatIllegalArgumentException().isThrownBy(() -> new ResultLimits(0, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> new ResultLimits(1, 0));
	}

	private MemoryLockStore store(int results, long bytes) {
		return new MemoryLockStore(System::nanoTime, new ResultLimits(results, bytes), this.dropped::add);
	}

	private static void order(MemoryLockStore store, String principal, int number, String text) {
		StoredLock lock = store.lock(key(number));
		assertThat(acquire(lock, AcquireCommand.of("a", TTL))).isInstanceOf(Granted.class);
		assertThat(lock.release("a", TokenlessResults.stored(result(principal), text))).isCompletedWithValue(true);
	}

	private static List<Integer> kept(MemoryLockStore store, String principal, int end) {
		return IntStream.range(0, end).filter((i) -> find(store, principal, i) instanceof Found).boxed().toList();
	}

	private static AcquireResult find(MemoryLockStore store, String principal, int number) {
		ResultQuery query = new ResultQuery(result(principal), ResultQuery.ANY_TOKEN, Duration.ZERO);
		StoredLock lock = store.lock(key(number));
		AcquireResult result = acquire(lock, AcquireCommand.of("b", TTL).orResult(query));
		lock.release("b", null);
		return result;
	}

	private static AcquireResult acquire(StoredLock lock, AcquireCommand command) {
		CompletableFuture<AcquireResult> result = lock.acquire(command).toCompletableFuture();
		assertThat(result).isCompleted();
		return result.join();
	}

	private static long count(MemoryLockStore store) {
		return store.results().orElseThrow().count("orders").toCompletableFuture().join();
	}

	private static LockKey key(int number) {
		return new LockKey("orders", Integer.toString(number));
	}

	private static ResultKey result(String principal) {
		return new ResultKey("replay " + principal, Duration.ofHours(24), true);
	}

}
