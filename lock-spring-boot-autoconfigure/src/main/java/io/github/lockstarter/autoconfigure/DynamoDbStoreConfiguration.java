package io.github.lockstarter.autoconfigure;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.dynamodb.DynamoDbLockStore;

/**
 * Configures the store in DynamoDB, if {@code lock.store} names it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(DynamoDbAsyncClient.class)
@ConditionalOnLockStore(LockProperties.Store.DYNAMODB)
class DynamoDbStoreConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestDynamoDbLockStore(DynamoDbStoreClient client, LockProperties properties) {
		properties.require(LockProperties.Store.DYNAMODB);
		DynamoDbProperties dynamodb = properties.dynamodb();
		return new DynamoDbLockStore(client.get(), dynamodb.table(), dynamodb.createTable(), dynamodb.clockSkew(),
				dynamodb.commandTimeout());
	}

	@Bean
	DynamoDbStoreClient exclusiveRequestDynamoDbClient(ListableBeanFactory beans) {
		return new DynamoDbStoreClient(beans);
	}

}
