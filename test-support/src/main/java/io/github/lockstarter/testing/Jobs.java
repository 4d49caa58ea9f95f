package io.github.lockstarter.testing;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The work of handlers, which a test starts and ends.
 */
public class Jobs {

	private final Map<String, Job> jobs = new ConcurrentHashMap<>();

	/** Returns the job of the key, and creates it if necessary. */
	public Job get(String key) {
		return this.jobs.computeIfAbsent(key, (each) -> new Job());
	}

	/** The work of one handler call. */
	public static final class Job {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CompletableFuture<String> outcome = new CompletableFuture<>();

		/** Called by a handler to begin asynchronous work. */
		public CompletableFuture<String> begin() {
			this.begun.countDown();
			return this.outcome;
		}

		/** Called by a handler to do the whole work on its thread. */
		public String run() {
			return begin().join();
		}

		public boolean hasBegun() {
			return this.begun.getCount() == 0;
		}

		public void awaitBegun() throws InterruptedException {
			assertThat(this.begun.await(10, TimeUnit.SECONDS)).as("begun").isTrue();
		}

		public void finish() {
			this.outcome.complete("done");
		}

		public void fail() {
			this.outcome.completeExceptionally(new IllegalStateException("failed as asked"));
		}

		public void cancel() {
			this.outcome.cancel(true);
		}

	}

}
