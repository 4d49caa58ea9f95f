package io.github.lockstarter.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.ConditionalOnLockStore.StoreUse;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.dynamodb.DynamoDbLockStore;

/**
 * Configures the store in DynamoDB, if a property names it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ DynamoDbLockStore.class, DynamoDbAsyncClient.class })
@ConditionalOnLockStore(LockProperties.Store.DYNAMODB)
@EnableConfigurationProperties(DynamoDbProperties.class)
class DynamoDbStoreConfiguration {

	private final DynamoDbProperties properties;

	DynamoDbStoreConfiguration(DynamoDbProperties properties) {
		this.properties = properties;
	}

	@Bean
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.DYNAMODB, use = StoreUse.DEFAULT)
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestDynamoDbLockStore(DynamoDbStoreClient client, LockProperties locks) {
		locks.require(LockProperties.Store.DYNAMODB);
		return create(client, LockProperties.DEFAULT_STORE);
	}

	@Bean(autowireCandidate = false)
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.DYNAMODB, use = StoreUse.NAMED)
	@ConditionalOnMissingBean(value = { LockStores.class, LockRegistry.class },
			name = "exclusiveRequestDynamoDbLockStore")
	LockStore exclusiveRequestNamedDynamoDbLockStore(DynamoDbStoreClient client, LockProperties locks) {
		return create(client, locks.propertyOf(LockProperties.Store.DYNAMODB));
	}

	private LockStore create(DynamoDbStoreClient client, String property) {
		return new DynamoDbLockStore(client.get(property), this.properties.table(), this.properties.createTable(),
				this.properties.clockSkew(), this.properties.commandTimeout());
	}

	@Bean
	DynamoDbStoreClient exclusiveRequestDynamoDbClient(ListableBeanFactory beans) {
		return new DynamoDbStoreClient(beans);
	}

}
