package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;

/**
 * Auto-configuration for locks: a {@link LockRegistry} on the {@link LockStore} that
 * {@code lock.store} names, the advice for
 * {@link io.github.lockstarter.annotation.ExclusiveRequest @ExclusiveRequest}, the guard
 * of transactions, the HTTP answers, and what operators see. An application's own bean of
 * each type takes precedence. The store is created when the registry is, and not at all
 * where a test has put another registry in its place. The advisor of transactions is
 * registered before: what is in a transaction comes inside of it.
 */
@AutoConfiguration(afterName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@EnableConfigurationProperties(LockProperties.class)
@Import({ RedisStoreConfiguration.class, JdbcStoreConfiguration.class, MemoryStoreConfiguration.class,
		MemcachedStoreConfiguration.class, DynamoDbStoreConfiguration.class, NoStoreConfiguration.class,
		LockRegistryConfiguration.class, ExclusiveRequestConfiguration.class, TransactionConfiguration.class,
		LockProblemsConfiguration.class, LockServletConfiguration.class, LockReactiveConfiguration.class,
		LockOpenApiConfiguration.class, LockMetricsConfiguration.class, LocksEndpointConfiguration.class,
		LockHealthConfiguration.class, UnknownPropertyWarning.class })
public final class LockAutoConfiguration {

}
