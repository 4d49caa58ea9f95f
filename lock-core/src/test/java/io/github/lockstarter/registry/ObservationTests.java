package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.observe.LockObservationContext;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.TokenlessResults;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Observations of attempts and leases.
 */
class ObservationTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	private static final int MAX_WAITERS = 64;

	private static final Duration SHORT = Duration.ofMillis(50);

	private static final Duration LONG = Duration.ofSeconds(10);

	private final LockEventCounter counts = new LockEventCounter();

	private final ObservationRegistry observations = ObservationRegistry.create();

	private final List<String> observed = new CopyOnWriteArrayList<>();

	private final List<String> parents = new CopyOnWriteArrayList<>();

	private final AtomicInteger begun = new AtomicInteger();

	private final List<Duration> waits = new CopyOnWriteArrayList<>();

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final DefaultLockRegistry locks = registry(new MemoryLockStore(this.runtime::nanoTime));

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.github.lockstarter.registry");

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void observe() {
		this.observations.observationConfig().observationHandler(new Recorder());
		this.logger.setLevel(Level.DEBUG);
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void close() {
		this.locks.close();
		this.logger.detachAppender(this.log);
		this.logger.setLevel(null);
	}

	@Test
	@DisplayName("A lock that is acquired and released results in two observations, two counts and two log lines")
	void takenAndReleased() {
		Lease lease = this.locks.acquire("team:42");
		this.runtime.pass(SHORT);
		lease.close();
		this.runtime.settle();
		assertThat(this.observed).containsExactly("lock.acquire team granted", "lock.hold team released");
		assertCounts(Event.GRANTED, Event.RELEASED);
		assertThat(lines(Level.DEBUG)).hasSize(2);
		assertThat(lines(Level.DEBUG).get(0)).isEqualTo("Lock 'team', key '42': granted after 0 ms");
		assertThat(lines(Level.DEBUG).get(1)).isEqualTo("Lock 'team', key '42': released after 50 ms");
	}

	@Test
	@DisplayName("A rejection is a conflict, or a timeout after a wait, and only waits are timed")
	void rejections() {
		try (Lease held = this.locks.acquire("team:42")) {
			assertThat(this.locks.tryAcquire("team:42", Duration.ZERO)).isEmpty();
			this.locks.tryAcquireAsync("team:42", SHORT);
			this.runtime.pass(SHORT);
			assertThat(held.isHeld()).isTrue();
		}
		this.runtime.settle();
		assertThat(this.observed).containsExactly("lock.acquire team granted", "lock.acquire team conflict",
				"lock.acquire team timeout", "lock.hold team released");
		assertThat(this.waits).containsExactly(SHORT);
		assertCounts(Event.GRANTED, Event.CONFLICT, Event.TIMEOUT, Event.CONTENDED, Event.CONTENDED, Event.RELEASED);
	}

	@Test
	@DisplayName("A caller that finds the queue full is counted once as such, and no wait is timed")
	void queueFull() {
		try (Lease held = this.locks.acquire("team:42")) {
			for (int i = 0; i < MAX_WAITERS; i++) {
				this.locks.tryAcquireAsync("team:42", LONG);
			}
			this.locks.tryAcquireAsync("team:42", LONG);
			this.runtime.settle();
			assertThat(this.observed).containsExactly("lock.acquire team granted", "lock.acquire team queue-full");
			assertThat(this.waits).isEmpty();
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(this.counts.get("team", Event.QUEUE_FULL)).isOne();
		assertThat(this.counts.get("team", Event.CONFLICT)).isZero();
		assertThat(this.counts.get("team", Event.TIMEOUT)).isZero();
		assertThat(this.counts.get("team", Event.CONTENDED)).isEqualTo(MAX_WAITERS + 1);
		this.locks.close();
		this.runtime.settle();
		assertThat(this.counts.get("team", Event.ERROR) + this.counts.get("team", Event.GRANTED))
			.isEqualTo(MAX_WAITERS + 1);
	}

	@Test
	@DisplayName("The next waiter in the queue is granted the lock by a hand-off")
	void handOff() {
		Lease first = this.locks.acquire("team:42");
		CompletableFuture<Optional<Lease>> second = this.locks.tryAcquireAsync("team:42", LONG).toCompletableFuture();
		first.close();
		this.runtime.join(second).orElseThrow().close();
		this.runtime.settle();
		assertCounts(Event.GRANTED, Event.CONTENDED, Event.HANDED_OFF, Event.GRANTED, Event.RELEASED, Event.RELEASED);
		assertThat(this.waits).hasSize(1);
	}

	@Test
	@DisplayName("A caller that gives up is counted neither as rejected nor as failed")
	void cancelled() {
		try (Lease held = this.locks.acquire("team:42")) {
			this.locks.tryAcquireAsync("team:42", LONG).toCompletableFuture().cancel(false);
			this.runtime.settle();
			assertThat(this.observed).containsExactly("lock.acquire team granted", "lock.acquire team cancelled");
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A caller that gets a result instead of the lock is not counted as granted")
	void result() {
		ResultKey slot = new ResultKey("share", LONG, false);
		SharedLease winner = this.locks.acquire(LockKey.of("team:42"), OPTIONS, slot, ResultQuery.NO_TOKEN).lease();
		var loser = this.locks
			.acquireAsync(LockKey.of("team:42"), OPTIONS.withWaitTime(LONG), slot, ResultQuery.NO_TOKEN, null)
			.toCompletableFuture();
		winner.close("the result");
		assertThat(this.runtime.join(loser)).matches(TokenlessResults.gives("the result"));
		assertThat(this.observed).containsExactlyInAnyOrder("lock.acquire team granted", "lock.hold team released",
				"lock.acquire team result");
	}

	@Test
	@DisplayName("A lease that ends early is lost, which logs a warning without the key")
	void lost() {
		Lease lease = this.locks.acquire(LockKey.of("team:secret"), LockOptions.of(SHORT).withoutRenewal());
		this.runtime.pass(SHORT);
		assertThat(this.observed).contains("lock.hold team lost");
		lease.close();
		this.runtime.settle();
		assertCounts(Event.GRANTED, Event.LOST);
		assertThat(lines(Level.WARN)).singleElement().asString().contains("'team' was lost").doesNotContain("secret");
	}

	@Test
	@DisplayName("A lease that is held for longer than a third of its time to live is renewed")
	void renewed() {
		try (Lease lease = this.locks.acquire(LockKey.of("team:42"), LockOptions.of(Duration.ofSeconds(3)))) {
			this.runtime.pass(Duration.ofSeconds(5));
			assertThat(this.counts.get("team", Event.RENEWED)).isEqualTo(5);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A store failure is an error of the attempt and of the store, and logs a warning without the key")
	void storeFails() {
		try (DefaultLockRegistry failing = registry(new FailingStore())) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> failing.acquire("team:secret"));
		}
		this.runtime.settle();
		assertThat(this.observed).containsExactly("lock.acquire team error LockStoreException");
		assertCounts(Event.ERROR, Event.STORE_ERROR);
		assertThat(lines(Level.WARN)).singleElement().asString().doesNotContain("secret");
	}

	@Test
	@DisplayName("An observation handler that fails affects no attempt")
	void handlerFails() {
		this.observations.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public void onStart(Observation.Context context) {
				throw new IllegalStateException("on start");
			}

			@Override
			public void onStop(Observation.Context context) {
				throw new IllegalStateException("on stop");
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
		this.locks.acquire("team:42").close();
		assertThat(this.runtime.join(this.locks.tryAcquireAsync("team:42", LONG)).orElseThrow().isHeld()).isTrue();
		assertThat(lines(Level.WARN)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "4\n2 WARN all is lost", "4', GET /: lost after 1 ms", "4\u2028lost", "4\u202Etsol" })
	@DisplayName("An ambiguous key is logged as its digest")
	void hostileKey(String key) {
		this.locks.acquire("team:" + key).close();
		this.runtime.settle();
		assertThat(lines(Level.DEBUG)).hasSize(2)
			.allMatch((line) -> line.matches("Lock 'team', key 'sha256:[0-9a-f]+': \\w+ after \\d+ ms"));
	}

	@Test
	@DisplayName("A waiter's lease is a child of the waiter's observation, not of the observation of the holder that handed off")
	void parents() {
		Observation first = Observation.start("first", this.observations);
		Observation second = Observation.start("second", this.observations);
		Lease held = first.scoped(() -> this.locks.acquire("team:42"));
		CompletableFuture<Optional<Lease>> waiting = second
			.scoped(() -> this.locks.tryAcquireAsync("team:42", LONG).toCompletableFuture());
		CompletableFuture<Optional<Lease>> orphan = this.locks.tryAcquireAsync("team:42", LONG).toCompletableFuture();
		first.scoped(held::close);
		first.scoped(this.runtime.join(waiting).orElseThrow()::close);
		first.scoped(this.runtime.join(orphan).orElseThrow()::close);
		this.runtime.settle();
		assertThat(this.parents).containsExactlyInAnyOrder("lock.acquire in first", "lock.hold in first",
				"lock.acquire in second", "lock.hold in second", "lock.acquire in nothing", "lock.hold in nothing");
	}

	@Test
	@DisplayName("An asynchronous caller's work is observed under the lease, and its work after the release is not")
	void asynchronousWork() {
		this.locks.tryAcquireAsync("team:42", SHORT).thenAccept((lease) -> {
			this.observed.add("work");
			this.runtime.standStill(SHORT);
			lease.orElseThrow().releaseAsync().thenRun(() -> {
				this.observed.add("more work");
				this.runtime.standStill(LONG);
			});
		});
		this.runtime.settle();
		assertThat(this.begun).hasValue(2);
		assertThat(this.observed).containsExactly("lock.acquire team granted", "work", "lock.hold team released",
				"more work");
		assertThat(lines(Level.DEBUG)).containsExactly("Lock 'team', key '42': granted after 0 ms",
				"Lock 'team', key '42': released after 50 ms");
	}

	@Test
	@DisplayName("When the registry closes, all started observations stop")
	void shutdown() {
		this.locks.acquire("team:1");
		this.locks.tryAcquireAsync("team:1", LONG);
		this.locks.tryAcquireAsync("team:1", LONG).toCompletableFuture().cancel(true);
		DefaultTokenLocks tokens = new DefaultTokenLocks(this.locks);
		this.runtime.join(tokens.acquireAsync(LockKey.of("team:2"), OPTIONS));
		this.runtime.join(tokens.acquireAsync(LockKey.of("team:3"), OPTIONS, "a-token-of-my-own"));
		this.runtime.join(tokens.acquireAsync(LockKey.of("team:3"), OPTIONS, "a-token-of-my-own"));
		tokens.acquireAsync(LockKey.of("team:3"), OPTIONS, "another-token-of-mine");
		this.runtime.settle();
		tokens.acquireAsync(LockKey.of("team:3"), OPTIONS.withWaitTime(LONG), "a-third-token-of-mine");
		this.locks.close();
		this.runtime.settle();
		assertThat(this.observed).hasSize(this.begun.get());
		assertThat(this.begun).hasValue(9);
	}

	@Test
	@DisplayName("A listener of the counts that fails affects no attempt")
	void listenerFails() {
		this.counts.onName((name) -> {
			throw new IllegalStateException("of " + name);
		});
		assertThat(this.locks.tryAcquire("team:42", SHORT)).isPresent();
	}

	private DefaultLockRegistry registry(LockStore store) {
		return new DefaultLockRegistry(store,
				RegistrySettings.of(OPTIONS)
					.withMaxWaiters(MAX_WAITERS)
					.withCounts(this.counts)
					.withObservations(this.observations)
					.withRuntime(this.runtime));
	}

	private void assertCounts(Event... expected) {
		List<Event> counted = new CopyOnWriteArrayList<>();
		for (Event event : Event.values()) {
			for (long i = this.counts.get("team", event); i > 0; i--) {
				counted.add(event);
			}
		}
		assertThat(counted).containsExactlyInAnyOrder(expected);
	}

	private List<String> lines(Level level) {
		return this.log.list.stream()
			.filter((event) -> event.getLevel() == level)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	/** Records stopped observations. */
	private final class Recorder implements ObservationHandler<LockObservationContext> {

		@Override
		public void onStart(LockObservationContext context) {
			ObservationTests.this.begun.incrementAndGet();
			ObservationView parent = context.getParentObservation();
			ObservationTests.this.parents
				.add(context.getName() + " in " + ((parent != null) ? parent.getContextView().getName() : "nothing"));
		}

		@Override
		public void onStop(LockObservationContext context) {
			ObservationTests.this.observed
				.add(context.getName() + " " + value(context, "lock") + " " + value(context, "outcome")
						+ ((context.getError() != null) ? " " + context.getError().getClass().getSimpleName() : ""));
			Optional.ofNullable(context.waited()).ifPresent(ObservationTests.this.waits::add);
		}

		private static String value(LockObservationContext context, String key) {
			return context.getLowCardinalityKeyValue(key).getValue();
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LockObservationContext;
		}

	}

	/** An observation handler that fails. */
	private static final class FailingStore implements LockStore {

		@Override
		public StoredLock lock(LockKey key) {
			throw new IllegalStateException("out of order");
		}

	}

}
