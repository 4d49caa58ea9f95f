package io.github.lockstarter.idempotency;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.mockito.Mockito;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.task.TaskDecorator;
import org.springframework.mock.web.MockMultipartFile;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.util.unit.DataSize;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.IdempotentWork;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.interceptor.CallerTasks;
import io.github.lockstarter.key.Fingerprint;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.result.SharingSettings;
import io.github.lockstarter.result.TestSharingContext;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

/**
 * Idempotent work in code, without an application.
 */
class IdempotencyRegistryTests {

	private static final LockKey KEY = LockKey.of("webhook:evt_1");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final AtomicLong time = new AtomicLong();

	private final MemoryLockStore store = new MemoryLockStore(this.time::get);

	private final LockEventCounter counts = new LockEventCounter();

	private final ExecutorService executor = Executors.newCachedThreadPool((task) -> new Thread(task, "application"));

	private final DefaultLockRegistry locks = locks(this.store, OPTIONS);

	private final IdempotencyRegistry registry = registry(this.locks, null);

	private final AtomicInteger runs = new AtomicInteger();

	@AfterEach
	void close() {
		this.locks.close();
		this.executor.shutdownNow();
	}

	private DefaultLockRegistry locks(LockStore store, LockOptions options) {
		return new DefaultLockRegistry(store, RegistrySettings.of(options).withCounts(this.counts));
	}

	private IdempotencyRegistry registry(LockRegistry locks, @Nullable String fingerprintKey) {
		SharingSettings sharing = new SharingSettings(Duration.ofSeconds(5), DataSize.ofBytes(1000),
				new TestSharingContext(this.counts));
		return new DefaultIdempotencyRegistry(() -> locks, sharing, new Fingerprint(fingerprintKey),
				new CallerTasks(() -> this.executor, List::<TaskDecorator>of));
	}

	@ParameterizedTest
	@ValueSource(strings = { "webhook", "webhook:", "webhook: " })
	@DisplayName("Work needs a key: without one, all work under the lock would have one result")
	void withoutKey(String lock) {
		assertThatExceptionOfType(MissingLockKeyException.class)
			.isThrownBy(() -> this.registry.work(lock, Receipt.class));
	}

	private IdempotentWork<Receipt> work() {
		return this.registry.work(KEY, Receipt.class);
	}

	private Receipt book() {
		return new Receipt("R-" + this.runs.incrementAndGet(), 42);
	}

	/** The three forms of a call, each of which returns when the call has ended. */
	enum Form {

		SYNC {
			@Override
			<T> T call(IdempotentWork<T> work, Callable<T> task) throws Exception {
				return work.call(task::call);
			}
		},

		STAGE {
			@Override
			<T> T call(IdempotentWork<T> work, Callable<T> task) throws Exception {
				CompletionStage<T> stage = work.callAsync(() -> {
					try {
						return CompletableFuture.completedFuture(task.call());
					}
					catch (Exception ex) {
						return CompletableFuture.failedFuture(ex);
					}
				});
				try {
					return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
				}
				catch (ExecutionException ex) {
					throw (Exception) ex.getCause();
				}
			}
		},

		MONO {
			@Override
			<T> T call(IdempotentWork<T> work, Callable<T> task) throws Exception {
				try {
					return work.reactive().call(() -> Mono.fromCallable(task)).block(Duration.ofSeconds(30));
				}
				catch (RuntimeException ex) {
					throw (ex.getCause() instanceof IOException failure) ? failure : ex;
				}
			}
		};

