package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The attempt to kill an instance in the middle of a run.
 *
 * @param instance the instance
 * @param future the future outcome, which never completes exceptionally
 */
record Kill(Instance instance, CompletableFuture<Outcome> future) {

	@Nullable Outcome outcome() {
		return this.future.getNow(null);
	}

	boolean hasFailed() {
		Outcome outcome = outcome();
		return outcome != null && !outcome.failure().isEmpty();
	}

	/**
	 * The outcome of the attempt to kill the instance.
	 *
	 * @param time the time of the outcome
	 * @param failure the reason why the instance was not killed, or empty if it was
	 */
	record Outcome(Instant time, String failure) {

		static Outcome killed() {
			return new Outcome(Instant.now(), "");
		}

		static Outcome failed(String failure) {
			return new Outcome(Instant.now(), failure);
		}

	}

}
