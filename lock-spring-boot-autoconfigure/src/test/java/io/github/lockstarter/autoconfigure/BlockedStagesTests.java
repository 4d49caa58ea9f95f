package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods of services that return a future, while other code of the application blocks
 * threads. A thread that waits for a future may help with what depends on it, so the
 * tests only ask whether it is done.
 */
@Tag("jdk")
class BlockedStagesTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	/** Many times the number of threads that there are usually. */
	private static final int MANY = 50;

	private final CountDownLatch gate = new CountDownLatch(1);

	private final AtomicInteger blocked = new AtomicInteger();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class,
				DataRedisAutoConfiguration.class, TaskExecutionAutoConfiguration.class))
		.withPropertyValues(TestRedis.properties())
		.withPropertyValues("lock.store=memory")
		.withBean(EngineRuntime.class, () -> new ThreadedRuntime(2, 256))
		.withBean(Reports.class);

	@AfterEach
	void open() {
		this.gate.countDown();
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "redis" })
	@DisplayName("While the common pool is blocked, a method is called when its lock is granted, and its future is completed")
	void commonPool(String store) {
		this.runner.withPropertyValues("lock.store=" + store).run((context) -> {
			ForkJoinPool pool = ForkJoinPool.commonPool();
			for (int i = 0; i < pool.getParallelism(); i++) {
				pool.execute(this::block);
			}
			awaitBlocked(pool.getParallelism());
			Reports reports = context.getBean(Reports.class);
			CompletableFuture<String> waiting;
			try (Lease held = context.getBean(LockRegistry.class).acquire("report:1")) {
				waiting = reports.make("1");
				assertThat(held.isHeld()).isTrue();
			}
			awaitDone(waiting);
			awaitDone(reports.make("free"));
			assertStillBlocked();
		});
	}

	@Test
	@DisplayName("An executor that blocks its submitters delays no call of another lock")
	void executorBlocks() {
		TaskExecutor executor = (task) -> {
			if (this.blocked.get() < MANY) {
				block();
			}
			new Thread(task).start();
		};
		this.runner.withBean(TaskExecutor.class, () -> executor).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			List<CompletableFuture<String>> waiting = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				try (Lease held = locks.acquire("report:" + i)) {
					waiting.add(reports.make(held.key().key()));
				}
			}
			awaitBlocked(MANY);
			CompletableFuture<String> other;
			CompletableFuture<Lease> waiter;
			try (Lease held = locks.acquire("report:other")) {
				other = reports.make("other");
				waiter = locks.acquireAsync(held.key(), locks.options("report").withWaitTime(Duration.ofMinutes(1)))
					.toCompletableFuture();
			}
			awaitDone(other);
			awaitDone(waiter);
			waiter.join().close();
			assertStillBlocked();
			this.gate.countDown();
			waiting.forEach(BlockedStagesTests::awaitDone);
		});
	}

	@Test
	@DisplayName("An executor that runs tasks on the thread of its submitters, and methods that block there, delay no call of another lock")
	void callerRuns() {
		ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
		executor.setMaxPoolSize(1);
		executor.setQueueCapacity(0);
		executor.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
		this.runner.withBean(TaskExecutor.class, () -> executor).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			List<CompletableFuture<String>> waiting = new ArrayList<>();
			for (int i = 0; i < MANY; i++) {
				try (Lease held = locks.acquire("report:" + i)) {
					waiting.add(reports.makeAfter(held.key().key(), this::block));
				}
			}
			awaitBlocked(MANY);
			CompletableFuture<String> other;
			try (Lease held = locks.acquire("report:other")) {
				other = reports.make(held.key().key());
			}
			awaitDone(other);
			assertStillBlocked();
			this.gate.countDown();
			waiting.forEach(BlockedStagesTests::awaitDone);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "redis" })
	@DisplayName("What depends on a future may block: it delays no other caller, and no other grant")
	void dependentsBlock(String store) {
		this.runner.withPropertyValues("lock.store=" + store).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			for (int i = 0; i < MANY; i++) {
				CompletableFuture<String> work = new CompletableFuture<>();
				reports.follow("" + i, work).thenRun(this::block);
				new Thread(() -> work.complete("done")).start();
			}
			awaitBlocked(MANY);
			awaitDone(reports.make("free"));
			CompletableFuture<String> waiting;
			try (Lease held = locks.acquire("report:1")) {
				waiting = reports.make(held.key().key());
			}
			awaitDone(waiting);
			assertStillBlocked();
		});
	}

	@Test
	@DisplayName("Threads of the executor that wait for a future get the conflict when its wait has ended")
	void executorWaits() {
		this.runner
			.withPropertyValues("lock.names.report.wait=50ms", "spring.task.execution.pool.core-size=1",
					"spring.task.execution.thread-name-prefix=only-")
			.run((context) -> {
				Reports reports = context.getBean(Reports.class);
				TaskExecutor executor = context.getBean(TaskExecutor.class);
				CompletableFuture<String> joined;
				try (Lease held = context.getBean(LockRegistry.class).acquire("report:1")) {
					joined = CompletableFuture.supplyAsync(() -> reports.make("1").join(), executor);
					awaitDone(joined);
					assertThat(held.isHeld()).isTrue();
				}
				assertThatExceptionOfType(Exception.class).isThrownBy(joined::join)
					.withRootCauseInstanceOf(LockConflictException.class);
			});
	}

	private void block() {
		this.blocked.incrementAndGet();
		try {
			this.gate.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void awaitBlocked(int threads) {
		Awaitility.await().atMost(SOON).until(() -> this.blocked.get() == threads);
	}

	private static void awaitDone(CompletableFuture<?> future) {
		Awaitility.await().atMost(SOON).until(future::isDone);
	}

	private void assertStillBlocked() {
		assertThat(this.gate.getCount()).isOne();
	}

	static class Reports {

		@ExclusiveRequest(name = "report", key = "#id", waitTime = "1m")
		public CompletableFuture<String> make(String id) {
			return CompletableFuture.completedFuture("made");
		}

		@ExclusiveRequest(name = "report", key = "#id", waitTime = "1m")
		public CompletableFuture<String> makeAfter(String id, Runnable work) {
			work.run();
			return CompletableFuture.completedFuture("made");
		}

		@ExclusiveRequest(name = "followed", key = "#id", waitTime = "1m")
		public CompletableFuture<String> follow(String id, CompletableFuture<String> work) {
			return work;
		}

	}

}
