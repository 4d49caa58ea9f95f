package io.github.lockstarter.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.ConditionalOnLockStore.Use;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.dynamodb.DynamoDbLockStore;

/**
 * Configures the store in DynamoDB, if a property names it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ DynamoDbLockStore.class, DynamoDbAsyncClient.class })
@ConditionalOnLockStore(LockProperties.Store.DYNAMODB)
class DynamoDbStoreConfiguration {

	@Bean
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.DYNAMODB, use = Use.DEFAULT)
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestDynamoDbLockStore(DynamoDbStoreClient client, LockProperties properties) {
		properties.require(LockProperties.Store.DYNAMODB);
		return create(client, properties, LockProperties.DEFAULT_STORE);
	}

	@Bean(autowireCandidate = false)
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.DYNAMODB, use = Use.NAMED)
	@ConditionalOnMissingBean(value = { LockStores.class, LockRegistry.class },
			name = "exclusiveRequestDynamoDbLockStore")
	LockStore exclusiveRequestNamedDynamoDbLockStore(DynamoDbStoreClient client, LockProperties properties) {
		return create(client, properties, properties.propertyOf(LockProperties.Store.DYNAMODB));
	}

	private static LockStore create(DynamoDbStoreClient client, LockProperties properties, String property) {
		DynamoDbProperties dynamodb = properties.dynamodb();
		return new DynamoDbLockStore(client.get(property), dynamodb.table(), dynamodb.createTable(),
				dynamodb.clockSkew(), dynamodb.commandTimeout());
	}

	@Bean
	DynamoDbStoreClient exclusiveRequestDynamoDbClient(ListableBeanFactory beans) {
		return new DynamoDbStoreClient(beans);
	}

}
