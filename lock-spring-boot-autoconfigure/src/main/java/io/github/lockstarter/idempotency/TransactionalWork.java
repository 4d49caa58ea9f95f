package io.github.lockstarter.idempotency;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionOperations;

import io.github.lockstarter.completion.CompletionAdapterRegistry.GuardedWork;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.TransactionalResult;

/**
 * Does work in a transaction that begins and ends under its lease. Its value is kept in
 * the transaction where the store can join it.
 */
final class TransactionalWork implements GuardedWork {

	private final GuardedWork work;

	private final TransactionOperations transactions;

	TransactionalWork(GuardedWork work, TransactionOperations transactions) {
		this.work = work;
		this.transactions = transactions;
	}

	@Override
	public @Nullable Object run() throws Throwable {
		try {
			AtomicReference<@Nullable Object> value = new AtomicReference<>();
			this.transactions.executeWithoutResult((status) -> value.set(run(status)));
			return value.get();
		}
		catch (CheckedFailure ex) {
			throw Objects.requireNonNull(ex.getCause());
		}
	}

	private @Nullable Object run(TransactionStatus status) {
		Object value;
		try {
			value = this.work.run();
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new CheckedFailure(ex);
		}
		if (status instanceof DefaultTransactionStatus transaction) {
			TransactionalResult.keep(value, Objects.requireNonNull(LeaseContext.innermost()), transaction);
		}
		return value;
	}

	/**
	 * Carries a checked exception of the work out of the transaction, which it rolls
	 * back.
	 */
	private static final class CheckedFailure extends RuntimeException {

		private static final long serialVersionUID = 1;

		CheckedFailure(Throwable cause) {
			super(cause);
		}

	}

}
