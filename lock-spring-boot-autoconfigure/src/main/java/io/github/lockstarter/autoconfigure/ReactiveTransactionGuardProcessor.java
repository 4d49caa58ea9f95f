package io.github.lockstarter.autoconfigure;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * Adds a check of the locks before a commit to the transaction manager of R2DBC, and
 * warns about every other reactive transaction manager. Transaction listeners cannot do
 * this check: for a reactive transaction, they are notified on any thread, without its
 * Reactor context.
 */
final class ReactiveTransactionGuardProcessor implements BeanPostProcessor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(ReactiveTransactionGuardProcessor.class);

	private static final boolean R2DBC = ClassUtils.isPresent(
			"org.springframework.r2dbc.connection.R2dbcTransactionManager",
			ReactiveTransactionGuardProcessor.class.getClassLoader());

	private final ObjectProvider<LockOperationSource> operations;

	private final Supplier<Stream<LockStores>> stores;

	private final Set<String> unguarded = new ConcurrentSkipListSet<>();

	private volatile boolean guards;

	/**
	 * Creates a processor.
	 * @param operations the operations of annotated methods
	 * @param stores returns the stores; nothing if the registry does not use them
	 */
	ReactiveTransactionGuardProcessor(ObjectProvider<LockOperationSource> operations,
			Supplier<Stream<LockStores>> stores) {
		this.operations = operations;
		this.stores = stores;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (R2DBC && GuardedR2dbcTransactions.canReplace(bean)) {
			this.guards = true;
			return new GuardedR2dbcTransactions((R2dbcTransactionManager) bean);
		}
		if (bean instanceof ReactiveTransactionManager) {
			this.unguarded.add(beanName);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.operations.stream().anyMatch(LockOperationSource::hasReactive)) {
			this.unguarded.forEach((beanName) -> logger.warn(
					"The reactive transaction manager '%s' does not check locks, because its class is not R2dbcTransactionManager: its transactions are committed even if their lock has been lost, no result is stored in them, and a result is shared or replayed even if its transaction was rolled back without an error. Call lease.isHeld() at the end of such a transaction."
						.formatted(beanName)));
		}
		if (this.guards && this.operations.stream()
			.flatMap((operations) -> operations.replayedReactiveLockNames().stream())
			.anyMatch((lockName) -> this.stores.get().anyMatch((stores) -> !joins(stores.of(lockName))))) {
			logger.info("The responses of reactive methods are stored after the commit of their transactions,"
					+ " because the lock store cannot join these: if the instance crashes in between, a duplicate"
					+ " repeats the work. With lock.store=jdbc or lock.names.*.store=jdbc, and the locks in the database of the transactions,"
					+ " the responses are stored in them.");
		}
	}

	private static boolean joins(LockStore store) {
		return store.capabilities().contains(Capability.JOINS_REACTIVE_TRANSACTIONS);
	}

}
