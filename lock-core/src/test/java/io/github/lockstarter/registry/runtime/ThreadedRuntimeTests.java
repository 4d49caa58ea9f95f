package io.github.lockstarter.registry.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("jdk")
class ThreadedRuntimeTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private final AtomicBoolean noMemory = new AtomicBoolean();

	private final AtomicInteger started = new AtomicInteger();

	private final ThreadFactory threads = (task) -> {
		if (this.noMemory.get()) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		this.started.incrementAndGet();
		return new Thread(task);
	};

	@Test
	@DisplayName("Engine steps need no memory for another thread")
	void timerIsThere() {
		try (ThreadedRuntime runtime = runtime(2, 4)) {
			this.noMemory.set(true);
			CompletableFuture<Void> done = new CompletableFuture<>();
			runtime.schedule(() -> done.complete(null), 1);
			assertThat(done).succeedsWithin(SOON);
		}
	}

	@Test
	@DisplayName("A callback for which no thread can be started runs when a thread can be started")
	void callbackIsKept() {
		try (ThreadedRuntime runtime = runtime(2, 4)) {
			this.noMemory.set(true);
			CompletableFuture<Void> kept = new CompletableFuture<>();
			runtime.callbacks().execute(() -> kept.complete(null));
			assertThat(kept).isNotDone();
			this.noMemory.set(false);
			assertThat(kept).succeedsWithin(SOON);
		}
	}

	@Test
	@DisplayName("A callback that is submitted after shutdown runs, but not on the submitting thread")
	void callbackAfterTheEnd() {
		ThreadedRuntime runtime = runtime(2, 4);
		runtime.close();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		runtime.callbacks().execute(() -> thread.complete(Thread.currentThread()));
		assertThat(thread).succeedsWithin(SOON).isNotSameAs(Thread.currentThread());
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("While tasks block all threads, the next ones run on further threads, up to the limit")
	void blocked(Kind kind) {
		CountDownLatch goOn = new CountDownLatch(1);
		AtomicInteger blocked = new AtomicInteger();
		try (ThreadedRuntime runtime = runtime(2, 6)) {
			Executor threads = kind.of(runtime);
			for (int i = 0; i < 6; i++) {
				threads.execute(() -> {
					blocked.incrementAndGet();
					await(goOn);
				});
			}
			Awaitility.await().until(() -> blocked.get() == 6);
			CompletableFuture<Void> seventh = CompletableFuture.runAsync(() -> {
			}, threads);
			CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
			}, kind.other().of(runtime));
			assertThat(other).succeedsWithin(SOON);
			assertThat(seventh).isNotDone();
			assertThat(this.started).hasValue(1 + 6 + 1);
			goOn.countDown();
			assertThat(seventh).succeedsWithin(SOON);
		}
	}

	@Test
	@DisplayName("A callback has the context class loader of the creator of the runtime, whoever submits the first one")
	void classLoader() throws Exception {
		ClassLoader own = Thread.currentThread().getContextClassLoader();
		CompletableFuture<ClassLoader> seen = new CompletableFuture<>();
		try (ThreadedRuntime runtime = new ThreadedRuntime()) {
			Thread caller = new Thread(() -> runtime.callbacks()
				.execute(() -> seen.complete(Thread.currentThread().getContextClassLoader())));
			caller.setContextClassLoader(ClassLoader.getPlatformClassLoader());
			caller.start();
			assertThat(seen).succeedsWithin(SOON).isSameAs(own);
		}
	}

	@Test
	@DisplayName("A burst of tasks that end soon starts no further thread")
	void burst() {
		try (ThreadedRuntime runtime = runtime(2, 256)) {
			CompletableFuture<?>[] tasks = new CompletableFuture<?>[5_000];
			for (int i = 0; i < tasks.length; i++) {
				tasks[i] = CompletableFuture.runAsync(() -> {
				}, runtime.callbacks());
			}
			assertThat(CompletableFuture.allOf(tasks)).succeedsWithin(SOON);
			assertThat(this.started).hasValueLessThan(1 + 256 / 2);
		}
	}

	@Test
	@DisplayName("At shutdown, listeners that block are interrupted, and those that wait still run")
	void listenersAtTheEnd() {
		CountDownLatch interrupted = new CountDownLatch(2);
		AtomicInteger begun = new AtomicInteger();
		ThreadedRuntime runtime = runtime(2, 2);
		for (int i = 0; i < 2; i++) {
			runtime.listeners().execute(() -> {
				begun.incrementAndGet();
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException ex) {
					interrupted.countDown();
				}
			});
		}
		Awaitility.await().until(() -> begun.get() == 2);
		CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
		}, runtime.listeners());
		runtime.close();
		assertThat(waiting).succeedsWithin(SOON);
		await(interrupted);
	}

	private ThreadedRuntime runtime(int usual, int max) {
		return new ThreadedRuntime(usual, max, (name) -> this.threads);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The kinds of threads for code of the application. */
	private enum Kind {

		CALLBACKS(ThreadedRuntime::callbacks), LISTENERS(ThreadedRuntime::listeners);

		private final Function<ThreadedRuntime, Executor> executor;

		Kind(Function<ThreadedRuntime, Executor> executor) {
			this.executor = executor;
		}

		Executor of(ThreadedRuntime runtime) {
			return this.executor.apply(runtime);
		}

		Kind other() {
			return (this == CALLBACKS) ? LISTENERS : CALLBACKS;
		}

	}

}
