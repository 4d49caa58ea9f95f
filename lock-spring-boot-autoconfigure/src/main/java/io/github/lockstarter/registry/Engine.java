package io.github.lockstarter.registry;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.LockStore;

/**
 * What all locks of a registry share.
 *
 * @param store where the locks live
 * @param timer runs alarms and renewals; must never be blocked
 * @param answers runs what the application does with losses
 * @param renewals keeps held leases alive
 * @param outages tells the operator of store failures
 * @param losses is told of every lost lease
 * @param counts counts what happens
 * @param observations is told of attempts and leases
 * @param maxWaiters how many may wait for a lock here
 */
record Engine(LockStore store, ScheduledExecutorService timer, Executor answers, Renewals renewals, OutageLog outages,
		Consumer<LeaseLostEvent> losses, LockCounts counts, ObservationRegistry observations, int maxWaiters) {

	/** Asks the store about a lock; whatever it throws is an answer, too. */
	<T> CompletionStage<T> ask(LockKey key, Supplier<CompletionStage<T>> question) {
		CompletionStage<T> answer;
		try {
			answer = Objects.requireNonNull(question.get(), "a store must answer");
		}
		catch (RuntimeException ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		return answer.whenComplete((result, failure) -> heard(key, failure));
	}

	/** Takes note of an answer of the store. */
	void heard(LockKey key, @Nullable Throwable failure) {
		if (failure != null) {
			this.counts.add(key.name(), Event.STORE_ERROR);
		}
		this.outages.heard(failure);
	}

}
