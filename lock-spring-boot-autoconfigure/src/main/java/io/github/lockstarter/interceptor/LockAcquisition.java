package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

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
import io.github.lockstarter.WaitBudget;
import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.SharedCall;

/**
 * Acquires the locks of one call before it proceeds. The locks of each annotation are
 * acquired together. Those of several annotations are acquired in an order that is the
 * same for all methods. So calls cannot deadlock if no outer call holds a lock. A lease
 * that the chain of calls holds already is joined.
 */
public final class LockAcquisition {

	private static final String NO_LEASE = "The LockRegistry returned null instead of a Lease. If it is a mock, configure it to return one";

	private final LockedMethod method;

	private final InterceptorContext context;

	private final CallChain chain;

	private final boolean untilResponse;

	/**
	 * The locks in the order in which they are acquired, grouped by operation.
	 */
	private final List<List<WantedLock>> locks;

	/** The lock of the first annotation. */
	private final @Nullable WantedLock first;

	private final @Nullable SharedCall sharing;

	private WaitBudget budget = new WaitBudget();

	/**
	 * Evaluates the operations of a method for a call of it.
	 * @param context the shared context of all calls
	 * @param chain the leases of the chain of calls, the innermost first
	 * @param untilResponse whether the leases are held until the request has ended
	 * @throws LockException if the call has no value for a key, or needs too many locks
	 */
	LockAcquisition(LockedMethod method, LockInvocation call, InterceptorContext context, CallChain chain,
			boolean untilResponse) {
		this.method = method;
		this.context = context;
		this.chain = chain;
		this.untilResponse = untilResponse;
		List<LockOperation> operations = method.operations();
		boolean several = operations.size() > 1;
		List<WantedLock> locks = new ArrayList<>(operations.size());
		Set<LockKey> keys = several ? new HashSet<>() : Set.of();
		SharedCall sharing = null;
		for (LockOperation operation : operations) {
			if (operation.appliesTo(call)) {
				for (LockKey key : operation.lockKeys(call)) {
					if (!several || keys.add(key)) {
						locks.add(new WantedLock(key, operation));
					}
					sharing = operation.shared(key, call);
				}
			}
		}
		this.first = locks.isEmpty() ? null : locks.get(0);
		this.locks = (locks.size() > 1) ? groups(locks) : locks.isEmpty() ? List.of() : List.of(locks);
		this.sharing = sharing;
	}

	private static List<List<WantedLock>> groups(List<WantedLock> locks) {
		locks.sort(Comparator.comparing(WantedLock::key));
		List<List<WantedLock>> groups = new ArrayList<>();
		for (WantedLock lock : locks) {
			List<WantedLock> last = groups.isEmpty() ? List.of() : groups.get(groups.size() - 1);
			if (!last.isEmpty() && last.get(0).operation.equals(lock.operation)) {
				last.add(lock);
			}
			else {
				groups.add(new ArrayList<>(List.of(lock)));
			}
		}
		return groups;
	}

	/** Returns the annotated method. */
	public LockedMethod method() {
		return this.method;
	}

	/** Returns whether another call needs the same locks, for the same annotations. */
	public boolean isFor(LockAcquisition other) {
		return this.method == other.method && this.locks.equals(other.locks);
	}

	/**
	 * Releases the leases of an earlier acquisition of the call, which turned out to be
	 * for other locks. The wait time includes that of the earlier acquisition.
	 */
	public void replace(LockAcquisition earlier, HeldLeases leases) {
		leases.abandon().toCompletableFuture().join();
		this.budget = earlier.budget;
	}

	/** Returns whether the call may have to wait for one of the locks. */
	public boolean mayWait() {
		return this.locks.stream().anyMatch((locks) -> !locks.get(0).operation.options().waitTime().isZero());
	}

