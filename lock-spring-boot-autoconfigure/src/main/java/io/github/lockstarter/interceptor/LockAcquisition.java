package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.SharedCall;

/**
 * The locks that one call has to get before it may proceed. They are acquired one after
 * the other in an order that is the same for all methods, so that no two calls can wait
 * for each other.
 */
public final class LockAcquisition {

	private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

	private final Map<LockKey, LockOperation> locks = new TreeMap<>();

	private final @Nullable LockKey first;

	private final @Nullable SharedCall sharing;

	/**
	 * Evaluates what the annotations say for the call.
	 * @throws io.github.lockstarter.MissingLockKeyException if the call has no value for
	 * a key
	 */
	LockAcquisition(List<LockOperation> operations, LockInvocation call) {
		LockKey first = null;
		SharedCall sharing = null;
		for (LockOperation operation : operations) {
			if (operation.appliesTo(call)) {
				LockKey key = operation.lockKey(call);
				this.locks.putIfAbsent(key, operation);
				first = (first != null) ? first : key;
				sharing = operation.shared(key, call);
			}
		}
		this.first = first;
		this.sharing = sharing;
	}

	/** Returns whether the call may have to wait for one of the locks. */
	public boolean mayWait() {
		return this.locks.values().stream().anyMatch((operation) -> !operation.options().waitTime().isZero());
	}

	/**
	 * Acquires the locks on this thread, or gets the result of another call.
	 * @throws LockException if one is not granted; the others are released then
	 */
	HeldLeases acquire(LockRegistry registry, boolean untilResponse) {
		if (this.sharing != null && this.first != null) {
			return acquireOrResult(registry, untilResponse, this.sharing, this.first);
		}
		long begin = System.nanoTime();
		List<Lease> leases = new ArrayList<>();
		try {
			this.locks.keySet().forEach((key) -> leases.add(acquire(registry, key, left(options(key), leases, begin))));
		}
		catch (Throwable ex) {
			held(leases, false).close();
			throw ex;
		}
		return held(leases, untilResponse);
	}

	private Lease acquire(LockRegistry registry, LockKey key, LockOptions options) {
		try {
			return granted(registry.acquire(key, options));
		}
		catch (LockConflictException ex) {
			throw refused(key, ex);
		}
	}

	private HeldLeases acquireOrResult(LockRegistry registry, boolean untilResponse, SharedCall sharing, LockKey key) {
		try {
			Outcome outcome = sharing.results().acquire(registry, key, options(key), sharing.caller());
			return HeldLeases.of(outcome, sharing, untilResponse);
		}
		catch (LockConflictException ex) {
			throw refused(key, ex);
		}
	}

	/**
	 * Acquires the locks, or gets the result of another call, without holding a thread.
	 * Cancelling the future ends the attempt, and what has been granted is released.
	 * @param executor where the future completes, or {@code null} for a few threads of
	 * the registry
	 */
	CompletableFuture<HeldLeases> acquireAsync(LockRegistry registry, @Nullable Executor executor,
			boolean untilResponse) {
		if (this.sharing != null && this.first != null) {
			return acquireOrResult(registry, executor, untilResponse, this.sharing, this.first);
		}
		Attempt attempt = new Attempt((executor == null) ? registry::acquireAsync
				: (key, options) -> registry.acquireAsync(key, options, executor), untilResponse);
		attempt.next();
		return attempt.result;
	}

	private CompletableFuture<HeldLeases> acquireOrResult(LockRegistry registry, @Nullable Executor executor,
			boolean untilResponse, SharedCall sharing, LockKey key) {
		CompletableFuture<HeldLeases> result = new CompletableFuture<>();
		CompletableFuture<Outcome> attempt = sharing.results()
			.acquireAsync(registry, key, options(key), sharing.caller(), executor);
		attempt.whenComplete((outcome, failure) -> {
			if (failure != null) {
				result.completeExceptionally(refused(key, failure));
				return;
			}
			HeldLeases held = HeldLeases.of(outcome, sharing, untilResponse);
			if (!result.complete(held)) {
				held.abandon();
			}
		});
		result.whenComplete((held, failure) -> {
			if (failure != null) {
				attempt.cancel(false);
			}
		});
		return result;
	}

	private static Lease granted(@Nullable Lease lease) {
		return Objects.requireNonNull(lease,
				"The LockRegistry granted null instead of a Lease: let the mock return one");
	}

	private LockOptions options(LockKey key) {
		return operation(key).options(key);
	}

	private LockOperation operation(LockKey key) {
		return Objects.requireNonNull(this.locks.get(key));
	}

	/** A conflict gets the status of the annotation that asked for the lock. */
	private <T extends Throwable> T refused(LockKey key, T failure) {
		if (CompletionStageAdapter.cause(failure) instanceof LockConflictException conflict) {
			conflict.setStatusCode(operation(key).refusal());
		}
		return failure;
	}

	/** The wait began with the first lock. */
	private static LockOptions left(LockOptions options, List<Lease> leases, long begin) {
		if (leases.isEmpty() || options.waitTime().isZero()) {
			return options;
		}
		Duration left = options.waitTime().minusNanos(System.nanoTime() - begin);
		return options.withWaitTime((left.compareTo(SHORTEST_WAIT) > 0) ? left : SHORTEST_WAIT);
	}

	private HeldLeases held(List<Lease> leases, boolean untilResponse) {
		Lease main = null;
		Iterator<Lease> granted = leases.iterator();
		for (LockKey key : this.locks.keySet()) {
			Lease lease = granted.hasNext() ? granted.next() : null;
			main = key.equals(this.first) ? lease : main;
		}
		return new HeldLeases(leases, main, untilResponse);
	}

	/** Acquires one lock after the other without holding a thread. */
	private final class Attempt {

		private final CompletableFuture<HeldLeases> result = new CompletableFuture<>();

		private final long begin = System.nanoTime();

		private final Iterator<LockKey> open = LockAcquisition.this.locks.keySet().iterator();

		private final List<Lease> leases = new ArrayList<>();

		private final BiFunction<LockKey, LockOptions, CompletionStage<Lease>> acquisition;

		private final boolean untilResponse;

		Attempt(BiFunction<LockKey, LockOptions, CompletionStage<Lease>> acquisition, boolean untilResponse) {
			this.acquisition = acquisition;
			this.untilResponse = untilResponse;
		}

		void next() {
			if (this.open.hasNext() && !this.result.isDone()) {
				LockKey key = this.open.next();
				acquire(key, left(options(key), this.leases, this.begin));
				return;
			}
			HeldLeases held = held(this.leases, this.untilResponse);
			if (!this.result.complete(held)) {
				held.abandon();
			}
		}

		private void acquire(LockKey key, LockOptions options) {
			CompletionStage<Lease> asked = this.acquisition.apply(key, options);
			Assert.state(asked != null,
					"The LockRegistry returned null instead of a CompletionStage: let the mock return one");
			CompletableFuture<Lease> lease = asked.toCompletableFuture();
			lease.thenApply(LockAcquisition::granted).whenComplete((granted, failure) -> {
				if (failure != null) {
					held(this.leases, false).abandon();
					this.result.completeExceptionally(refused(key, failure));
				}
				else {
					this.leases.add(granted);
					next();
				}
			});
			this.result.whenComplete((held, failure) -> {
				if (failure != null) {
					lease.cancel(false);
				}
			});
		}

	}

}
