package io.github.lockstarter.completion;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.registry.sharing.SharedLease;

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

	/** Whether a transaction of the thread was open when the work began. */
	private volatile boolean withinThread;

	/** The transaction of an advice that was open when the work began. */
	private volatile @Nullable Object outer;

	/**
	 * The resources of the reactive transaction in which the work began; {@code null} if
	 * there was none.
	 */
	private volatile @Nullable Set<Object> outerResources;

	/** What the transaction in which the whole work is done is known by. */
	private volatile Set<Object> own = Set.of();

	private volatile boolean ownCommitted;

	/** The transaction that keeps other holders from the locks until it has ended. */
	private @Nullable Object heldBy;

	CallTransactions(List<Lease> leases) {
		this.leases = leases;
	}

	/** Marks that the work begins, on this thread. */
	void beginOnThread() {
		if (isInTransaction()) {
			this.withinThread = true;
			this.outer = AdviceTransaction.current();
		}
	}

	/**
	 * Records that a reactive transaction around the call ends after its work.
	 * @param resources its resources, such as its connection
	 */
	void withinReactive(Set<Object> resources) {
		this.outerResources = resources;
	}

	/**
	 * Marks that the whole work is done in a transaction that began after the lock was
	 * acquired.
	 * @param transaction what the transaction is known by when it ends
	 */
	public void own(Set<Object> transaction) {
		this.own = transaction;
	}

	/**
	 * Returns why the result of the work must not be kept; {@code null} if it may be. It
	 * may be if what the work has done until now cannot be rolled back any more, and not
	 * all of it has been. What one transaction has committed must not be done again,
	 * whatever becomes of another one. A transaction around the call counts, unless the
	 * work had one of its own that has been committed.
	 * @param despiteRollback whether the result may be kept although all was rolled back
	 */
	@Nullable String objection(boolean despiteRollback) {
		if (!this.ownCommitted && (this.outerResources != null || this.withinThread || isInTransaction())) {
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
		if (ours == null) {
			this.leases.forEach(CallTransactions::checkHeld);
			return;
		}
		this.leases.stream().filter(CallTransactions::joins).forEach((each) -> {
			if (!((SharedLease) each).holdUntilCommit(ours)) {
				throw HeldLeases.lost(each);
			}
		});
		checkOthers();
	}

	/**
	 * Checks the leases that cannot join a transaction. They may have been lost while the
	 * database was asked for the others.
	 * @throws LeaseLostException if a lease is no longer held
	 */
	public void checkOthers() {
		this.leases.stream().filter((each) -> !joins(each)).forEach(CallTransactions::checkHeld);
	}

	/**
	 * Checks the leases that cannot join a reactive transaction, for the same reason.
	 * @throws LeaseLostException if a lease is no longer held
	 */
	public void checkOthersOfReactive() {
		this.leases.stream()
			.filter((each) -> !(each instanceof SharedLease shared && shared.joinsReactiveTransactions()))
			.forEach(CallTransactions::checkHeld);
	}

	private static boolean joins(Lease lease) {
		return lease instanceof SharedLease shared && shared.joinsTransactions();
	}

	private static void checkHeld(Lease lease) {
		if (!lease.isHeld()) {
			throw HeldLeases.lost(lease);
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

	/**
	 * Returns whether a reactive transaction began after the lock was acquired.
	 * @param resource its connection
	 */
	public boolean containReactive(Object resource) {
		Set<Object> outer = this.outerResources;
		return outer == null || !outer.contains(resource);
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
	 * @param transaction what it is known by
	 */
	public void record(Object transaction, TransactionEnd end) {
		if (end == TransactionEnd.COMMITTED) {
			this.committed = true;
			this.ownCommitted |= this.own.contains(transaction);
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
