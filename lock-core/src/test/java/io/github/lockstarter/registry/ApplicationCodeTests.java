package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.registry.observe.LockObservationContext;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;
import io.github.lockstarter.registry.sharing.SharingRegistry.ContentionListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application code that observes locks, or is called back with an answer. Whatever it
 * throws and however slow it is, locks and other callers are unaffected.
 */
@Tag("jdk")
class ApplicationCodeTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockKey KEY = new LockKey("registration", "taro");

	private static final LockKey OTHER = new LockKey("registration", "jiro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(SOON);

	private final ObservedStore store = new ObservedStore();

	private final LockEventCounter counts = new LockEventCounter();

	private final ObservationRegistry observations = ObservationRegistry.create();

	private final BlockableRuntime runtime = new BlockableRuntime();

	private final DefaultLockRegistry locks = new DefaultLockRegistry(this.store,
			RegistrySettings.of(OPTIONS)
				.withMaxWaiters(100)
				.withCounts(this.counts)
				.withObservations(this.observations)
				.withRuntime(this.runtime));

	private final TokenLocks tokens = new DefaultTokenLocks(this.locks);

	@AfterEach
	void nothingIsLeft() {
		this.runtime.open();
		Awaitility.await().until(() -> RegistryAccess.isUnused(this.locks));
		this.locks.close();
	}

	@Test
	@DisplayName("An observation handler that throws an Error at the start or end of an attempt or lease fails no caller and leaks no lock")
	void handlerThrowsError() {
		onStart((context) -> {
			throw new NoClassDefFoundError("a class that is missing");
		});
		onStop((context) -> {
			throw new NoClassDefFoundError("a class that is missing");
		});
		assertServesCallers();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A caller that is told of contention may wait for another thread that uses the lock, and may throw")
	void contention(boolean waits) throws Exception {
		Lease held = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Boolean> rejected = new CompletableFuture<>();
		ContentionListener caller = new ContentionListener() {

			@Override
			public void execute(Runnable answer) {
				answer.run();
			}

			@Override
			public void contended() {
				rejected.complete(
						CompletableFuture.supplyAsync(() -> ApplicationCodeTests.this.locks.tryAcquire(KEY, OPTIONS))
							.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
							.join()
							.isEmpty());
				throw new NoClassDefFoundError("a class that is missing");
			}

		};
		CompletableFuture<Lease> second = this.locks.acquireAsync(KEY, waits ? WAITING : OPTIONS, caller)
			.toCompletableFuture();
		assertThat(rejected).succeedsWithin(SOON).isEqualTo(true);
		held.close();
		if (waits) {
			assertThat(second).succeedsWithin(SOON);
			second.join().close();
		}
		else {
			assertThat(second).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockConflictException.class);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { LockObservationContext.ACQUIRE, LockObservationContext.HOLD })
	@DisplayName("An observation predicate that throws an Error fails no caller and leaks no lock")
	void predicateThrowsError(String observation) {
		onStart((context) -> {
		});
		this.observations.observationConfig().observationPredicate((name, context) -> {
			if (name.equals(observation)) {
				throw new NoClassDefFoundError("a class that is missing");
			}
			return true;
		});
		assertServesCallers();
	}

	@Test
	@DisplayName("An observation handler that throws an Error from supportsContext fails no caller and leaks no lock")
	void supportsContextThrowsError() {
		AtomicInteger asked = new AtomicInteger();
		this.observations.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public boolean supportsContext(Observation.Context context) {
				if (asked.getAndIncrement() % 3 > 0) {
					throw new NoClassDefFoundError("a class that is missing");
				}
				return true;
			}

		});
		assertServesCallers();
		assertThat(asked).hasValueGreaterThan(6);
	}

	private void assertServesCallers() {
		for (int i = 0; i < 3; i++) {
			this.locks.acquire(KEY, OPTIONS).close();
			CompletableFuture<Optional<Lease>> async = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
			assertThat(async).succeedsWithin(SOON);
			assertThat(async.join().orElseThrow().releaseAsync()).succeedsWithin(SOON);
		}
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).hasValueSatisfying(Lease::close);
	}

	@Test
	@DisplayName("A listener that throws an Error at a loss, or at the first count of a lock, fails no caller")
	void listenerThrowsError() {
		this.counts.onName((name) -> {
			throw new NoClassDefFoundError("a class that is missing");
		});
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofMillis(300)).withoutRenewal());
		lease.onLost(() -> {
			throw new NoClassDefFoundError("a class that is missing");
		});
		Awaitility.await().until(() -> this.counts.get(KEY.name(), Event.LOST) == 1);
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).hasValueSatisfying(Lease::close);
	}

	@Test
	@DisplayName("A loss is counted, and its observation ends, although the log throws an Error")
	void logThrowsError() {
		Queue<String> ended = new ConcurrentLinkedQueue<>();
		onStop((context) -> ended.add(context.getName()));
		Logger log = (Logger) LoggerFactory.getLogger(StoreLease.class);
		Queue<Level> logged = new ConcurrentLinkedQueue<>();
		TurboFilter broken = new TurboFilter() {

			@Override
			public FilterReply decide(Marker marker, Logger logger, Level level, String format, Object[] params,
					Throwable failure) {
				if (logger == log && format != null) {
					logged.add(level);
					throw new NoClassDefFoundError("a class that is missing");
				}
				return FilterReply.NEUTRAL;
			}

		};
		log.getLoggerContext().addTurboFilter(broken);
		try {
			this.locks.acquire(KEY, LockOptions.of(Duration.ofMillis(300)).withoutRenewal());
			Awaitility.await().dontCatchUncaughtExceptions().until(() -> logged.contains(Level.WARN));
			Awaitility.await()
				.dontCatchUncaughtExceptions()
				.until(() -> this.counts.get(KEY.name(), Event.LOST) == 1
						&& ended.contains(LockObservationContext.HOLD));
		}
		finally {
			log.getLoggerContext().getTurboFilterList().remove(broken);
		}
	}

	@Test
	@DisplayName("While observation handlers block all of their threads, leases are renewed, and blocking callers are served")
	void handlersBlock() {
		LockOptions renewed = LockOptions.of(Duration.ofSeconds(3));
		Lease lease = this.locks.acquire(OTHER, renewed);
		this.runtime.block();
		onStop((context) -> this.runtime.await());
		CompletableFuture<Optional<Lease>> stuck = this.locks.tryAcquireAsync(KEY, OPTIONS).toCompletableFuture();
		int renewals = this.store.renewals.size();
		Awaitility.await().atMost(SOON).until(() -> this.store.renewals.size() > renewals + 1);
		assertThat(lease.isHeld()).isTrue();
		assertThat(stuck).isNotDone();
		this.runtime.open();
		assertThat(stuck).succeedsWithin(SOON);
		stuck.join().orElseThrow().close();
		lease.close();
	}

	@Test
	@DisplayName("While all callback threads are blocked, a lock goes from one token to the next, and to a blocking caller")
	void callbacksBlock() {
		TokenLock first = join(this.tokens.acquireAsync(KEY, OPTIONS));
		this.runtime.block();
		this.tokens.acquireAsync(KEY, WAITING);
		Awaitility.await().until(() -> this.counts.get(KEY.name(), Event.CONTENDED) == 1);
		CompletableFuture<Void> released = this.store.memory()
			.lock(KEY)
			.release(first.token(), null)
			.thenAccept((owned) -> assertThat(owned).isTrue())
			.toCompletableFuture();
		assertThat(released).succeedsWithin(SOON);
		// The second token has the lock, although its caller has not been notified.
		Awaitility.await()
			.until(() -> this.store.memory().lock(KEY).remaining().toCompletableFuture().join().isPresent());
		assertThat(this.counts.get(KEY.name(), Event.STORE_ERROR)).isZero();
		assertThat(this.locks.tryAcquire(OTHER, OPTIONS)).hasValueSatisfying(Lease::close);
		this.store.loseData();
		assertThat(this.locks.tryAcquire(KEY, WAITING)).hasValueSatisfying(Lease::close);
	}

	@Test
	@DisplayName("No observation handler runs on the timer thread, whichever event ends an observation")
	void threads() {
		List<String> threads = new CopyOnWriteArrayList<>();
		onStart((context) -> threads.add(Thread.currentThread().getName()));
		onStop((context) -> threads.add(Thread.currentThread().getName()));
		Lease lost = this.locks.acquire(KEY, LockOptions.of(Duration.ofMillis(300)).withoutRenewal());
		CompletableFuture<Optional<Lease>> next = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<Optional<Lease>> late = this.locks
			.tryAcquireAsync(OTHER, OPTIONS.withWaitTime(Duration.ofMillis(1)))
			.toCompletableFuture();
		assertThat(next).succeedsWithin(SOON);
		assertThat(late).succeedsWithin(SOON);
		assertThat(lost.isHeld()).isFalse();
		next.join().orElseThrow().releaseAsync();
		late.join().ifPresent(Lease::releaseAsync);
		Awaitility.await().until(() -> this.counts.get(KEY.name(), Event.RELEASED) == 2);
		assertThat(threads).isNotEmpty().noneMatch((thread) -> thread.startsWith("lock-timer-"));
	}

	@Test
	@DisplayName("A lease that is lost before its caller gets it is observed from start to stop")
	void lostBeforeItBegins() {
		Queue<String> begun = new ConcurrentLinkedQueue<>();
		Queue<String> ended = new ConcurrentLinkedQueue<>();
		onStart((context) -> begun.add(context.getName()));
		onStop((context) -> ended.add(context.getName()));
		Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
		CompletableFuture<Lease> answer = this.locks
			.acquireAsync(KEY, LockOptions.of(Duration.ofMillis(300)).withoutRenewal(), tasks::add)
			.toCompletableFuture();
		Awaitility.await().until(() -> this.counts.get(KEY.name(), Event.LOST) == 1 && !tasks.isEmpty());
		tasks.remove().run();
		assertThat(answer.join().isHeld()).isFalse();
		assertThat(begun).containsExactly(LockObservationContext.ACQUIRE, LockObservationContext.HOLD);
		assertThat(ended).containsExactly(LockObservationContext.ACQUIRE, LockObservationContext.HOLD);
	}

	private void onStart(Consumer<Observation.Context> action) {
		this.observations.observationConfig().observationHandler(new Handler(action, (context) -> {
		}));
	}

	private void onStop(Consumer<Observation.Context> action) {
		this.observations.observationConfig().observationHandler(new Handler((context) -> {
		}, action));
	}

	private static <T> T join(CompletionStage<T> stage) {
		assertThat(stage).succeedsWithin(SOON);
		return stage.toCompletableFuture().join();
	}

	private record Handler(Consumer<Observation.Context> started,
			Consumer<Observation.Context> stopped) implements ObservationHandler<Observation.Context> {

		@Override
		public void onStart(Observation.Context context) {
			this.started.accept(context);
		}

		@Override
		public void onStop(Observation.Context context) {
			this.stopped.accept(context);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	/** The runtime of an application, whose callback threads can all be blocked. */
	private static final class BlockableRuntime implements EngineRuntime {

		private final ThreadedRuntime runtime = new ThreadedRuntime(2, 2);

		private volatile CountDownLatch gate = new CountDownLatch(0);

		/** Blocks all callback threads. */
		void block() {
			this.gate = new CountDownLatch(1);
			for (int i = 0; i < 2; i++) {
				this.runtime.callbacks().execute(this::await);
			}
		}

		void await() {
			try {
				this.gate.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		void open() {
			this.gate.countDown();
		}

		@Override
		public long nanoTime() {
			return this.runtime.nanoTime();
		}

		@Override
		public Alarm schedule(Runnable step, long delayNanos) {
			return this.runtime.schedule(step, delayNanos);
		}

		@Override
		public Executor callbacks() {
			return this.runtime.callbacks();
		}

		@Override
		public Executor listeners() {
			return this.runtime.listeners();
		}

		@Override
		public RandomGenerator random() {
			return this.runtime.random();
		}

		@Override
		public boolean isClosed() {
			return this.runtime.isClosed();
		}

		@Override
		public void close() {
			this.runtime.close();
		}

	}

}
