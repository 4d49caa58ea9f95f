package io.github.lockstarter.completion;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.registry.request.SharedLease;

/**
 * What the transactions of one call mean for its leases and its result: none is committed
 * without the leases, and a result that may still be rolled back is not kept.
 */
public final class CallTransactions {

	static final String TRANSACTIONS = "org.springframework.transaction.support.TransactionSynchronizationManager";

	static final boolean PRESENT = ClassUtils.isPresent(TRANSACTIONS, CallTransactions.class.getClassLoader());

	private final List<Lease> leases;

	private volatile boolean committed;

	private volatile boolean rolledBack;

	/** The transaction of an advice that was open when the work began. */
	private volatile @Nullable Object outer;

	/** The transaction that keeps other holders from the locks until it has ended. */
	private @Nullable Object heldBy;

	private volatile boolean withinReactive;

	CallTransactions(List<Lease> leases) {
		this.leases = leases;
	}

	/** Marks that the work begins, on this thread. */
	void beginOnThread() {
		this.outer = isInTransaction() ? AdviceTransaction.current() : null;
	}

	/** Records that a reactive transaction around the call ends after its work. */
	void withinReactive() {
		this.withinReactive = true;
	}

	/**
	 * Returns why the result of the work must not be kept; {@code null} if it may be:
	 * what the work has done until now cannot be rolled back any more, and not all of it
	 * has been. What one transaction has committed must not be done again, whatever
	 * becomes of another one.
	 * @param despiteRollback whether the result may be kept although all was rolled back
	 */
	@Nullable String objection(boolean despiteRollback) {
		if (this.withinReactive || isInTransaction()) {
			return "The call is part of a transaction, which may still be rolled back";
		}
		return (this.rolledBack && !this.committed && !despiteRollback) ? "All of its transactions were rolled back"
				: null;
	}

	private static boolean isInTransaction() {
		return PRESENT && TransactionSynchronizationManager.isActualTransactionActive();
	}

	/** Returns whether the transaction of an advice began after the lock was acquired. */
	public boolean contain(Object transaction) {
		return transaction != this.outer;
	}

	/**
	 * Checks the leases before a transaction of this thread is committed. Where the store
	 * can join the transaction, no other holder is granted a lock before it has ended.
	 * @param transaction the transaction
	 * @param joined the transaction that the store may join; {@code null} if it may not
	 * @throws LeaseLostException if a lease is no longer held
	 */
	public void checkBeforeCommit(Object transaction, @Nullable Object joined) {
		// A transaction inside of one that has locked the rows would wait for the outer
		// one.
		Object ours = (this.heldBy == null) ? joined : null;
		if (ours != null) {
			this.heldBy = transaction;
		}
		for (Lease each : this.leases) {
			boolean held = (ours != null && each instanceof SharedLease shared) ? shared.holdUntilCommit(ours)
					: each.isHeld();
			if (!held) {
				throw HeldLeases.lost(each);
			}
		}
	}

	/** Marks that a reactive transaction no longer keeps other holders away. */
	public void reactiveEnded() {
		allowRenewals();
	}

	/** Returns whether a transaction that may have changed something was committed. */
	public boolean haveCommitted() {
		return this.committed;
	}

	/** Returns whether a reactive transaction around the call ends after its work. */
	public boolean areWithinReactive() {
		return this.withinReactive;
	}

	/** Marks that a transaction of this thread no longer keeps other holders away. */
	public void ended(Object transaction) {
		if (this.heldBy == transaction) {
			this.heldBy = null;
			allowRenewals();
		}
	}

	private void allowRenewals() {
		this.leases.stream()
			.filter(SharedLease.class::isInstance)
			.forEach((each) -> ((SharedLease) each).transactionEnded());
	}

	/**
	 * Records the outcome of a transaction, of this thread or of reactive work, that may
	 * have changed something.
	 * @param committed whether it was committed
	 */
	public void record(boolean committed) {
		if (committed) {
			this.committed = true;
		}
		else {
			this.rolledBack = true;
		}
	}

	/** A class of its own, because its exception class is loaded with it. */
	private static final class AdviceTransaction {

		private AdviceTransaction() {
		}

		static @Nullable Object current() {
			try {
				return TransactionAspectSupport.currentTransactionStatus();
			}
			catch (NoTransactionException ex) {
				return null;
			}
		}

	}

}
