package io.github.lockstarter.registry.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ThreadedRuntimeTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private final AtomicBoolean noMemory = new AtomicBoolean();

	private final ThreadFactory threads = (task) -> {
		if (this.noMemory.get()) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		return new Thread(task);
	};

	@Test
	@DisplayName("Engine steps need no memory for another thread")
	void timerIsThere() {
		try (ThreadedRuntime runtime = new ThreadedRuntime(this.threads, this.threads)) {
			this.noMemory.set(true);
			CompletableFuture<Void> done = new CompletableFuture<>();
			runtime.schedule(() -> done.complete(null), 1);
			assertThat(done).succeedsWithin(SOON);
		}
	}

	@Test
	@DisplayName("A callback for which no thread can be started runs when a thread can be started")
	void callbackIsKept() {
		try (ThreadedRuntime runtime = new ThreadedRuntime(this.threads, this.threads)) {
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
		ThreadedRuntime runtime = new ThreadedRuntime(this.threads, this.threads);
		runtime.close();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		runtime.callbacks().execute(() -> thread.complete(Thread.currentThread()));
		assertThat(thread).succeedsWithin(SOON).isNotSameAs(Thread.currentThread());
	}

}