		abstract <T> T call(IdempotentWork<T> work, Callable<T> task) throws Exception;

	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("The first call runs the work, and a repetition gets an equal result")
	void once(Form form) throws Exception {
		Receipt first = form.call(work(), this::book);
		assertThat(first).isEqualTo(new Receipt("R-1", 42));
		Receipt again = form.call(this.registry.work("webhook:evt_1", Receipt.class), this::book);
		assertThat(again).isEqualTo(first).isNotSameAs(first);
		assertThat(this.runs).hasValue(1);
		assertThat(this.counts.get("webhook", Event.REPLAYED)).isOne();
		assertThat(form.call(this.registry.work("webhook:evt_2", Receipt.class), this::book).id()).isEqualTo("R-2");
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A result of null is a result")
	void nothing(Form form) throws Exception {
		assertThat(form.call(work(), () -> null)).isNull();
		assertThat(form.call(work(), this::book)).isNull();
		assertThat(this.runs).hasValue(0);
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("Work without a result runs once, too")
	void withoutResult(Form form) throws Exception {
		for (IdempotentWork<Void> work : List.of(this.registry.work(KEY), this.registry.work("webhook:evt_1"))) {
			assertThat(form.<Void>call(work, () -> {
				this.runs.incrementAndGet();
				return null;
			})).isNull();
		}
		assertThat(this.runs).hasValue(1);
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A failure keeps nothing and releases the lock, so that a repetition runs")
	void failure(Form form) throws Exception {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> form.call(work(), () -> {
			throw new IOException("as asked");
		})).withMessage("as asked");
		assertThat(form.call(work(), this::book)).isEqualTo(new Receipt("R-1", 42));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("The lock of the work is the lock that LockRegistry knows under the same key")
	void sameLock(Form form) throws Exception {
		try (Lease lease = this.locks.acquire("webhook:evt_1")) {
			assertThat(lease.isHeld()).isTrue();
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> form.call(work(), this::book));
		}
		form.call(work(), () -> {
			assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isEmpty();
			return book();
		});
		assertThat(this.runs).hasValue(1);
		this.locks.acquire("webhook:evt_1").close();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("It is not reentrant")
	void notReentrant(Form form) throws Exception {
		form.call(work(), () -> {
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> form.call(work(), this::book));
			return book();
		});
		assertThat(this.runs).hasValue(1);
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A result that is too large to be kept is not made again")
	void tooLarge(Form form) throws Exception {
		IdempotentWork<String> work = this.registry.work(KEY, String.class);
		assertThat(form.call(work, () -> "x".repeat(2000))).hasSize(2000);
		assertThatExceptionOfType(ResultUnavailableException.class).isThrownBy(() -> form.call(work, () -> "again"));
		assertThat(this.counts.get("webhook", Event.TOO_LARGE)).isOne();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A result that cannot be read is not made again")
	void unreadable(Form form) throws Exception {
		form.call(work(), this::book);
		assertThatExceptionOfType(ResultUnavailableException.class)
			.isThrownBy(() -> form.call(this.registry.work(KEY, Integer.class), this.runs::incrementAndGet));
		assertThat(this.runs).hasValue(1);
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("If the store fails, the work does not run")
	void storeFails(Form form) {
		this.locks.close();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> form.call(work(), this::book));
		assertThat(this.runs).hasValue(0);
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("Another instance gets the result of the first one")
	void twoInstances(Form form) throws Exception {
		Receipt first = form.call(work(), this::book);
		try (DefaultLockRegistry other = locks(this.store, OPTIONS)) {
			IdempotentWork<Receipt> there = registry(other, null).work(KEY, Receipt.class);
			assertThat(form.call(there, this::book)).isEqualTo(first);
		}
		assertThat(this.runs).hasValue(1);
	}

	@Test
	@DisplayName("The result may have a generic type")
	void generic() {
		IdempotentWork<List<Receipt>> work = this.registry.work("webhook:evt_1", new ParameterizedTypeReference<>() {
		});
		List<Receipt> first = work.call(() -> List.of(book(), book()));
		assertThat(work.call(List::<Receipt>of)).isEqualTo(first).hasSize(2);
		IdempotentWork<Optional<String>> optional = this.registry.work(LockKey.of("webhook:evt_2"),
				new ParameterizedTypeReference<>() {
				});
		optional.call(() -> Optional.of("one"));
		assertThat(optional.call(Optional::<String>empty)).contains("one");
	}

	@Test
	@DisplayName("The compiler knows which exceptions the work may throw")
	void exceptions() {
		IOException thrown = null;
		try {
			work().call(() -> {
				throw new IOException("as asked");
			});
		}
		catch (IOException ex) {
			thrown = ex;
		}
		assertThat(thrown).hasMessage("as asked");
		assertThat(work().call(this::book)).isNotNull();
	}

	@Test
	@DisplayName("A type that does not read back whole is an error, and the message names the property")
	void notWhole() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.registry.work(KEY, Payment.class))
			.withMessageContaining("under lock 'webhook'")
			.withMessageContaining("'id'")
			.withMessageContaining(Payment.class.getName());
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.registry.work(KEY, Object.class));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.registry.work(KEY, CompletableFuture.class));
	}

	@Test
	@DisplayName("A registry that cannot share results is an error")
	void otherRegistry() {
		IdempotencyRegistry other = registry(Mockito.mock(LockRegistry.class), null);
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> other.work(KEY, String.class))
			.withMessageContaining("cannot share results");
	}