	/**
	 * Acquires the locks on this thread, or receives the result of another call.
	 * @throws LockException if one is not granted; the others are released then
	 */
	public HeldLeases acquire() {
		Acquired acquired = new Acquired(this.chain, this.untilResponse, this.budget);
		for (List<WantedLock> locks : this.locks) {
			List<WantedLock> open = locks;
			try {
				open = acquired.join(locks);
				if (isShared(open)) {
					return acquired.outcome(acquired.acquireOrResult(open));
				}
				if (!open.isEmpty()) {
					acquired.acquire(open);
				}
			}
			catch (Throwable ex) {
				if (!acquired.proceeds(open, ex)) {
					acquired.toLeases().abandon().toCompletableFuture().join();
					HeldLeases skipped = acquired.skipped(open.get(0), ex);
					if (skipped != null) {
						return skipped;
					}
					throw ex;
				}
			}
		}
		return acquired.toLeases();
	}

	private static List<LockKey> keys(List<WantedLock> locks) {
		return locks.stream().map(WantedLock::key).toList();
	}

	/** A call that shares its result has only one lock. */
	private boolean isShared(List<WantedLock> open) {
		return this.sharing != null && !open.isEmpty();
	}

	/**
	 * Acquires the locks, or receives the result of another call, without blocking a
	 * thread. Cancelling the future ends the attempt, and releases the granted locks.
	 * @param executor completes the future; an immediate rejection completes it on this
	 * thread
	 */
	public CompletableFuture<HeldLeases> acquireAsync(Executor executor) {
		return attempt(new Acquired(this.chain, this.untilResponse, this.budget), executor);
	}

	/**
	 * Acquires the locks like {@link #acquireAsync(Executor)}, for one of several
	 * subscribers.
	 * @param outer the leases of the calls that enclose the subscription, those of the
	 * innermost call first
	 * @param untilResponse whether the leases are held until the request has ended
	 */
	CompletableFuture<HeldLeases> acquireAsync(Executor executor, List<HeldLeases> outer, boolean untilResponse) {
		return attempt(new Acquired(this.chain.within(outer), untilResponse, new WaitBudget()), executor);
	}

	private CompletableFuture<HeldLeases> attempt(Acquired acquired, Executor executor) {
		Attempt attempt = new Attempt(acquired, executor);
		attempt.next();
		return attempt.result;
	}

	/**
	 * A lock that the call has to acquire.
	 *
	 * @param operation the operation that needs it
	 */
	private record WantedLock(LockKey key, LockOperation operation) {

		LockOptions options() {
			return this.operation.options(this.key);
		}

	}

	/** The locks that have been acquired so far. */
	private final class Acquired {

		private final InterceptorContext context = LockAcquisition.this.context;

		private final CallChain chain;

		private final boolean untilResponse;

		private final WaitBudget budget;

		private final List<Lease> leases = new ArrayList<>(LockAcquisition.this.locks.size());

		private @Nullable Lease main;

		Acquired(CallChain chain, boolean untilResponse, WaitBudget budget) {
			this.chain = chain;
			this.untilResponse = untilResponse;
			this.budget = budget;
		}

		private void add(WantedLock lock, Lease lease) {
			this.leases.add(lease);
			if (lock.equals(LockAcquisition.this.first)) {
				this.main = lease;
			}
		}

		void add(List<WantedLock> locks, List<@Nullable Lease> granted) {
			Assert.state(granted.size() == locks.size(), NO_LEASE);
			for (int i = 0; i < granted.size(); i++) {
				add(locks.get(i), Objects.requireNonNull(granted.get(i), NO_LEASE));
			}
		}

		/** Acquires locks of one operation, together. */
		void acquire(List<WantedLock> locks) {
			LockRegistry registry = this.context.registry();
			WantedLock first = locks.get(0);
			WaitGraph.Wait wait = beginWait(locks);
			try {
				add(locks, (locks.size() == 1) ? Collections.singletonList(registry.acquire(first.key, options(first)))
						: List.copyOf(registry.acquireAll(keys(locks), options(first))));
			}
			finally {
				endWait(wait);
			}
		}

