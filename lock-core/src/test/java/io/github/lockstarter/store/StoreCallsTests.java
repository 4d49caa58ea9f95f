package io.github.lockstarter.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.StoreCalls.NotDone;

import static org.assertj.core.api.Assertions.assertThat;

class StoreCallsTests {

	private static final LockKey KEY = new LockKey("calls", "taro");

	private static final Duration TTL = Duration.ofSeconds(20);

	private static final Duration SOON = Duration.ofSeconds(10);

	private final StoreCalls calls = new StoreCalls("The store", Duration.ofMillis(50));

	private final CompletableFuture<AcquireResult> driver = new CompletableFuture<>();

	private final AtomicInteger undone = new AtomicInteger();

	/** The store's answers to undo attempts; the last answer is repeated. */
	private final Queue<CompletionStage<Boolean>> undoing = new ArrayDeque<>(
			List.of(CompletableFuture.completedFuture(true)));

	@BeforeEach
	void warmUp() {
		assertThat(this.calls.call(KEY, () -> CompletableFuture.completedFuture("warm"))).succeedsWithin(SOON);
	}

	@AfterEach
	void close() {
		this.calls.close();
	}

	@Test
	@DisplayName("An answer within the timeout is passed on, and nothing is undone")
	void inTime() {
		this.driver.complete(new Granted(1));
		assertThat(grant()).succeedsWithin(SOON).isEqualTo(new Granted(1));
		assertThat(this.calls.call(KEY, () -> CompletableFuture.completedFuture("yes"))).succeedsWithin(SOON)
			.isEqualTo("yes");
		assertThat(this.undone).hasValue(0);
	}

	@Test
	@DisplayName("A timeout is a store failure, and a grant that arrives later is undone")
	void late() {
		assertBroken(grant(), "The store did not answer within 50 ms");
		assertThat(this.undone).hasValue(0);
		this.driver.complete(new Granted(1));
		assertThat(this.undone).hasValue(1);
	}

