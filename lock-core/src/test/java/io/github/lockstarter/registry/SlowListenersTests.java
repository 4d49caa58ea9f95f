package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.observe.LockObservationContext;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Listeners, handlers and completions of the application that block, on a machine with
 * two processors. They delay no grant, rejection, renewal, release or other listener.
 */
@Tag("jdk")
class SlowListenersTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	/** Many times the number of threads that there are usually. */
	private static final int MANY = 50;

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofMinutes(2));

	/** Renewed every 4 s. */
	private static final LockOptions RENEWED = LockOptions.of(Duration.ofSeconds(12));

	private final ObservedStore store = new ObservedStore();

	private final LockEventCounter counts = new LockEventCounter();

	private final ObservationRegistry observations = ObservationRegistry.create();

	private final CountDownLatch gate = new CountDownLatch(1);

	private final AtomicInteger blocked = new AtomicInteger();

	private final Collection<Lease> held = new ConcurrentLinkedQueue<>();

	private volatile boolean eventsBlock;

	private final Collection<LeaseLostEvent> losses = new ConcurrentLinkedQueue<>();

	private final DefaultLockRegistry locks = new DefaultLockRegistry(this.store,
			RegistrySettings.of(OPTIONS)
				.withMaxWaiters(100)
				.withLosses(this::lost)
				.withCounts(this.counts)
				.withObservations(this.observations)
				.withRuntime(new ThreadedRuntime(2, 256)));

	@AfterEach
	void nothingIsLeft() {
		this.gate.countDown();
		Awaitility.await().until(() -> {
			this.held.forEach(Lease::close);
			return RegistryAccess.isUnused(this.locks);
		});
		this.locks.close();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("While the application blocks, locks are granted, rejected, waited for, renewed and released, and losses are reported")
	void blocking(Slow slow) {
		Lease renewed = hold(this.locks.acquire(key("renewed"), RENEWED));
		Lease taken = this.locks.acquire(key("taken"), OPTIONS);
		slow.block(this);
		Awaitility.await().atMost(SOON).until(() -> this.blocked.get() == MANY);

		hold(this.locks.acquire(key("free"), OPTIONS));
		hold(join(this.locks.acquireAsync(key("free-async"), OPTIONS).toCompletableFuture()));
		assertThat(this.locks.tryAcquire(taken.key(), OPTIONS)).isEmpty();
		assertThat(join(this.locks.tryAcquireAsync(taken.key(), OPTIONS).toCompletableFuture())).isEmpty();
		LockOptions soon = OPTIONS.withWaitTime(Duration.ofMillis(50));
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquire(taken.key(), soon))
			.returns(ConflictReason.WAIT_TIMEOUT, LockConflictException::getConflictReason);
		assertThat(this.locks.acquireAsync(taken.key(), soon)).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockConflictException.class);
		CompletableFuture<Lease> next = this.locks.acquireAsync(taken.key(), WAITING).toCompletableFuture();
		CompletableFuture<Lease> afterNext = CompletableFuture
			.supplyAsync(() -> this.locks.acquire(taken.key(), WAITING));
		assertThat(taken.releaseAsync()).succeedsWithin(SOON);
		CompletableFuture.anyOf(next, afterNext).join();
		CompletableFuture.allOf(next.thenAccept(Lease::close), afterNext.thenAccept(Lease::close)).join();
		int renewals = this.store.renewals.size();
		Awaitility.await().atMost(SOON).until(() -> this.store.renewals.size() > renewals);
		assertThat(renewed.isHeld()).isTrue();
		assertLossIsReported("later");
		assertThat(this.blocked).as("still blocked").hasValueGreaterThanOrEqualTo(MANY);
		assertThat(this.gate.getCount()).isOne();
	}

	@Test
	@DisplayName("Each of many lost leases is reported once although every listener blocks, and it is not held any more")
	void losses() {
		this.eventsBlock = true;
		Collection<Lease> seen = new ConcurrentLinkedQueue<>();
		AtomicInteger stillHeld = new AtomicInteger();
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			Lease lease = this.locks.acquire(key("lost-" + i), OPTIONS);
			leases.add(lease);
			lease.onLost(() -> {
				stillHeld.addAndGet(lease.isHeld() ? 1 : 0);
				seen.add(lease);
				await();
			});
			lose(this.locks, lease);
		}
		Awaitility.await().atMost(SOON).until(() -> seen.size() == MANY && this.losses.size() == MANY);
		assertThat(seen).containsExactlyInAnyOrderElementsOf(leases);
		assertThat(this.losses).doesNotHaveDuplicates();
		assertThat(stillHeld).hasValue(0);
		Awaitility.await().until(() -> this.counts.get("slow", Event.LOST) == MANY);
	}

	@Test
	@DisplayName("Of more losses than there are threads, none is dropped")
	void moreThanThreads() {
		DefaultLockRegistry few = new DefaultLockRegistry(this.store,
				RegistrySettings.of(OPTIONS)
					.withMaxWaiters(100)
					.withLosses(this::lost)
					.withCounts(this.counts)
					.withObservations(this.observations)
					.withRuntime(new ThreadedRuntime(1, 2)));
		this.eventsBlock = true;
		for (int i = 0; i < MANY; i++) {
			lose(few, few.acquire(key("lost-" + i), OPTIONS));
		}
		Awaitility.await().atMost(SOON).until(() -> this.losses.size() == 2);
		hold(few.acquire(key("free"), OPTIONS));
		hold(join(few.acquireAsync(key("free-async"), OPTIONS).toCompletableFuture()));
		this.gate.countDown();
		Awaitility.await().atMost(SOON).until(() -> this.losses.size() == MANY);
		this.held.forEach(Lease::close);
		few.close();
	}

	@Test
	@DisplayName("A listener acquires locks itself, and waits for them")
	void listenerAcquires() {
		Lease taken = this.locks.acquire(key("taken"), OPTIONS);
		CompletableFuture<Lease> acquired = new CompletableFuture<>();
		for (int i = 0; i < 4; i++) {
			lose("lost-" + i, () -> {
				this.blocked.incrementAndGet();
				Lease lease = this.locks.acquire(taken.key(), WAITING);
				acquired.complete(lease);
				lease.close();
			});
		}
		Awaitility.await().atMost(SOON).until(() -> this.blocked.get() == 4);
		taken.close();
		assertThat(acquired).succeedsWithin(SOON);
		Awaitility.await()
			.atMost(SOON)
			.untilAsserted(
					() -> assertThat(this.locks.tryAcquire(taken.key(), OPTIONS)).hasValueSatisfying(Lease::close));
	}

	private void lost(LeaseLostEvent loss) {
		this.losses.add(loss);
		if (this.eventsBlock) {
			await();
		}
	}

	private void assertLossIsReported(String key) {
		CountDownLatch told = new CountDownLatch(1);
		int known = this.losses.size();
		Lease lease = lose(key, told::countDown);
		awaitThat(() -> told.getCount() == 0 && this.losses.size() > known);
		assertThat(lease.isHeld()).isFalse();
	}

	private void loseMany(Runnable action) {
		for (int i = 0; i < MANY; i++) {
			lose("lost-" + i, action);
		}
	}

	private Lease lose(String key, Runnable action) {
		Lease lease = this.locks.acquire(key(key), OPTIONS);
		lease.onLost(action);
		lose(this.locks, lease);
		return lease;
	}

	private static void lose(DefaultLockRegistry locks, Lease lease) {
		new LockInspector(locks).forceRelease(lease.key(), lease.fencingToken());
	}

	private void await() {
		this.blocked.incrementAndGet();
		try {
			this.gate.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private Lease hold(Lease lease) {
		this.held.add(lease);
		return lease;
	}

	private static LockKey key(String key) {
		return new LockKey("slow", key);
	}

	private static <T> T join(CompletableFuture<T> future) {
		assertThat(future).succeedsWithin(SOON);
		return future.join();
	}

	private static void awaitThat(BooleanSupplier condition) {
		Awaitility.await().atMost(SOON).until(condition::getAsBoolean);
	}

	/** Blocks the handler of the end of the next observations of the name. */
	private void observe(String name) {
		AtomicInteger stopped = new AtomicInteger();
		this.observations.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public void onStop(Observation.Context context) {
				if (name.equals(context.getName()) && stopped.incrementAndGet() <= MANY) {
					SlowListenersTests.this.await();
				}
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
	}

	/** The code of the application that blocks. */
	private enum Slow {

		EVENT_LISTENER {

			@Override
			void block(SlowListenersTests test) {
				test.eventsBlock = true;
				test.loseMany(() -> {
				});
				awaitThat(() -> test.blocked.get() == MANY);
				test.eventsBlock = false;
			}

		},

		ON_LOST {

			@Override
			void block(SlowListenersTests test) {
				test.loseMany(test::await);
			}

		},

		OBSERVATION_OF_A_LOSS {

			@Override
			void block(SlowListenersTests test) {
				test.observe(LockObservationContext.HOLD);
				test.loseMany(() -> {
				});
			}

		},

		OBSERVATION_OF_AN_ATTEMPT {

			@Override
			void block(SlowListenersTests test) {
				test.observe(LockObservationContext.ACQUIRE);
				for (int i = 0; i < MANY; i++) {
					test.locks.acquireAsync(key("attempt-" + i), OPTIONS).thenAccept(test::hold);
				}
			}

		},

		COMPLETION {

			@Override
			void block(SlowListenersTests test) {
				for (int i = 0; i < MANY; i++) {
					Lease first = test.locks.acquire(key("completion-" + i), OPTIONS);
					test.locks.acquireAsync(first.key(), WAITING).thenAccept((lease) -> {
						test.hold(lease);
						test.await();
					});
					first.close();
				}
			}

		},

		METER_OF_A_NEW_NAME {

			@Override
			void block(SlowListenersTests test) {
				test.counts.onName((name) -> {
					if (name.startsWith("new-")) {
						test.await();
					}
				});
				for (int i = 0; i < MANY; i++) {
					LockKey key = new LockKey("new-" + i, "key");
					test.locks.acquireAsync(key, OPTIONS).thenAccept(test::hold);
				}
			}

		};

		abstract void block(SlowListenersTests test);

	}

}