		/** Acquires the lock, or receives the result of another call. */
		Outcome acquireOrResult(List<WantedLock> locks) {
			SharedCall sharing = Objects.requireNonNull(LockAcquisition.this.sharing);
			WantedLock lock = locks.get(0);
			WaitGraph.Wait wait = beginWait(locks);
			try {
				return sharing.results().acquire(this.context.registry(), lock.key, options(lock), sharing.caller());
			}
			finally {
				endWait(wait);
			}
		}

		/** Returns the leases under which the method runs. */
		HeldLeases toLeases() {
			return new HeldLeases(LockAcquisition.this.method.method(), this.leases, this.main, this.untilResponse);
		}

		HeldLeases outcome(Outcome outcome) {
			return HeldLeases.of(LockAcquisition.this.method.method(), outcome,
					Objects.requireNonNull(LockAcquisition.this.sharing), this.untilResponse);
		}

		/** Joins the leases of the chain, and returns the locks that it does not hold. */
		List<WantedLock> join(List<WantedLock> locks) {
			if (this.chain.isEmpty()) {
				return locks;
			}
			List<WantedLock> open = new ArrayList<>(locks.size());
			for (WantedLock lock : locks) {
				Lease joined = this.chain.join(lock.key);
				if (joined == null) {
					open.add(lock);
				}
				else {
					add(lock, joined);
					Assert.state(lock.operation.replay() == null,
							() -> "%s replays results under lock '%s', which its calling method holds already: declare the replay on the calling method"
								.formatted(LockAcquisition.this.method.method().toGenericString(), lock.key.name()));
				}
			}
			return open;
		}

		/** Returns the options of the lock that is acquired next. */
		LockOptions options(WantedLock lock) {
			return this.budget.next(lock.options());
		}

		/**
		 * Begins to wait, and records the wait if a deadlock is possible.
		 * @throws LockDeadlockException if it would be a deadlock
		 */
		WaitGraph.@Nullable Wait beginWait(List<WantedLock> locks) {
			if (locks.get(0).options().waitTime().isZero()) {
				return null;
			}
			Method method = LockAcquisition.this.method.method();
			locks.forEach((lock) -> this.chain.checkRequest(lock.key, method));
			Set<LockKey> acquired = new HashSet<>();
			this.leases.forEach((lease) -> acquired.add(lease.key()));
			return this.context.waits().begin(this.chain, acquired, keys(locks), method);
		}

		void endWait(WaitGraph.@Nullable Wait wait) {
			if (wait != null) {
				this.context.waits().end(wait);
			}
		}

		/**
		 * Returns whether the call proceeds without the lock: the store failed, and the
		 * operation proceeds on a store failure. A registry that is being closed and an
		 * interrupted caller are not failures of the store.
		 */
		boolean proceeds(List<WantedLock> locks, Throwable thrown) {
			WantedLock lock = locks.get(0);
			if (lock.operation.proceedsOnStoreFailure()
					&& CompletionStageAdapter.cause(thrown) instanceof LockStoreException failure
					&& failure.getCause() != null && !(failure.getCause() instanceof InterruptedException)) {
				this.context.observer().proceeds(lock.key, LockAcquisition.this.method, failure);
				return true;
			}
			return false;
		}

		/**
		 * Returns no leases if the call is skipped because of a conflict; {@code null} if
		 * the failure is none.
		 * @throws LockConflictException if the call is rejected; with the status of the
		 * operation that needs the lock
		 */
		@Nullable HeldLeases skipped(WantedLock lock, Throwable failure) {
			if (!(CompletionStageAdapter.cause(failure) instanceof LockConflictException conflict)) {
				return null;
			}
			if (lock.operation.skips()) {
				this.context.observer().skipped(conflict.getKey(), LockAcquisition.this.method);
				return HeldLeases.ofSkippedCall(LockAcquisition.this.method.method());
			}
			LockConflictException rejection = conflict.withStatusCode(lock.operation.conflictStatus());
			this.context.observer().rejected(rejection);
			throw rejection;
		}

	}

