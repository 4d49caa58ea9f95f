package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
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
 * The locks that one call has to acquire before it proceeds. They are acquired one after
 * the other in an order that is the same for all methods, so that no two calls can wait
 * for each other.
 */
public final class LockAcquisition {

	private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

	private static final String NO_LEASE = "The LockRegistry granted null instead of a Lease: let the mock return one";

	/** In the order in which they are acquired. */
	private final List<WantedLock> locks;

	/** The lock of the first annotation. */
	private final @Nullable WantedLock first;

	private final @Nullable SharedCall sharing;

	/**
	 * Evaluates the operations of a method for a call of it.
	 * @param events is notified if the call is refused
	 * @throws io.github.lockstarter.MissingLockKeyException if the call has no value for
	 * a key
	 */
	LockAcquisition(List<LockOperation> operations, LockInvocation call, ConflictEvents events) {
		List<WantedLock> locks = new ArrayList<>(operations.size());
		SharedCall sharing = null;
		for (LockOperation operation : operations) {
			if (operation.appliesTo(call)) {
				LockKey key = operation.lockKey(call);
				if (locks.stream().noneMatch((other) -> other.key.equals(key))) {
					locks.add(new WantedLock(key, operation, events));
				}
				sharing = operation.shared(key, call);
			}
		}
		this.first = locks.isEmpty() ? null : locks.get(0);
		locks.sort(Comparator.comparing(WantedLock::key));
		this.locks = locks;
		this.sharing = sharing;
	}

	/** Returns whether the call may have to wait for one of the locks. */
	public boolean mayWait() {
		return this.locks.stream().anyMatch((lock) -> !lock.operation.options().waitTime().isZero());
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
		List<Lease> leases = new ArrayList<>(this.locks.size());
		try {
			for (WantedLock lock : this.locks) {
				leases.add(acquire(registry, lock, left(lock.options(), leases, begin)));
			}
		}
		catch (Throwable ex) {
			held(leases, false).close();
			throw ex;
		}
		return held(leases, untilResponse);
	}

	private static Lease acquire(LockRegistry registry, WantedLock lock, LockOptions options) {
		try {
			return granted(registry.acquire(lock.key, options));
		}
		catch (LockConflictException ex) {
			throw lock.refused(ex);
		}
	}

	private static HeldLeases acquireOrResult(LockRegistry registry, boolean untilResponse, SharedCall sharing,
			WantedLock lock) {
		try {
			Outcome outcome = sharing.results().acquire(registry, lock.key, lock.options(), sharing.caller());
			return HeldLeases.of(outcome, sharing, untilResponse);
		}
		catch (LockConflictException ex) {
			throw lock.refused(ex);
		}
	}

	/**
	 * Acquires the locks, or gets the result of another call, without holding a thread.
	 * Cancelling the future ends the attempt, and what has been granted is released.
	 * @param executor where the future completes, or {@code null} for threads of the
	 * registry; a refusal that is known at once completes it on this thread
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

	private static CompletableFuture<HeldLeases> acquireOrResult(LockRegistry registry, @Nullable Executor executor,
			boolean untilResponse, SharedCall sharing, WantedLock lock) {
		CompletableFuture<HeldLeases> result = new CompletableFuture<>();
		CompletableFuture<Outcome> attempt = sharing.results()
			.acquireAsync(registry, lock.key, lock.options(), sharing.caller(), executor);
		attempt.whenComplete((outcome, failure) -> {
			if (failure != null) {
				result.completeExceptionally(lock.refused(failure));
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
		return Objects.requireNonNull(lease, NO_LEASE);
	}

	/** The wait time counts from the first lock. */
	private static LockOptions left(LockOptions options, List<Lease> leases, long begin) {
		if (leases.isEmpty() || options.waitTime().isZero()) {
			return options;
		}
		Duration left = options.waitTime().minusNanos(System.nanoTime() - begin);
		return options.withWaitTime((left.compareTo(SHORTEST_WAIT) > 0) ? left : SHORTEST_WAIT);
	}

	private HeldLeases held(List<Lease> leases, boolean untilResponse) {
		int main = this.locks.indexOf(this.first);
		return new HeldLeases(leases, (main >= 0 && main < leases.size()) ? leases.get(main) : null, untilResponse);
	}

	/**
	 * A lock that the call has to acquire.
	 *
	 * @param operation the operation that asks for it
	 * @param events is notified if it is refused
	 */
	private record WantedLock(LockKey key, LockOperation operation, ConflictEvents events) {

		LockOptions options() {
			return this.operation.options(this.key);
		}

		/** A conflict gets the status of the operation that asks for the lock. */
		<T extends Throwable> T refused(T failure) {
			if (CompletionStageAdapter.cause(failure) instanceof LockConflictException conflict) {
				conflict.setStatusCode(this.operation.refusal());
				this.events.refused(this.key, conflict);
			}
			return failure;
		}

	}

	/** Acquires one lock after the other without holding a thread. */
	private final class Attempt {

		private final CompletableFuture<HeldLeases> result = new CompletableFuture<>();

		private final long begin = System.nanoTime();

		private final Iterator<WantedLock> open = LockAcquisition.this.locks.iterator();

		private final List<Lease> leases = new ArrayList<>();

		private final BiFunction<LockKey, LockOptions, CompletionStage<Lease>> acquisition;

		private final boolean untilResponse;

		Attempt(BiFunction<LockKey, LockOptions, CompletionStage<Lease>> acquisition, boolean untilResponse) {
			this.acquisition = acquisition;
			this.untilResponse = untilResponse;
		}

		void next() {
			if (this.open.hasNext() && !this.result.isDone()) {
				WantedLock lock = this.open.next();
				acquire(lock, left(lock.options(), this.leases, this.begin));
				return;
			}
			HeldLeases held = held(this.leases, this.untilResponse);
			if (!this.result.complete(held)) {
				held.abandon();
			}
		}

		private void acquire(WantedLock lock, LockOptions options) {
			CompletionStage<Lease> asked = this.acquisition.apply(lock.key, options);
			Assert.state(asked != null,
					"The LockRegistry returned null instead of a CompletionStage: let the mock return one");
			CompletableFuture<Lease> lease = asked.toCompletableFuture();
			lease.whenComplete((granted, failure) -> {
				if (granted != null) {
					this.leases.add(granted);
					next();
				}
				else {
					held(this.leases, false).abandon();
					this.result.completeExceptionally(
							(failure != null) ? lock.refused(failure) : new NullPointerException(NO_LEASE));
				}
			});
			if (!lease.isDone()) {
				this.result.whenComplete((held, failure) -> {
					if (failure != null) {
						lease.cancel(false);
					}
				});
			}
		}

	}

}