	@Test
	@DisplayName("A store that cannot keep results is an error")
	void otherStore() {
		LockStore without = Mockito.mock(LockStore.class);
		try (DefaultLockRegistry other = locks(without, OPTIONS)) {
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> registry(other, null).work(KEY, String.class))
				.withMessageContaining("cannot keep results");
		}
	}

	@Test
	@DisplayName("A description does not change")
	void immutable() {
		IdempotentWork<Receipt> work = work();
		work.comparing("one");
		work.keptFor(Duration.ofDays(7));
		work.in(TransactionOperations.withoutTransaction());
		assertThat(work.callAsync(this::booked)).succeedsWithin(Duration.ofSeconds(20))
			.isEqualTo(new Receipt("R-1", 42));
		assertThat(work().call(this::book).id()).isEqualTo("R-1");
		pass(Duration.ofDays(2));
		assertThat(work().call(this::book).id()).isEqualTo("R-2");
	}

	@Test
	@DisplayName("The result is kept for a day, or for the given time")
	void kept() {
		work().call(this::book);
		IdempotentWork<Receipt> longer = this.registry.work("webhook:evt_2", Receipt.class).keptFor(Duration.ofDays(7));
		longer.call(this::book);
		pass(Duration.ofHours(23));
		assertThat(work().call(this::book).id()).isEqualTo("R-1");
		pass(Duration.ofHours(2));
		assertThat(work().call(this::book).id()).isEqualTo("R-3");
		assertThat(longer.call(this::book).id()).isEqualTo("R-2");
		pass(Duration.ofDays(7));
		assertThat(longer.call(this::book).id()).isEqualTo("R-4");
		assertThatIllegalArgumentException().isThrownBy(() -> longer.keptFor(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> longer.keptFor(Duration.ofDays(366)));
	}

	private void pass(Duration time) {
		this.time.addAndGet(time.toNanos());
	}

	@Test
	@DisplayName("A minimum hold time is an error, since it has no effect on repetitions")
	void holdAtLeast() {
		LockOptions atLeast = OPTIONS.withHoldAtLeast(Duration.ofSeconds(1));
		assertThatIllegalArgumentException().isThrownBy(() -> work().withOptions(atLeast))
			.withMessageContaining("minimum hold time");
		try (DefaultLockRegistry configured = locks(this.store, atLeast)) {
			IdempotentWork<Receipt> work = registry(configured, null).work(KEY, Receipt.class);
			assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> work.call(this::book))
				.withMessageContaining("'webhook'");
			assertThat(work.withOptions(OPTIONS).call(this::book)).isNotNull();
		}
	}

	@Test
	@DisplayName("The work knows the lease under which it runs, so that its transactions are checked")
	void leases() {
		work().call(() -> {
			HeldLeases held = LeaseContext.innermost();
			assertThat(held).isNotNull();
			assertThat(held.hold(KEY)).isTrue();
			return book();
		});
		assertThat(LeaseContext.innermost()).isNull();
	}

	@Test
	@DisplayName("On the thread of an event loop, which must not wait for the store, call fails")
	void eventLoop() {
		Mono<Receipt> onEventLoop = Mono.fromCallable(() -> work().call(this::book)).subscribeOn(Schedulers.parallel());
		assertThatIllegalStateException().isThrownBy(onEventLoop::block).withMessageContaining("reactive()");
		Mono<Receipt> stage = Mono.defer(() -> Mono.fromCompletionStage(work().callAsync(this::booked)))
			.subscribeOn(Schedulers.parallel());
		assertThat(stage.block()).isEqualTo(new Receipt("R-1", 42));
	}

