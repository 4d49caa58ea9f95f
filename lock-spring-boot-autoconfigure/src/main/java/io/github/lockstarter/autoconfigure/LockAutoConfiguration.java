package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;

/**
 * Auto-configuration for locks: a {@link LockRegistry} with the {@link LockStore} that
 * {@code lock.store} names, and those of single locks, an
 * {@link io.github.lockstarter.IdempotencyRegistry}, the advice for
 * {@link io.github.lockstarter.annotation.ExclusiveRequest @ExclusiveRequest}, the check
 * of locks before commits, the HTTP responses, metrics, health and the endpoint. A bean
 * of the application takes precedence over each of these. The stores are created with the
 * registry, and not at all if a test replaces the registry. It comes after the
 * auto-configuration of transactions, so that the advice inside of transactions is
 * registered after their advisor. It also comes after those of GraphQL and gRPC, so that
 * their advices of the application come before the exception handlers of this library.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
		"org.springframework.boot.graphql.autoconfigure.GraphQlAutoConfiguration",
		"org.springframework.boot.grpc.server.autoconfigure.GrpcServerAutoConfiguration" })
@EnableConfigurationProperties(LockProperties.class)
@Import({ RedisStoreConfiguration.class, JdbcStoreConfiguration.class, MemoryStoreConfiguration.class,
		MemcachedStoreConfiguration.class, DynamoDbStoreConfiguration.class, NoStoreConfiguration.class,
		LockStoresConfiguration.class, LockRegistryConfiguration.class, ExclusiveRequestConfiguration.class,
		IdempotencyConfiguration.class, TransactionConfiguration.class, LockProblemsConfiguration.class,
		LockServletContainerConfiguration.class, LockServletConfiguration.class, LockReactiveConfiguration.class,
		LockGraphQlConfiguration.class, LockGrpcConfiguration.class, LockOpenApiConfiguration.class,
		LockMetricsConfiguration.class, LocksEndpointConfiguration.class, LockHealthConfiguration.class,
		LockEnvironmentVariables.class, RefreshWarning.class, UnknownPropertyWarning.class })
public final class LockAutoConfiguration {

}
