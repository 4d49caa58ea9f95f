package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

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
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.operation.ConflictStatuses;
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

	private static final String NO_STAGE = "The LockRegistry returned null instead of a CompletionStage. If it is a mock, configure it to return one";

	private final LockedMethod method;

	private final InterceptorContext context;

	private final CallChain chain;

	private final ReleaseOn releaseOn;

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
	 * @param releaseOn what ends the leases
	 * @throws LockException if the call has no value for a key, or needs too many locks
	 */
	LockAcquisition(LockedMethod method, LockInvocation call, InterceptorContext context, CallChain chain,
			ReleaseOn releaseOn) {
		this.method = method;
		this.context = context;
		this.chain = chain;
		this.releaseOn = releaseOn;
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
		Attempt attempt = new Attempt(AcquisitionMode.BLOCKING, this.chain, this.releaseOn, this.budget);
		attempt.proceed();
		return attempt.leases();
	}

	/**
	 * Acquires the locks, or receives the result of another call, without blocking a
	 * thread. Cancelling the future ends the attempt, and releases the granted locks.
	 * @param executor completes the future. An immediate rejection completes it on this
	 * thread, and a rejection after a release on the thread that completes the release
	 * @return fails if a lock is not granted, after the others have been released
	 */
	public CompletableFuture<HeldLeases> acquireAsync(Executor executor) {
		return acquireAsync(executor, this.chain, this.releaseOn, this.budget);
	}

	/**
	 * Acquires the locks like {@link #acquireAsync(Executor)}, for one of several
	 * subscribers.
	 * @param outer the leases of the calls that enclose the subscription, those of the
	 * innermost call first
	 * @param releaseOn what ends the leases
	 */
	CompletableFuture<HeldLeases> acquireAsync(Executor executor, List<HeldLeases> outer, ReleaseOn releaseOn) {
		return acquireAsync(executor, this.chain.within(outer), releaseOn, new WaitBudget());
	}

	private CompletableFuture<HeldLeases> acquireAsync(Executor executor, CallChain chain, ReleaseOn releaseOn,
			WaitBudget budget) {
		Attempt attempt = new Attempt(new AcquisitionMode.NonBlockingMode(executor), chain, releaseOn, budget);
		attempt.proceed();
		return attempt.result;
	}

	private static List<LockKey> keys(List<WantedLock> locks) {
		return locks.stream().map(WantedLock::key).toList();
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

	/**
	 * An attempt to acquire the locks, those of one operation after those of the other.
	 * It is the same for a caller whose thread waits and for one that blocks no thread.
	 * The caller may give up at any time by completing the result itself.
	 */
	private final class Attempt {

		private final InterceptorContext context = LockAcquisition.this.context;

		private final AcquisitionMode mode;

		private final CallChain chain;

		private final ReleaseOn releaseOn;

		private final WaitBudget budget;

		/** The number of groups of locks that have been asked for. */
		private int asked;

		private final List<Lease> leases = new ArrayList<>(LockAcquisition.this.locks.size());

		private @Nullable Lease main;

		/** The outcome for a call that shares its result. */
		private @Nullable Outcome outcome;

		private final PendingLeases result = new PendingLeases();

		private @Nullable Throwable failure;

		Attempt(AcquisitionMode mode, CallChain chain, ReleaseOn releaseOn, WaitBudget budget) {
			this.mode = mode;
			this.chain = chain;
			this.releaseOn = releaseOn;
			this.budget = budget;
		}

		/**
		 * Acquires the next locks. Immediate grants are processed in a loop, not by
		 * recursion: there may be many locks.
		 */
		void proceed() {
			List<List<WantedLock>> all = LockAcquisition.this.locks;
			while (this.asked < all.size() && !this.result.isDone()) {
				if (!acquire(all.get(this.asked++))) {
					return;
				}
			}
			this.result.grant(held());
		}

		/**
		 * Acquires locks of one operation, together. A call that shares its result has
		 * only one lock.
		 * @return whether to proceed; {@code false} if that is not known yet and
		 * {@link #proceed} is called later, or after a failure
		 */
		private boolean acquire(List<WantedLock> locks) {
			WaitGraph.Wait wait = null;
			try {
				List<WantedLock> open = join(locks);
				if (open.isEmpty()) {
					return true;
				}
				wait = beginWait(open);
				LockRegistry registry = this.context.registry();
				SharedCall sharing = LockAcquisition.this.sharing;
				WantedLock first = open.get(0);
				LockOptions options = this.budget.next(first.options());
				if (sharing != null) {
					return follow(open, wait, this.mode.acquireOrResult(registry, first.key, options, sharing),
							(outcome) -> this.outcome = outcome);
				}
				if (open.size() == 1) {
					return follow(open, wait, this.mode.acquire(registry, first.key, options),
							(lease) -> add(first, lease));
				}
				return follow(open, wait, this.mode.acquireAll(registry, keys(open), options),
						(leases) -> add(open, leases));
			}
			catch (Throwable ex) {
				endWait(wait);
				return failed(locks, ex);
			}
		}

		/** Joins the leases of the chain, and returns the locks that it does not hold. */
		private List<WantedLock> join(List<WantedLock> locks) {
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

		/**
		 * Begins to wait, and records the wait if a deadlock is possible.
		 * @throws LockDeadlockException if it would be a deadlock
		 */
		private WaitGraph.@Nullable Wait beginWait(List<WantedLock> locks) {
			if (locks.get(0).options().waitTime().isZero()) {
				return null;
			}
			Method method = LockAcquisition.this.method.method();
			locks.forEach((lock) -> this.chain.checkRequest(lock.key, method));
			Set<LockKey> acquired = new HashSet<>();
			this.leases.forEach((lease) -> acquired.add(lease.key()));
			return this.context.waits().begin(this.chain, acquired, keys(locks), method);
		}

		private void endWait(WaitGraph.@Nullable Wait wait) {
			if (wait != null) {
				this.context.waits().end(wait);
			}
		}

		/**
		 * Follows the acquisition of locks, which may have ended already.
		 * @param granted takes what is granted
		 * @return whether to proceed now
		 */
		private <T> boolean follow(List<WantedLock> locks, WaitGraph.@Nullable Wait wait,
				@Nullable CompletionStage<T> stage, Consumer<T> granted) {
			Assert.state(stage != null, NO_STAGE);
			CompletableFuture<T> pending = stage.toCompletableFuture();
			if (pending.isCompletedExceptionally()) {
				endWait(wait);
				return pending.handle((none, failure) -> failed(locks, failure)).join();
			}
			if (pending.isDone()) {
				endWait(wait);
				return accepted(locks, granted, pending.join());
			}
			pending.whenComplete((value, failure) -> {
				endWait(wait);
				if ((failure != null) ? failed(locks, failure) : accepted(locks, granted, value)) {
					proceed();
				}
			});
			this.result.follow(pending);
			return false;
		}

		private <T> boolean accepted(List<WantedLock> locks, Consumer<T> granted, T value) {
			try {
				granted.accept(value);
				return true;
			}
			catch (Throwable ex) {
				return failed(locks, ex);
			}
		}

		private void add(List<WantedLock> locks, @Nullable List<@Nullable Lease> granted) {
			Assert.state(granted != null && granted.size() == locks.size(), NO_LEASE);
			for (int i = 0; i < granted.size(); i++) {
				add(locks.get(i), granted.get(i));
			}
		}

		private void add(WantedLock lock, @Nullable Lease lease) {
			this.leases.add(Objects.requireNonNull(lease, NO_LEASE));
			if (lock.equals(LockAcquisition.this.first)) {
				this.main = lease;
			}
		}

		/**
		 * Ends the attempt after a failure, as soon as the granted locks have been
		 * released, unless the call proceeds without the locks that have failed.
		 * @return whether to proceed
		 */
		private boolean failed(List<WantedLock> locks, Throwable failure) {
			WantedLock lock = locks.get(0);
			Throwable reason = failure;
			try {
				if (proceeds(lock, failure)) {
					return true;
				}
			}
			catch (Throwable ex) {
				reason = ex;
			}
			end(lock.operation, reason);
			return false;
		}

		private void end(LockOperation operation, Throwable reason) {
			released().whenComplete((released, ignored) -> answer(operation, reason));
		}

		/**
		 * Releases the granted locks. Whether that succeeds does not change the answer to
		 * the caller.
		 */
		private CompletableFuture<Void> released() {
			try {
				return this.mode.released(held().abandon()).toCompletableFuture();
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		/**
		 * Returns whether the call proceeds without the lock: the store failed, and the
		 * operation proceeds on a store failure. A registry that is being closed and an
		 * interrupted caller are not failures of the store.
		 */
		private boolean proceeds(WantedLock lock, Throwable thrown) {
			if (lock.operation.proceedsOnStoreFailure()
					&& CompletionStageAdapter.cause(thrown) instanceof LockStoreException failure
					&& failure.getCause() != null && !(failure.getCause() instanceof InterruptedException)) {
				this.context.observer().proceeds(lock.key, LockAcquisition.this.method, failure);
				return true;
			}
			return false;
		}

		/**
		 * Answers the caller with the failure. The conflict of an operation that skips
		 * the call is none; any other has the status of the operation.
		 */
		private void answer(LockOperation operation, Throwable failure) {
			try {
				if (!(CompletionStageAdapter.cause(failure) instanceof LockConflictException conflict)) {
					fail(failure);
				}
				else if (operation.skips()) {
					this.context.observer().skipped(conflict.getKey(), LockAcquisition.this.method);
					this.result.grant(HeldLeases.ofSkippedCall(LockAcquisition.this.method.method()));
				}
				else {
					LockConflictException rejection = ConflictStatuses.withStatusOf(operation, conflict);
					this.context.observer().rejected(rejection);
					fail(rejection);
				}
			}
			catch (Throwable ex) {
				// Otherwise nobody would complete the result.
				fail(ex);
			}
		}

		private void fail(Throwable failure) {
			this.failure = failure;
			this.result.completeExceptionally(failure);
		}

		/** Returns the leases under which the method runs. */
		private HeldLeases held() {
			Method method = LockAcquisition.this.method.method();
			return (this.outcome != null) ? HeldLeases.of(method, this.outcome,
					Objects.requireNonNull(LockAcquisition.this.sharing), this.releaseOn)
					: new HeldLeases(method, this.leases, this.main, this.releaseOn);
		}

		/**
		 * Returns the leases, on the thread that has waited for them. The failure is not
		 * wrapped: a conflict has no stack trace, and its wrapper would have one.
		 */
		HeldLeases leases() {
			if (this.failure != null) {
				ReflectionUtils.rethrowRuntimeException(this.failure);
			}
			return this.result.join();
		}

	}

}
