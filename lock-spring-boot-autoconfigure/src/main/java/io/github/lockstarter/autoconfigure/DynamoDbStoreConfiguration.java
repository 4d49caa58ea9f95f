package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockConfigurationException;
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
	LockStore exclusiveRequestDynamoDbLockStore(Client client, LockProperties properties) {
		properties.require(LockProperties.Store.DYNAMODB);
		DynamoDbProperties dynamodb = properties.dynamodb();
		return new DynamoDbLockStore(client.get(), dynamodb.table(), dynamodb.createTable(), dynamodb.clockSkew(),
				dynamodb.commandTimeout());
	}

	@Bean
	Client exclusiveRequestDynamoDbClient(ObjectProvider<DynamoDbAsyncClient> clients) {
		return new Client(clients);
	}

	/**
	 * The client of the application, or one that belongs to the library. The latter is
	 * not a bean, so that it is not mistaken for a client of the application.
	 */
	static final class Client implements DisposableBean {

		/**
		 * By default, the driver retries for more than ten seconds when it is throttled,
		 * and the outcome of the request would be unknown.
		 */
		private static final RetryStrategy RETRIES = AwsRetryStrategy.standardRetryStrategy()
			.toBuilder()
			.backoffStrategy(BackoffStrategy.exponentialDelay(Duration.ofMillis(25), Duration.ofMillis(100)))
			.throttlingBackoffStrategy(BackoffStrategy.exponentialDelay(Duration.ofMillis(50), Duration.ofMillis(200)))
			.build();

		private final ObjectProvider<DynamoDbAsyncClient> clients;

		private @Nullable DynamoDbAsyncClient own;

		private Client(ObjectProvider<DynamoDbAsyncClient> clients) {
			this.clients = clients;
		}

		private DynamoDbAsyncClient get() {
			DynamoDbAsyncClient client = this.clients.getIfAvailable();
			if (client == null) {
				this.own = create();
				return this.own;
			}
			return client;
		}

		private static DynamoDbAsyncClient create() {
			try {
				return DynamoDbAsyncClient.builder()
					.overrideConfiguration((configuration) -> configuration.retryStrategy(RETRIES))
					.build();
			}
			catch (SdkClientException ex) {
				throw invalid(String.valueOf(ex.getMessage()));
			}
			catch (RuntimeException ex) {
				// The SDK checks an endpoint only in part, and its message may contain
				// it.
				throw invalid(ex.getClass().getSimpleName() + ", for example because an endpoint is not a URL");
			}
		}

		private static LockConfigurationException invalid(String reason) {
			return new LockConfigurationException(
					"lock.store is dynamodb, but the AWS SDK cannot create a client for it: " + reason,
					"Set AWS_REGION and the other settings that the message names, or define a DynamoDbAsyncClient.");
		}

		/**
		 * Closes the client on another thread. This takes two seconds, or more if a
		 * server does not answer, and the application need not wait for it.
		 */
		@Override
		public void destroy() {
			if (this.own != null) {
				Thread thread = new Thread(this.own::close, "lock-dynamodb-close");
				thread.setDaemon(true);
				thread.start();
			}
		}

	}

}
