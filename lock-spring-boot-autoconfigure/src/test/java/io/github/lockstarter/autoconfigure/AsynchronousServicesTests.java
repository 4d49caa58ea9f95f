package io.github.lockstarter.autoconfigure;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskExecutor;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.concurrent.DelegatingSecurityContextRunnable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Where methods of services that return a future, and may wait for their lock, run.
 */
@Tag("jdk")
class AsynchronousServicesTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	/** Shorter than the time for which a caller waits for the store. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final ThreadLocal<String> USER = new ThreadLocal<>();

	private final ApplicationContextRunner withoutExecutor = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class,
				DataRedisAutoConfiguration.class))
		.withPropertyValues(TestRedis.properties())
		.withPropertyValues("lock.store=memory")
		.withBean(Reports.class);

	private final ApplicationContextRunner runner = this.withoutExecutor
		.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(strings = { "memory", "redis" })
	@DisplayName("A method whose lock is free is called on the thread of the caller, before the call returns")
	void free(String store) {
		this.runner.withPropertyValues("lock.store=" + store).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			unlessPaused((id) -> {
				reports.make(id);
				assertThat(reports.runs()).containsEntry(id, Run.here());
			});
			unlessPaused((id) -> {
				assertThatIllegalStateException().isThrownBy(() -> reports.fail("no-" + id)).withMessage("as asked");
				assertThat(locks.tryAcquire("report:no-" + id, Duration.ZERO)).isPresent();
			});
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "redis" })
	@DisplayName("So is a method that shares its result, or runs under several locks")
	void freeOfOtherKinds(String store) {
		this.runner.withPropertyValues("lock.store=" + store).withBean(SharedReports.class).run((context) -> {
			SharedReports shared = context.getBean(SharedReports.class);
			unlessPaused((id) -> assertThat(shared.make(id)).succeedsWithin(SOON)
				.isEqualTo(Thread.currentThread().getName()));
			Reports reports = context.getBean(Reports.class);
			unlessPaused((id) -> {
				reports.makeAll("left-" + id, "right-" + id);
				assertThat(reports.runs()).containsEntry("left-" + id, Run.here());
			});
			unlessPaused((id) -> {
				reports.makeBoth("one-" + id, "other-" + id);
				assertThat(reports.runs()).containsEntry("one-" + id, Run.here());
			});
		});
	}

	/**
	 * Repeats a test that fails while the machine stands still: a caller does not wait
	 * for the store for so long.
	 * @param test the test of locks that nobody uses, which have the name in their keys
	 */
	private static void unlessPaused(Consumer<String> test) {
		for (int i = 0;; i++) {
			long begin = System.nanoTime();
			try {
				test.accept("free-" + i);
				return;
			}
			catch (AssertionError ex) {
				if (i == 10 || System.nanoTime() - begin < PAUSE.toNanos()) {
					throw ex;
				}
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "redis" })
	@DisplayName("A method that has waited is called on the task executor, with the class loader of the caller and what the TaskDecorator beans hand on")
	void waits(String store) throws Exception {
		try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
			this.runner.withPropertyValues("lock.store=" + store)
				.withBean(TaskDecorator.class, () -> AsynchronousServicesTests::handOnUser)
				.run((context) -> {
					Reports reports = context.getBean(Reports.class);
					CompletableFuture<Run> report;
					CompletableFuture<ClassLoader> next;
					try (Lease held = context.getBean(LockRegistry.class).acquire("report:waits")) {
						USER.set("taro");
						Thread.currentThread().setContextClassLoader(loader);
						report = reports.make("waits");
						next = report.thenApply((run) -> Thread.currentThread().getContextClassLoader());
						assertThat(reports.runs()).isEmpty();
						assertThat(held.isHeld()).isTrue();
					}
					finally {
						USER.remove();
						Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
					}
					// First, because a thread that waits for a future helps with what
					// depends on
					// it.
					assertThat(next).succeedsWithin(SOON).isSameAs(loader);
					assertThat(report).succeedsWithin(SOON).satisfies((run) -> {
						assertThat(run.thread()).startsWith("task-");
						assertThat(run.loader()).isSameAs(loader);
						assertThat(run.user()).isEqualTo("taro");
					});
				});
		}
	}

	@ParameterizedTest
	@CsvSource({ "memory, report:left", "memory, other:left", "memory, other:right", "redis, report:left",
			"redis, other:left", "redis, other:right" })
	@DisplayName("So is a method under several locks, of one annotation or of two, of which one is held")
	void waitsForOneOfSeveral(String store, String lock) {
		this.runner.withPropertyValues("lock.store=" + store).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			CompletableFuture<Run> both;
			CompletableFuture<Run> all;
			try (Lease held = locks.acquire(lock)) {
				both = reports.makeBoth("left", "right").toCompletableFuture();
				all = reports.makeAll("left", "right");
				assertThat(reports.runs()).isEmpty();
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(List.of(both, all)).allSatisfy((report) -> assertThat(report).succeedsWithin(SOON)
				.satisfies((run) -> assertThat(run.thread()).startsWith("task-")));
			List.of("report:left", "other:left", "other:right").forEach((each) -> awaitFree(locks, each));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "redis" })
	@DisplayName("So is a method that shares its result; the other callers get the result")
	void waitsForShared(String store) {
		this.runner.withPropertyValues("lock.store=" + store).withBean(SharedReports.class).run((context) -> {
			SharedReports shared = context.getBean(SharedReports.class);
			List<CompletableFuture<String>> made = new ArrayList<>();
			try (Lease held = context.getBean(LockRegistry.class).acquire("shared:waits")) {
				for (int i = 0; i < 5; i++) {
					made.add(shared.make(held.key().key()));
				}
				assertThat(shared.runs()).isZero();
			}
			assertThat(made).allSatisfy((report) -> assertThat(report).succeedsWithin(SOON));
			assertThat(made).extracting(CompletableFuture::join).containsOnly(made.get(0).join());
			assertThat(made.get(0).join()).startsWith("task-");
			assertThat(shared.runs()).isOne();
		});
	}

	@Test
	@DisplayName("A method that has waited runs as its caller, and its thread has its previous security context afterwards")
	void security() {
		runOnOneThread((reports, locks, executor) -> {
			setUser("worker", executor).join();
			CompletableFuture<Run> report;
			try (Lease held = locks.acquire("report:security")) {
				setUser("taro");
				report = reports.make(held.key().key());
				// What the thread of the caller does later is no concern of the method.
				setUser("hanako");
			}
			assertThat(report).succeedsWithin(SOON).returns("taro", Run::authentication);
			assertThat(user(executor)).succeedsWithin(SOON).isEqualTo("worker");
			assertThat(Run.here().authentication()).isEqualTo("hanako");
		});
	}

	@Test
	@DisplayName("A method of a caller without a security context does not run as whoever its thread ran for")
	void anonymous() {
		runOnOneThread((reports, locks, executor) -> {
			setUser("worker", executor).join();
			CompletableFuture<Run> report;
			try (Lease held = locks.acquire("report:anonymous")) {
				report = reports.make(held.key().key());
			}
			assertThat(report).succeedsWithin(SOON).returns(null, Run::authentication);
			assertThat(user(executor)).succeedsWithin(SOON).isEqualTo("worker");
		});
	}

	@Test
	@DisplayName("The security context of one caller is gone before the thread runs the method of the next, also if the method sets its own or fails")
	void noLeak() {
		runOnOneThread((reports, locks, executor) -> {
			CompletableFuture<Run> changed;
			CompletableFuture<Run> failed;
			CompletableFuture<Run> next;
			try (Lease third = locks.acquire("report:third");
					Lease second = locks.acquire("report:second");
					Lease first = locks.acquire("report:first")) {
				setUser("taro");
				changed = reports.makeAfter(first.key().key(), () -> setUser("root"));
				failed = reports.makeAfter(second.key().key(), () -> {
					throw new IllegalStateException("as asked");
				});
				SecurityContextHolder.clearContext();
				next = reports.makeAfter(third.key().key(), () -> {
				});
			}
			assertThat(changed).succeedsWithin(SOON).returns("root", Run::authentication);
			assertThat(failed).failsWithin(SOON);
			assertThat(next).succeedsWithin(SOON).returns(null, Run::authentication);
			assertThat(user(executor)).succeedsWithin(SOON).isNull();
		});
	}

	@Test
	@DisplayName("A TaskDecorator of the application that sets a security context has the last word")
	void decoratorWithSecurity() {
		this.runner
			.withBean(TaskDecorator.class,
					() -> (task) -> new DelegatingSecurityContextRunnable(task, context("system")))
			.run((context) -> {
				CompletableFuture<Run> report;
				try (Lease held = context.getBean(LockRegistry.class).acquire("report:decorated")) {
					setUser("taro");
					report = context.getBean(Reports.class).make(held.key().key());
				}
				assertThat(report).succeedsWithin(SOON).returns("system", Run::authentication);
			});
	}

	@AfterEach
	void clearContext() {
		SecurityContextHolder.clearContext();
	}

	private void runOnOneThread(Scenario scenario) {
		this.runner.withPropertyValues("spring.task.execution.pool.core-size=1")
			.run((context) -> scenario.run(context.getBean(Reports.class), context.getBean(LockRegistry.class),
					context.getBean(TaskExecutor.class)));
	}

	private static CompletableFuture<Void> setUser(String name, Executor executor) {
		return CompletableFuture.runAsync(() -> setUser(name), executor);
	}

	private static void setUser(String name) {
		SecurityContextHolder.setContext(context(name));
	}

	private static SecurityContext context(String user) {
		return new SecurityContextImpl(new TestingAuthenticationToken(user, "secret"));
	}

	private static CompletableFuture<String> user(Executor executor) {
		return CompletableFuture.supplyAsync(() -> Run.here().authentication(), executor);
	}

	@Test
	@DisplayName("The future is completed with the context class loader of the thread on which the work ended")
	void completes() throws Exception {
		try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
			this.runner.run((context) -> {
				Reports reports = context.getBean(Reports.class);
				// Threads of ours that are started later would inherit the class loader.
				for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
					reports.follow(CompletableFuture.completedFuture(Run.here())).join();
				}
				CompletableFuture<Run> work = new CompletableFuture<>();
				CompletableFuture<ClassLoader> next = reports.follow(work)
					.thenApply((run) -> Thread.currentThread().getContextClassLoader());
				Thread worker = new Thread(() -> work.complete(Run.here()));
				worker.setContextClassLoader(loader);
				worker.start();
				assertThat(next).succeedsWithin(SOON).isSameAs(loader);
			});
		}
	}

	@Test
	@DisplayName("A unique TaskExecutor of the application is used where Spring Boot has none of its own")
	void uniqueExecutor() {
		assertRunsOn(this.runner.withBean("reports", TaskExecutor.class, () -> new SimpleAsyncTaskExecutor("own-")),
				"own-");
	}

	@Test
	@DisplayName("Of several executors, the one with the name taskExecutor is used")
	void namedExecutor() {
		assertRunsOn(
				this.runner.withBean("mail", TaskExecutor.class, () -> new SimpleAsyncTaskExecutor("mail-"))
					.withBean("taskExecutor", TaskExecutor.class, () -> new SimpleAsyncTaskExecutor("named-")),
				"named-");
	}

	@Test
	@DisplayName("Without an executor a method that has waited gets a thread of its own")
	void noExecutor() {
		assertRunsOn(this.withoutExecutor, "lock-calls-");
	}

	@Test
	@DisplayName("So it is with virtual threads, where the JVM has them")
	void virtualThreads() {
		assertRunsOn(this.runner.withPropertyValues("spring.threads.virtual.enabled=true",
				"spring.task.execution.thread-name-prefix=virtual-"), "virtual-");
	}

	@Test
	@DisplayName("An executor that runs tasks on the thread of the submission gets none of the engine or the driver")
	void executorOnCaller() {
		assertRunsOn(
				this.runner.withPropertyValues("lock.store=redis").withBean(TaskExecutor.class, SyncTaskExecutor::new),
				"(?!lock-timer-|lettuce-)");
	}

	private static void assertRunsOn(ApplicationContextRunner runner, String threads) {
		runner.run((context) -> {
			CompletableFuture<Run> report;
			try (Lease held = context.getBean(LockRegistry.class).acquire("report:executor")) {
				report = context.getBean(Reports.class).make("executor");
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(report).succeedsWithin(SOON)
				.satisfies((run) -> assertThat(run.thread()).matches(threads + ".*"));
		});
	}

	@Test
	@DisplayName("If the executor rejects the call, the future fails, the method is not called, and the lock is released")
	void rejected() {
		this.runner.withBean(TaskExecutor.class, () -> (task) -> {
			throw new TaskRejectedException("full");
		}).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			CompletableFuture<Run> report;
			try (Lease held = context.getBean(LockRegistry.class).acquire("report:rejected")) {
				report = reports.make("rejected");
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(report).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(TaskRejectedException.class);
			awaitFree(context.getBean(LockRegistry.class), "report:rejected");
			assertThat(reports.runs()).isEmpty();
		});
	}

	@Test
	@DisplayName("A caller whose wait times out gets the conflict, even if the executor rejects every task")
	void conflict() {
		this.runner.withPropertyValues("lock.names.report.wait=50ms").withBean(TaskExecutor.class, () -> (task) -> {
			throw new TaskRejectedException("full");
		}).run((context) -> {
			try (Lease held = context.getBean(LockRegistry.class).acquire("report:late")) {
				assertThat(context.getBean(Reports.class).make("late")).failsWithin(SOON)
					.withThrowableThat()
					.withCauseInstanceOf(LockConflictException.class);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	@DisplayName("A caller that cancels the future while the call is queued at the executor frees the lock, and the method is not called")
	void cancelledInQueue() {
		BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
		this.runner.withBean(TaskExecutor.class, () -> queue::add).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			CompletableFuture<Run> report;
			try (Lease held = context.getBean(LockRegistry.class).acquire("report:queued")) {
				report = reports.make("queued");
				assertThat(held.isHeld()).isTrue();
			}
			await().until(() -> !queue.isEmpty());
			assertThat(context.getBean(LockRegistry.class).tryAcquire("report:queued", Duration.ZERO)).isEmpty();
			report.cancel(false);
			awaitFree(context.getBean(LockRegistry.class), "report:queued");
			queue.remove().run();
			assertThat(reports.runs()).isEmpty();
		});
	}

	@Test
	@DisplayName("A caller that cancels the future while it waits ends the wait, and the method is not called")
	void cancelledWhileWaiting() {
		this.runner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			CompletableFuture<Run> next;
			try (Lease held = context.getBean(LockRegistry.class).acquire("report:cancelled")) {
				reports.make(held.key().key()).cancel(false);
				next = reports.makeAfter(held.key().key(), () -> {
				});
			}
			assertThat(next).succeedsWithin(SOON);
			assertThat(reports.runs()).isEmpty();
		});
	}

	@Test
	@DisplayName("An event loop is not blocked while the store answers; the method is called on the task executor")
	void eventLoop() {
		SlowStore store = new SlowStore();
		this.runner.withBean(LockStore.class, () -> store).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			CompletableFuture<Run> report = Mono.fromCallable(() -> reports.make("loop"))
				.subscribeOn(Schedulers.parallel())
				.block(SOON);
			assertThat(report).isNotDone();
			store.answer.complete(new AcquireResult.Granted(1));
			assertThat(report).succeedsWithin(SOON).satisfies((run) -> assertThat(run.thread()).startsWith("task-"));
		});
	}

	@Test
	@DisplayName("A caller that is interrupted while the store answers goes on, interrupted, and the method is called later")
	void interrupted() {
		SlowStore store = new SlowStore();
		this.runner.withBean(LockStore.class, () -> store).run((context) -> {
			Thread.currentThread().interrupt();
			CompletableFuture<Run> report = context.getBean(Reports.class).make("interrupted");
			assertThat(Thread.interrupted()).isTrue();
			assertThat(report).isNotDone();
			store.answer.complete(new AcquireResult.Granted(1));
			assertThat(report).succeedsWithin(SOON).satisfies((run) -> assertThat(run.thread()).startsWith("task-"));
		});
	}

	private static void awaitFree(LockRegistry locks, String lock) {
		await().until(() -> locks.tryAcquire(lock, Duration.ZERO).map((lease) -> {
			lease.close();
			return true;
		}).orElse(false));
	}

	private static Runnable handOnUser(Runnable task) {
		String user = USER.get();
		return () -> {
			USER.set(user);
			try {
				task.run();
			}
			finally {
				USER.remove();
			}
		};
	}

	private interface Scenario {

		void run(Reports reports, LockRegistry locks, Executor executor);

	}

	record Run(String thread, ClassLoader loader, String user, String authentication) {

		static Run here() {
			Thread thread = Thread.currentThread();
			Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
			return new Run(thread.getName(), thread.getContextClassLoader(), USER.get(),
					(authentication != null) ? authentication.getName() : null);
		}

	}

	static class Reports {

		private final Map<String, Run> runs = new ConcurrentHashMap<>();

		public Map<String, Run> runs() {
			return this.runs;
		}

		@ExclusiveRequest(name = "report", key = "#id", waitTime = "1m")
		public CompletableFuture<Run> make(String id) {
			this.runs.put(id, Run.here());
			return CompletableFuture.completedFuture(Run.here());
		}

		@ExclusiveRequest(name = "report", key = "#id", waitTime = "1m")
		public CompletableFuture<Run> makeAfter(String id, Runnable work) {
			work.run();
			return CompletableFuture.completedFuture(Run.here());
		}

		@ExclusiveRequest(name = "report", key = "#id", waitTime = "1m")
		@ExclusiveRequest(name = "other", keys = "{#id, #other}", waitTime = "1m")
		public CompletionStage<Run> makeBoth(String id, String other) {
			this.runs.put(id, Run.here());
			return CompletableFuture.completedFuture(Run.here());
		}

		@ExclusiveRequest(name = "other", keys = "{#id, #other}", waitTime = "1m")
		public CompletableFuture<Run> makeAll(String id, String other) {
			this.runs.put(id, Run.here());
			return CompletableFuture.completedFuture(Run.here());
		}

		@ExclusiveRequest(name = "report", key = "#id", waitTime = "1m")
		public CompletableFuture<Run> fail(String id) {
			throw new IllegalStateException("as asked");
		}

		@ExclusiveRequest(name = "follow")
		public CompletableFuture<Run> follow(CompletableFuture<Run> work) {
			return work;
		}

	}

	static class SharedReports {

		private final AtomicInteger runs = new AtomicInteger();

		public int runs() {
			return this.runs.get();
		}

		@ExclusiveRequest(name = "shared", key = "#id", onConflict = OnConflict.SHARE, waitTime = "1m")
		public CompletableFuture<String> make(String id) {
			this.runs.incrementAndGet();
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

	}

	/** A store that answers when the test says so. */
	static class SlowStore implements LockStore {

		final CompletableFuture<AcquireResult> answer = new CompletableFuture<>();

		@Override
		public StoredLock lock(LockKey key) {
			return new StoredLock() {

				@Override
				public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
					return SlowStore.this.answer;
				}

				@Override
				public CompletionStage<Boolean> renew(String owner, Duration ttl) {
					return CompletableFuture.completedFuture(true);
				}

				@Override
				public CompletionStage<Boolean> release(String owner, StoredResult result) {
					return CompletableFuture.completedFuture(true);
				}

			};
		}

	}

}
