package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.SharedCall;

/**
 * The locks that one call has to acquire before it proceeds. They are acquired one after
 * the other in an order that is the same for all methods, so that no two calls can wait
 * for each other. A lock that the chain of calls holds already is joined.
 */
public final class LockAcquisition {

	private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

	private static final String NO_LEASE = "The LockRegistry granted null instead of a Lease: let the mock return one";

	private final LockedMethod method;

	/** In the order in which they are acquired. */
	private final List<WantedLock> locks;

	/** The lock of the first annotation. */
	private final @Nullable WantedLock first;

	private final @Nullable SharedCall sharing;

	/**
	 * Evaluates the operations of a method for a call of it.
	 * @throws LockException if the call has no value for a key, or needs too many locks
	 */
	LockAcquisition(LockedMethod method, LockInvocation call) {
		this.method = method;
		List<WantedLock> locks = new ArrayList<>(method.operations().size());
		Set<LockKey> keys = new HashSet<>();
		SharedCall sharing = null;
		for (LockOperation operation : method.operations()) {
			if (operation.appliesTo(call)) {
				for (LockKey key : operation.lockKeys(call)) {
					if (keys.add(key)) {
						locks.add(new WantedLock(key, operation));
					}
					sharing = operation.shared(key, call);
				}
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
	 * @param chain the leases of the chain of calls, the innermost first
	 * @throws LockException if one is not granted; the others are released then
	 */
	HeldLeases acquire(InterceptorContext context, CallChain chain, boolean untilResponse) {
		Acquired acquired = new Acquired(context, chain, untilResponse);
		for (WantedLock lock : this.locks) {
			try {
				Lease joined = acquired.join(lock);
				if (joined == null && isShared(lock)) {
					return acquired
						.outcome(acquired.whileWaiting(lock, () -> acquireOrResult(context.registry(), lock)));
				}
				acquired.add(lock, (joined != null) ? joined : acquired.whileWaiting(lock,
						() -> granted(context.registry().acquire(lock.key, acquired.left(lock)))));
			}
			catch (Throwable ex) {
				if (!acquired.proceeds(lock, ex)) {
					acquired.toLeases().close();
					HeldLeases skipped = acquired.skipped(lock, ex);
					if (skipped != null) {
						return skipped;
					}
					throw ex;
				}
			}
		}
		return acquired.toLeases();
	}

	private Outcome acquireOrResult(LockRegistry registry, WantedLock lock) {
		SharedCall sharing = Objects.requireNonNull(this.sharing);
		return sharing.results().acquire(registry, lock.key, lock.options(), sharing.caller());
	}

	/** A call that shares its result has one lock. */
	private boolean isShared(WantedLock lock) {
		return this.sharing != null && lock.equals(this.first);
	}

	/**
	 * Acquires the locks, or gets the result of another call, without holding a thread.
	 * Cancelling the future ends the attempt, and what has been granted is released.
	 * @param chain the leases of the chain of calls, the innermost first
	 * @param executor where the future completes, or {@code null} for threads of the
	 * registry; a refusal that is known at once completes it on this thread
	 */
	CompletableFuture<HeldLeases> acquireAsync(InterceptorContext context, CallChain chain, @Nullable Executor executor,
			boolean untilResponse) {
		Attempt attempt = new Attempt(new Acquired(context, chain, untilResponse), executor);
		attempt.next();
		return attempt.result;
	}

	private CompletableFuture<Outcome> acquireOrResult(LockRegistry registry, WantedLock lock,
			@Nullable Executor executor) {
		SharedCall sharing = Objects.requireNonNull(this.sharing);
		return sharing.results().acquireAsync(registry, lock.key, lock.options(), sharing.caller(), executor);
	}

	private static Lease granted(@Nullable Lease lease) {
		return Objects.requireNonNull(lease, NO_LEASE);
	}

	/**
	 * A lock that the call has to acquire.
	 *
	 * @param operation the operation that asks for it
	 */
	private record WantedLock(LockKey key, LockOperation operation) {

		LockOptions options() {
			return this.operation.options(this.key);
		}

	}

	/** What has been acquired so far. */
	private final class Acquired {

		private final InterceptorContext context;

		private final CallChain chain;

		private final boolean untilResponse;

		private final long begin = System.nanoTime();

		private final List<Lease> leases = new ArrayList<>(LockAcquisition.this.locks.size());

		private @Nullable Lease main;

		Acquired(InterceptorContext context, CallChain chain, boolean untilResponse) {
			this.context = context;
			this.chain = chain;
			this.untilResponse = untilResponse;
		}

		void add(WantedLock lock, Lease lease) {
			this.leases.add(lease);
			if (lock.equals(LockAcquisition.this.first)) {
				this.main = lease;
			}
			if (lock.operation.skips()) {
				this.context.observer().runs(lease, LockAcquisition.this.method);
			}
		}

		HeldLeases toLeases() {
			return new HeldLeases(LockAcquisition.this.method.method(), this.leases, this.main, this.untilResponse);
		}

		HeldLeases outcome(Outcome outcome) {
			return HeldLeases.of(LockAcquisition.this.method.method(), outcome,
					Objects.requireNonNull(LockAcquisition.this.sharing), this.untilResponse);
		}

		/**
		 * Returns the part of the call in the lease of its chain, if that holds the lock.
		 */
		@Nullable Lease join(WantedLock lock) {
			Lease joined = this.chain.join(lock.key);
			if (joined != null && lock.operation.replay() != null) {
				joined.close();
				throw new IllegalStateException(
						"%s replays results under lock '%s', which the method that calls it holds already: let the outer one replay"
							.formatted(LockAcquisition.this.method.method().toGenericString(), lock.key.name()));
			}
			return joined;
		}

		/** The wait time counts from the first lock. */
		LockOptions left(WantedLock lock) {
			LockOptions options = lock.options();
			if (this.leases.isEmpty() || options.waitTime().isZero()) {
				return options;
			}
			Duration left = options.waitTime().minusNanos(System.nanoTime() - this.begin);
			return options.withWaitTime((left.compareTo(SHORTEST_WAIT) > 0) ? left : SHORTEST_WAIT);
		}

		<T> T whileWaiting(WantedLock lock, Supplier<T> acquisition) {
			WaitGraph.Wait wait = beginWait(lock);
			try {
				return acquisition.get();
			}
			finally {
				endWait(wait);
			}
		}

		/**
		 * Begins to wait, if that could be for the call itself.
		 * @throws LockDeadlockException if it is
		 */
		WaitGraph.@Nullable Wait beginWait(WantedLock lock) {
			LockOptions options = lock.options();
			if (options.waitTime().isZero()) {
				return null;
			}
			this.chain.checkRequest(lock.key, options, LockAcquisition.this.method.method());
			Set<LockKey> held = this.chain.keys();
			this.leases.forEach((lease) -> held.add(lease.key()));
			return held.isEmpty() ? null
					: this.context.waits().begin(held, lock.key, options, LockAcquisition.this.method.method());
		}

		void endWait(WaitGraph.@Nullable Wait wait) {
			if (wait != null) {
				this.context.waits().end(wait);
			}
		}

		/**
		 * Returns whether the call goes on without the lock: the store failed, and the
		 * operator prefers that. A registry that is being closed, and an interrupted
		 * caller, are no failure of the store.
		 */
		boolean proceeds(WantedLock lock, Throwable thrown) {
			if (lock.operation.proceedsOnStoreFailure()
					&& CompletionStageAdapter.cause(thrown) instanceof LockStoreException failure
					&& failure.getCause() != null && !(failure.getCause() instanceof InterruptedException)) {
				this.context.observer().proceeds(lock.key, LockAcquisition.this.method, failure);
				return true;
			}
			return false;
		}

		/**
		 * Returns no leases if the call is to be skipped; {@code null} if it fails. A
		 * conflict has the status of the operation that asks for the lock.
		 */
		@Nullable HeldLeases skipped(WantedLock lock, Throwable failure) {
			if (!(CompletionStageAdapter.cause(failure) instanceof LockConflictException conflict)) {
				return null;
			}
			if (lock.operation.skips()) {
				this.context.observer().skipped(lock.key, LockAcquisition.this.method);
				return HeldLeases.ofSkippedCall(LockAcquisition.this.method.method());
			}
			conflict.setStatusCode(lock.operation.refusal());
			this.context.observer().refused(lock.key, conflict);
			return null;
		}

	}

	/** Acquires one lock after the other without holding a thread. */
	private final class Attempt {

		private final CompletableFuture<HeldLeases> result = new CompletableFuture<>();

		private final Iterator<WantedLock> open = LockAcquisition.this.locks.iterator();

		private final Acquired acquired;

		private final @Nullable Executor executor;

		Attempt(Acquired acquired, @Nullable Executor executor) {
			this.acquired = acquired;
			this.executor = executor;
		}

		void next() {
			if (!this.open.hasNext() || this.result.isDone()) {
				complete(this.acquired.toLeases());
				return;
			}
			WantedLock lock = this.open.next();
			try {
				acquire(lock);
			}
			catch (Throwable ex) {
				failed(lock, ex);
			}
		}

		private void acquire(WantedLock lock) {
			Lease joined = this.acquired.join(lock);
			if (joined != null) {
				this.acquired.add(lock, joined);
				next();
			}
			else if (isShared(lock)) {
				follow(lock, (registry) -> acquireOrResult(registry, lock, this.executor),
						(outcome) -> complete(this.acquired.outcome(outcome)));
			}
			else {
				LockOptions options = this.acquired.left(lock);
				follow(lock, (registry) -> (this.executor == null) ? registry.acquireAsync(lock.key, options)
						: registry.acquireAsync(lock.key, options, this.executor), (lease) -> {
							this.acquired.add(lock, lease);
							next();
						});
			}
		}

		private <T> void follow(WantedLock lock, Question<T> question, Answer<T> answer) {
			WaitGraph.Wait wait = this.acquired.beginWait(lock);
			CompletionStage<T> asked;
			try {
				asked = question.ask(this.acquired.context.registry());
				Assert.state(asked != null,
						"The LockRegistry returned null instead of a CompletionStage: let the mock return one");
			}
			catch (Throwable ex) {
				this.acquired.endWait(wait);
				throw ex;
			}
			CompletableFuture<T> attempt = asked.toCompletableFuture();
			attempt.whenComplete((granted, failure) -> {
				this.acquired.endWait(wait);
				if (granted != null) {
					answer.take(granted);
				}
				else {
					failed(lock, (failure != null) ? failure : new NullPointerException(NO_LEASE));
				}
			});
			if (!attempt.isDone()) {
				this.result.whenComplete((held, failure) -> {
					if (failure != null) {
						attempt.cancel(false);
					}
				});
			}
		}

		private void failed(WantedLock lock, Throwable failure) {
			if (this.acquired.proceeds(lock, failure)) {
				next();
				return;
			}
			this.acquired.toLeases().abandon();
			HeldLeases skipped = this.acquired.skipped(lock, failure);
			if (skipped != null) {
				complete(skipped);
			}
			else {
				this.result.completeExceptionally(failure);
			}
		}

		private void complete(HeldLeases leases) {
			if (!this.result.complete(leases)) {
				leases.abandon();
			}
		}

	}

	private interface Question<T> {

		@Nullable CompletionStage<T> ask(LockRegistry registry);

	}

	private interface Answer<T> {

		void take(T granted);

	}

}
