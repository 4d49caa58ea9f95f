package io.github.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

import io.github.lockstarter.interceptor.LeaseTransactionListener;
import io.github.lockstarter.interceptor.ReplayTransactionAdvisor;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.LockStores;

/**
 * Configures the rollback of transactions whose lock was lost, for every transaction
 * manager.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConfigurableTransactionManager.class)
class TransactionConfiguration {

	private static final Log logger = LogFactory.getLog(TransactionConfiguration.class);

	/** Warns about a lock inside a transaction, which is released before the commit. */
	@Bean
	static SmartInitializingSingleton exclusiveRequestInsideTransactionWarning(LockProperties properties,
			ObjectProvider<BeanFactoryTransactionAttributeSourceAdvisor> transactions) {
		return () -> transactions.stream()
			.filter((advisor) -> advisor.getOrder() <= properties.advisorOrder())
			.forEach((advisor) -> logger.warn(
					"The order of transactions is %d, that of locks is %d: if a method has both, its transaction begins before the lock is acquired, and commits after the lock is released. Set lock.order below %d."
						.formatted(advisor.getOrder(), properties.advisorOrder(), advisor.getOrder())));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BeanPostProcessor exclusiveRequestLeaseTransactionListener() {
		LeaseTransactionListener listener = new LeaseTransactionListener();
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (bean instanceof ConfigurableTransactionManager transactions) {
					transactions.addListener(listener);
				}
				return bean;
			}

		};
	}

	/** After its initialization, advice of the application may surround the registry. */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BeanPostProcessor exclusiveRequestEarlyReleaseWarning() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessBeforeInitialization(Object bean, String beanName) {
				if (bean instanceof DefaultLockRegistry registry) {
					registry.onRelease(new EarlyReleaseWarning());
				}
				return bean;
			}

		};
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ReplayTransactionAdvisor exclusiveRequestReplayTransactionAdvisor(LockOperationSource operations) {
		return new ReplayTransactionAdvisor(operations);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Mono.class)
	static class ReactiveTransactionConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static ReactiveTransactionGuardProcessor exclusiveRequestReactiveTransactionGuard(
				ObjectProvider<LockOperationSource> operations, ObjectProvider<LockStores> stores, BeanFactory beans) {
			return new ReactiveTransactionGuardProcessor(operations,
					() -> LockRegistryConfiguration.isReplaced(beans) ? Stream.empty() : stores.stream());
		}

	}

}