	@Test
	@DisplayName("The first calls have more time, until the driver has answered")
	void firstCalls() {
		try (StoreCalls cold = new StoreCalls("The store", Duration.ofMillis(1))) {
			assertBroken(cold.call(KEY, CompletableFuture::new), "did not answer within 5000 ms");
			CompletableFuture<String> slow = new CompletableFuture<>();
			CompletionStage<String> first = cold.call(KEY, () -> slow);
			CompletableFuture.runAsync(() -> slow.complete("loaded"),
					CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
			assertThat(first).succeedsWithin(SOON).isEqualTo("loaded");
			assertBroken(cold.call(KEY, CompletableFuture::new), "did not answer within 1 ms");
		}
	}

	@Test
	@DisplayName("A rejection that arrives late needs no undo")
	void lateRejection() {
		assertBroken(grant(), "did not answer");
		this.driver.complete(new Held(TTL));
		assertThat(this.undone).hasValue(0);
	}

	@Test
	@DisplayName("After a failed call, a possible grant is undone, and a failed undo is repeated")
	void unknown() {
		this.undoing.clear();
		this.undoing.add(CompletableFuture.failedFuture(new IllegalStateException("still unavailable")));
		this.undoing.add(CompletableFuture.completedFuture(true));
		this.driver.completeExceptionally(new IllegalStateException("connection reset"));
		assertBroken(grant(), "The store failed");
		Awaitility.await().until(() -> this.undone.get() == 2);
		Awaitility.await().during(Duration.ofMillis(800)).until(() -> this.undone.get() == 2);
	}

	@Test
	@DisplayName("Grants are undone while the application blocks the common pool")
	void commonPoolBlocked() {
		CountDownLatch open = new CountDownLatch(1);
		try {
			ForkJoinPool pool = ForkJoinPool.commonPool();
			for (int i = 0; i < pool.getParallelism(); i++) {
				pool.execute(() -> await(open));
			}
			this.undoing.clear();
			this.undoing.add(CompletableFuture.failedFuture(new IllegalStateException("still unavailable")));
			this.undoing.add(CompletableFuture.completedFuture(true));
			this.driver.completeExceptionally(new IllegalStateException("connection reset"));
			assertBroken(grant(), "The store failed");
			Awaitility.await().until(() -> this.undone.get() == 2);
		}
		finally {
			open.countDown();
		}
	}

	@Test
	@DisplayName("Timeouts and undos work while the application blocks the JVM's shared timer of futures")
	void sharedTimerBlocked() {
		CountDownLatch open = new CountDownLatch(1);
		CountDownLatch blocked = new CountDownLatch(1);
		try {
			CompletableFuture<Void> late = new CompletableFuture<>();
			// Scheduled first, so that the timer runs it, however late this thread is.
			late.whenComplete((nothing, failure) -> {
				blocked.countDown();
				await(open);
			});
			late.orTimeout(1, TimeUnit.MILLISECONDS);
			await(blocked);
			this.undoing.clear();
			this.undoing.add(CompletableFuture.failedFuture(new IllegalStateException("still unavailable")));
			this.undoing.add(CompletableFuture.completedFuture(true));
			assertBroken(grant(), "The store did not answer within 50 ms");
			this.driver.completeExceptionally(new IllegalStateException("connection reset"));
			Awaitility.await().until(() -> this.undone.get() == 2);
		}
		finally {
			open.countDown();
		}
	}

	@Test
	@DisplayName("close ends the timer thread, after pending calls have timed out")
	void closed() {
		StoreCalls calls = new StoreCalls("Closed", Duration.ofMillis(50));
		CompletionStage<AcquireResult> answer = calls.call(KEY, () -> this.driver);
		assertThat(timersOf("Closed")).hasSize(1).allMatch(Thread::isDaemon);
		calls.close();
		assertBroken(answer, "Closed did not answer within 5000 ms");
		Awaitility.await().until(() -> timersOf("Closed").isEmpty());
		assertThat(calls.call(KEY, () -> CompletableFuture.completedFuture("yes"))).succeedsWithin(SOON)
			.isEqualTo("yes");
	}

	@Test
	@DisplayName("A failed release is repeated until it succeeds or the lock has expired, and its caller does not wait")
	void repeatedRelease() {
		this.undoing.clear();
		this.undoing.add(CompletableFuture.failedFuture(new IllegalStateException("connection reset")));
		this.undoing.add(CompletableFuture.failedFuture(new IllegalStateException("still unavailable")));
		this.undoing.add(CompletableFuture.completedFuture(false));
		assertBroken(this.calls.release(KEY, TTL, this::undo, this::undo), "The store failed");
		Awaitility.await().until(() -> this.undone.get() == 3);
		Awaitility.await().during(Duration.ofMillis(1500)).until(() -> this.undone.get() == 3);
		assertThat(this.calls.release(KEY, TTL, this::undo, this::undo)).succeedsWithin(SOON).isEqualTo(false);
		assertThat(this.undone).hasValue(4);
		this.undoing.clear();
		this.undoing.add(CompletableFuture.failedFuture(new IllegalStateException("connection reset")));
		assertBroken(this.calls.release(KEY, Duration.ofMillis(200), this::undo, this::undo), "The store failed");
		Awaitility.await().during(Duration.ofMillis(1500)).until(() -> this.undone.get() <= 6);
	}

	@Test
	@DisplayName("An undo that found no grant is repeated once, because the grant may arrive later")
	void mayStillCome() {
		this.undoing.clear();
		this.undoing.add(CompletableFuture.completedFuture(false));
		this.driver.completeExceptionally(new IllegalStateException("connection reset"));
		assertBroken(grant(), "The store failed");
		Awaitility.await().until(() -> this.undone.get() == 2);
		Awaitility.await().during(Duration.ofMillis(800)).until(() -> this.undone.get() == 2);
	}

	@Test
	@DisplayName("A call that was certainly not executed is not undone")
	void notDone() {
		IllegalStateException why = new IllegalStateException("no connection");
		this.driver.completeExceptionally(new NotDone("nothing was sent", why));
		assertBroken(grant(), "nothing was sent");
		assertThat(grant()).failsWithin(SOON).withThrowableThat().havingRootCause().isSameAs(why);
		assertThat(this.undone).hasValue(0);
	}

	@Test
	@DisplayName("A LockStoreException from a driver is passed on, and the grant is undone")
	void storeException() {
		LockStoreException timeOut = new LockStoreException(KEY, "its own timeout", null);
		this.driver.completeExceptionally(timeOut);
		assertThat(grant()).failsWithin(SOON).withThrowableThat().withCause(timeOut);
		assertThat(this.undone).hasValue(1);
	}

	@Test
	@DisplayName("In a long outage the number of concurrent undos is bounded, and none runs after close")
	void longOutage() {
		this.undoing.clear();
		this.undoing.add(CompletableFuture.failedFuture(new IllegalStateException("still unavailable")));
		this.driver.completeExceptionally(new IllegalStateException("connection reset"));
		long start = System.nanoTime();
		for (int i = 0; i < 1500; i++) {
			grant();
		}
		// Undos are repeated every half second.
		long rounds = 1 + Duration.ofNanos(System.nanoTime() - start).toMillis() / 500;
		assertThat(this.undone.get()).isBetween(1000, 1000 * (int) rounds);
		Awaitility.await().until(() -> this.undone.get() >= 2000);
		this.calls.close();
		int soFar = this.undone.get();
		// A few may have been in progress.
		Awaitility.await().during(Duration.ofMillis(1500)).until(() -> this.undone.get() < soFar + 50);
	}

	@Test
	@DisplayName("Any exception of a driver, or a missing answer, is a store failure")
	void throwing() {
		assertBroken(this.calls.call(KEY, () -> {
			throw new IllegalArgumentException("too long");
		}), "The store failed");
		assertBroken(this.calls.call(KEY, () -> null), "The store failed");
	}

	private CompletionStage<AcquireResult> grant() {
		return this.calls.grant(KEY, TTL, () -> this.driver, this::undo);
	}

	private CompletionStage<Boolean> undo() {
		this.undone.incrementAndGet();
		return (this.undoing.size() > 1) ? this.undoing.remove() : this.undoing.element();
	}

	private static List<Thread> timersOf(String store) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lock-" + store + "-timer-"))
			.toList();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void assertBroken(CompletionStage<?> answer, String message) {
		assertThat(answer).failsWithin(SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageContaining(message);
	}

}
