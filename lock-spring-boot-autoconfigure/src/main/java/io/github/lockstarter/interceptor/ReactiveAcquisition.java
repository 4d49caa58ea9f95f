package io.github.lockstarter.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

import io.github.lockstarter.completion.HeldLeases;

/**
 * The acquisition of locks for a subscriber. No thread is blocked.
 */
public final class ReactiveAcquisition {

	private ReactiveAcquisition() {
	}

	/** Returns whether this thread must not be blocked. */
	public static boolean isOnEventLoop() {
		return Schedulers.isInNonBlockingThread();
	}

	/**
	 * Returns an executor for what follows the acquisition: its threads may be blocked
	 * only if this thread may.
	 */
	public static Executor executor() {
		Scheduler scheduler = isOnEventLoop() ? Schedulers.parallel() : Schedulers.boundedElastic();
		return scheduler::schedule;
	}

	/**
	 * Emits the leases of an attempt, or abandons them if the subscription has been
	 * cancelled.
	 * @param context the context of the subscriber, whose observation is the parent of
	 * the attempt
	 * @param attempt begins the attempt
	 */
	public static Mono<HeldLeases> of(ContextView context, Supplier<CompletableFuture<HeldLeases>> attempt) {
		Observation observation = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
		return owned((observation != null) ? observation.scoped(attempt) : attempt.get());
	}

	/**
	 * Reactor itself loses the value of a future that completes at the moment of the
	 * cancellation.
	 */
	private static Mono<HeldLeases> owned(CompletableFuture<HeldLeases> attempt) {
		AtomicBoolean decided = new AtomicBoolean();
		return Mono.fromFuture(attempt).doOnNext((leases) -> decided.set(true)).doOnCancel(() -> {
			if (decided.compareAndSet(false, true)) {
				attempt.thenAccept(HeldLeases::abandon);
			}
		});
	}

}