	@Test
	@DisplayName("A transaction of a thread is for call only")
	void transactionOfThread() {
		IdempotentWork<Receipt> work = work().in(TransactionOperations.withoutTransaction());
		assertThatIllegalStateException().isThrownBy(() -> work.callAsync(this::booked))
			.withMessageEndingWith("use call");
		assertThatIllegalStateException().isThrownBy(work::reactive)
			.withMessageEndingWith("use reactive().in(transactionalOperator)");
		assertThat(work.call(this::book)).isEqualTo(new Receipt("R-1", 42));
		assertThat(work.call(this::book)).isEqualTo(new Receipt("R-1", 42));
	}

	private CompletableFuture<Receipt> booked() {
		return CompletableFuture.completedFuture(book());
	}

	@Nested
	class Content {

		@ParameterizedTest
		@EnumSource
		@DisplayName("A repetition with equal content gets the result, and one with other content is rejected")
		void compared(Form form) throws Exception {
			Receipt first = form.call(work().comparing(new Message("one", List.of(1)), 7), () -> book());
			assertThat(form.call(work().comparing(new Message("one", List.of(1)), 7), () -> book())).isEqualTo(first);
			for (Object[] other : new Object[][] { { new Message("one", List.of(2)), 7 }, { null, 7 }, {} }) {
				assertThatExceptionOfType(PayloadMismatchException.class)
					.isThrownBy(() -> form.call(work().comparing(other), () -> book()));
			}
			assertThatExceptionOfType(PayloadMismatchException.class).isThrownBy(() -> form.call(work(), () -> book()));
			assertThat(runs()).isOne();
		}