	/** Acquires one lock after the other without blocking a thread. */
	private final class Attempt {

		private final CompletableFuture<HeldLeases> result = new CompletableFuture<>();

		private final Iterator<List<WantedLock>> open = LockAcquisition.this.locks.iterator();

		private final Acquired acquired;

		private final Executor executor;

		Attempt(Acquired acquired, Executor executor) {
			this.acquired = acquired;
			this.executor = executor;
		}

		void next() {
			if (this.result.isDone()) {
				this.acquired.toLeases().abandon();
				return;
			}
			if (!this.open.hasNext()) {
				complete(this.acquired.toLeases());
				return;
			}
			List<WantedLock> locks = this.open.next();
			try {
				acquire(locks);
			}
			catch (Throwable ex) {
				failed(locks, ex);
			}
		}

		private void acquire(List<WantedLock> locks) {
			List<WantedLock> open = this.acquired.join(locks);
			if (open.isEmpty()) {
				next();
				return;
			}
			LockRegistry registry = this.acquired.context.registry();
			WantedLock first = open.get(0);
			LockOptions options = this.acquired.options(first);
			WaitGraph.Wait wait = this.acquired.beginWait(open);
			try {
				if (isShared(open)) {
					SharedCall sharing = Objects.requireNonNull(LockAcquisition.this.sharing);
					follow(open, wait,
							sharing.results()
								.acquireAsync(registry, first.key, options, sharing.caller(), this.executor),
							(outcome) -> complete(this.acquired.outcome(outcome)));
				}
				else if (open.size() == 1) {
					follow(open, wait, registry.acquireAsync(first.key, options, this.executor),
							(lease) -> go(open, Collections.singletonList(lease)));
				}
				else {
					follow(open, wait, registry.acquireAllAsync(keys(open), options, this.executor),
							(leases) -> go(open, (leases != null) ? List.copyOf(leases) : List.of()));
				}
			}
			catch (Throwable ex) {
				this.acquired.endWait(wait);
				throw ex;
			}
		}

		private void go(List<WantedLock> locks, List<@Nullable Lease> granted) {
			this.acquired.add(locks, granted);
			next();
		}

		/**
		 * Cancelling the result cancels the pending acquire call itself, not a dependent
		 * stage.
		 */
		private <T> void follow(List<WantedLock> locks, WaitGraph.@Nullable Wait wait, CompletionStage<T> asked,
				Consumer<T> granted) {
			Assert.state(asked != null,
					"The LockRegistry returned null instead of a CompletionStage. If it is a mock, configure it to return one");
			CompletableFuture<T> attempt = asked.toCompletableFuture();
			attempt.whenComplete((leases, failure) -> {
				this.acquired.endWait(wait);
				try {
					if (failure == null) {
						granted.accept(leases);
						return;
					}
				}
				catch (Throwable ex) {
					failed(locks, ex);
					return;
				}
				failed(locks, failure);
			});
			if (!attempt.isDone()) {
				this.result.whenComplete((held, failure) -> {
					if (failure != null) {
						attempt.cancel(false);
					}
				});
			}
		}

		private void failed(List<WantedLock> locks, Throwable failure) {
			if (this.acquired.proceeds(locks, failure)) {
				next();
				return;
			}
			this.acquired.toLeases().abandon();
			try {
				HeldLeases skipped = this.acquired.skipped(locks.get(0), failure);
				if (skipped != null) {
					complete(skipped);
				}
				else {
					this.result.completeExceptionally(failure);
				}
			}
			catch (Throwable ex) {
				this.result.completeExceptionally(ex);
			}
		}

		private void complete(HeldLeases leases) {
			if (!this.result.complete(leases)) {
				leases.abandon();
			}
		}

	}

}
