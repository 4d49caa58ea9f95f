package io.github.lockstarter.autoconfigure;

import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Mono;

import org.springframework.r2dbc.connection.ConnectionHolder;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.Assert;

import io.github.lockstarter.interceptor.ReactiveTransactionGuard;

/**
 * The transaction manager of an application with an additional check of the locks before
 * a commit. Everything else is unchanged, including its name in the log.
 */
final class GuardedR2dbcTransactions extends R2dbcTransactionManager {

	/**
	 * Returns whether a bean can be replaced: not a subclass, which may have overridden
	 * any method.
	 */
	static boolean canReplace(Object bean) {
		return bean.getClass() == R2dbcTransactionManager.class;
	}

	GuardedR2dbcTransactions(R2dbcTransactionManager original) {
		this.logger = LogFactory.getLog(R2dbcTransactionManager.class);
		setConnectionFactory(original.getConnectionFactory());
		setEnforceReadOnly(original.isEnforceReadOnly());
		setTransactionExecutionListeners(original.getTransactionExecutionListeners());
	}

	@Override
	protected Mono<Void> doCommit(TransactionSynchronizationManager synchronization,
			GenericReactiveTransaction transaction) {
		ConnectionHolder holder = holder(synchronization);
		return ReactiveTransactionGuard.commit(transaction, holder, holder.getConnection(),
				synchronization.getCurrentTransactionIsolationLevel(),
				() -> super.doCommit(synchronization, transaction));
	}

	private ConnectionHolder holder(TransactionSynchronizationManager synchronization) {
		Object holder = synchronization.getResource(obtainConnectionFactory());
		Assert.state(holder != null, "A transaction that ends has a connection");
		return (ConnectionHolder) holder;
	}

	@Override
	protected Mono<Void> doRollback(TransactionSynchronizationManager synchronization,
			GenericReactiveTransaction transaction) {
		return ReactiveTransactionGuard.rollback(transaction, holder(synchronization),
				() -> super.doRollback(synchronization, transaction));
	}

}