		@Test
		@DisplayName("Content is read at once, and what is given last counts")
		void readAtOnce() {
			List<String> content = new ArrayList<>(List.of("one"));
			IdempotentWork<Receipt> work = work().comparing("zero").comparing(content);
			content.add("two");
			work.call(() -> book());
			assertThat(work().comparing(List.of("one")).call(() -> book()).id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("The store has an HMAC of it, if there is a secret key")
		void secretKey() {
			registry(IdempotencyRegistryTests.this.locks, "a key of 16 chars").work(KEY, Receipt.class)
				.comparing("one")
				.call(() -> book());
			assertThatExceptionOfType(PayloadMismatchException.class)
				.isThrownBy(() -> work().comparing("one").call(() -> book()));
			assertThat(registry(IdempotencyRegistryTests.this.locks, "a key of 16 chars").work(KEY, Receipt.class)
				.comparing("one")
				.call(() -> book())
				.id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("What can be read only once, or has no content, is an error")
		void unreadable() {
			List<Object> itself = new ArrayList<>();
			itself.add(itself);
			for (Object content : List.of(new ByteArrayInputStream(new byte[1]), Mono.just("one"),
					new CompletableFuture<>(), List.of("one").iterator(), itself)) {
				assertThatExceptionOfType(LockConfigurationException.class)
					.isThrownBy(() -> work().comparing("one", content))
					.withMessageContaining("under lock 'webhook' cannot compare its content");
			}
		}

		@Test
		@DisplayName("A file is compared by its bytes")
		void file() {
			work().comparing(new MockMultipartFile("file", new byte[] { 1 })).call(() -> book());
			assertThat(work().comparing(new MockMultipartFile("file", new byte[] { 1 })).call(() -> book()).id())
				.isEqualTo("R-1");
			assertThatExceptionOfType(PayloadMismatchException.class)
				.isThrownBy(() -> work().comparing(new MockMultipartFile("file", new byte[] { 2 })).call(() -> book()));
		}

		private Receipt book() {
			return IdempotencyRegistryTests.this.book();
		}

		private int runs() {
			return IdempotencyRegistryTests.this.runs.get();
		}

	}

	@Nested
	class Waiting {

		private final CompletableFuture<Receipt> running = new CompletableFuture<>();

		private CompletableFuture<Receipt> begin() {
			CompletableFuture<Receipt> first = work().callAsync(() -> this.running).toCompletableFuture();
			assertThat(IdempotencyRegistryTests.this.locks.tryAcquire(KEY, OPTIONS)).isEmpty();
			return first;
		}

		private CompletableFuture<Receipt> repeat(Form form) {
			CompletableFuture<Receipt> again = CompletableFuture.supplyAsync(() -> {
				try {
					return form.call(work().withOptions(WAITING), IdempotencyRegistryTests.this::book);
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}, IdempotencyRegistryTests.this.executor);
			Awaitility.await().until(() -> IdempotencyRegistryTests.this.counts.get("webhook", Event.CONTENDED) > 1);
			assertThat(again).isNotDone();
			return again;
		}

		@ParameterizedTest
		@EnumSource
		@DisplayName("With a wait time, a repetition gets the result of the work that runs")
		void result(Form form) {
			CompletableFuture<Receipt> first = begin();
			CompletableFuture<Receipt> again = repeat(form);
			this.running.complete(new Receipt("R-0", 1));
			assertThat(again).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(new Receipt("R-0", 1));
			assertThat(first).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(new Receipt("R-0", 1));
			assertThat(IdempotencyRegistryTests.this.runs).hasValue(0);
		}

		@ParameterizedTest
		@EnumSource
		@DisplayName("If that fails, the repetition runs")
		void failure(Form form) {
			CompletableFuture<Receipt> first = begin();
			CompletableFuture<Receipt> again = repeat(form);
			this.running.completeExceptionally(new IOException("as asked"));
			assertThat(again).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(new Receipt("R-1", 42));
			assertThat(first).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(IOException.class);
		}

	}

	@Nested
	class Stages {

		@Test
		@DisplayName("The lock is held until the stage completes, which is when the call does")
		void untilCompletion() {
			CompletableFuture<Receipt> stage = new CompletableFuture<>();
			CompletableFuture<Receipt> call = work().callAsync(() -> stage).toCompletableFuture();
			assertThat(call).isNotDone();
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> work().call(this::book));
			stage.complete(book());
			assertThat(call).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(new Receipt("R-1", 42));
			assertThat(work().call(this::book).id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("Work that is cancelled by its caller goes on under its lock, and its result is kept")
		void cancelled() {
			CompletableFuture<Receipt> stage = new CompletableFuture<>();
			CompletableFuture<Receipt> call = work().callAsync(() -> stage).toCompletableFuture();
			call.cancel(true);
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> work().call(this::book));
			stage.complete(book());
			assertThat(work().withOptions(WAITING).call(this::book).id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("Work that fails with a cancellation keeps nothing")
		void cancelledItself() {
			CompletableFuture<Receipt> stage = new CompletableFuture<>();
			CompletableFuture<Receipt> call = work().callAsync(() -> stage).toCompletableFuture();
			stage.cancel(true);
			assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> call.get(20, TimeUnit.SECONDS));
			assertThat(work().call(this::book).id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("Cancelling a call that waits for the lock ends the wait")
		void cancelledWait() {
			CompletableFuture<Receipt> call;
			try (Lease lease = IdempotencyRegistryTests.this.locks.acquire("webhook:evt_1")) {
				assertThat(lease.isHeld()).isTrue();
				call = work().withOptions(WAITING).callAsync(this::booked).toCompletableFuture();
				assertThat(call).isNotDone();
				call.cancel(true);
			}
			Awaitility.await().until(() -> IdempotencyRegistryTests.this.counts.get("webhook", Event.CANCELLED) == 1);
			assertThat(IdempotencyRegistryTests.this.runs).hasValue(0);
			assertThat(work().call(this::book).id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("Work that had to wait begins on the task executor of the application")
		void executor() throws ExecutionException, InterruptedException, TimeoutException {
			CompletableFuture<Receipt> call;
			CompletableFuture<String> thread = new CompletableFuture<>();
			try (Lease lease = IdempotencyRegistryTests.this.locks.acquire("webhook:evt_1")) {
				assertThat(lease.isHeld()).isTrue();
				call = work().withOptions(WAITING).callAsync(() -> {
					thread.complete(Thread.currentThread().getName());
					return booked();
				}).toCompletableFuture();
			}
			assertThat(call).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(new Receipt("R-1", 42));
			assertThat(thread.get(20, TimeUnit.SECONDS)).isEqualTo("application");
		}

		@Test
		@DisplayName("Work that returns no stage, or throws an exception, has failed")
		void noStage() {
			assertThat(work().callAsync(() -> null)).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withMessageContaining("returned null");
			assertThat(work().callAsync(() -> {
				throw new IllegalArgumentException("as asked");
			})).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(IllegalArgumentException.class);
			assertThat(work().call(this::book).id()).isEqualTo("R-1");
		}

		private Receipt book() {
			return IdempotencyRegistryTests.this.book();
		}

		private CompletableFuture<Receipt> booked() {
			return IdempotencyRegistryTests.this.booked();
		}

	}

	@Nested
	class Monos {

		@Test
		@DisplayName("Nothing happens before the subscription, and each subscription is a call")
		void lazy() {
			Mono<Receipt> mono = work().reactive().call(() -> Mono.fromCallable(this::book));
			assertThat(IdempotencyRegistryTests.this.runs).hasValue(0);
			assertThat(IdempotencyRegistryTests.this.counts.get("webhook", Event.GRANTED)).isZero();
			assertThat(mono.block()).isEqualTo(new Receipt("R-1", 42));
			assertThat(mono.block()).isEqualTo(new Receipt("R-1", 42));
			assertThat(IdempotencyRegistryTests.this.runs).hasValue(1);
		}

		@Test
		@DisplayName("An empty Mono is a result")
		void empty() {
			Mono<Receipt> mono = work().reactive().call(() -> {
				IdempotencyRegistryTests.this.runs.incrementAndGet();
				return Mono.empty();
			});
			StepVerifier.create(mono).verifyComplete();
			StepVerifier.create(mono).verifyComplete();
			assertThat(IdempotencyRegistryTests.this.runs).hasValue(1);
		}

		@Test
		@DisplayName("A subscription that is cancelled keeps nothing and releases the lock")
		void cancelled() {
			Mono<Receipt> never = work().reactive().call(Mono::never);
			StepVerifier.create(never)
				.thenAwait()
				.then(() -> Awaitility.await()
					.until(() -> IdempotencyRegistryTests.this.counts.get("webhook", Event.GRANTED) == 1))
				.thenCancel()
				.verify();
			assertThat(work().withOptions(WAITING).call(this::book).id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("A cancelled wait for the lock leaves it to others")
		void cancelledWait() {
			try (Lease lease = IdempotencyRegistryTests.this.locks.acquire("webhook:evt_1")) {
				assertThat(lease.isHeld()).isTrue();
				StepVerifier.create(work().withOptions(WAITING).reactive().call(() -> Mono.fromCallable(this::book)))
					.thenAwait()
					.thenCancel()
					.verify();
			}
			Awaitility.await().until(() -> IdempotencyRegistryTests.this.counts.get("webhook", Event.CANCELLED) == 1);
			assertThat(work().call(this::book).id()).isEqualTo("R-1");
		}

		@Test
		@DisplayName("Work that returns no Mono has failed, and keeps nothing")
		void noMono() {
			assertThatIllegalStateException().isThrownBy(work().reactive().call(() -> null)::block)
				.withMessage("The work returned null instead of a Mono");
			assertThat(work().reactive().call(() -> Mono.fromCallable(this::book)).block()).isNotNull();
		}

		@Test
		@DisplayName("An error keeps nothing")
		void error() {
			assertThatRuntimeException().isThrownBy(() -> work().reactive().call(() -> {
				throw new IllegalArgumentException("as asked");
			}).block()).withMessage("as asked");
			assertThat(work().reactive().call(() -> Mono.fromCallable(this::book)).block()).isNotNull();
		}

		private Receipt book() {
			return IdempotencyRegistryTests.this.book();
		}

	}

	record Receipt(String id, int amount) {

	}

	record Message(String text, List<Integer> numbers) {

	}

	static class Payment {

		@JsonProperty(access = JsonProperty.Access.READ_ONLY)
		private Long id = 1L;

		public int amount;

		public Long getId() {
			return this.id;
		}

	}

}
