package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.endpoints.EndpointProvider;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.regions.providers.AwsRegionProvider;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointProvider;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

import io.github.lockstarter.LockConfigurationException;

/**
 * The client of the store: the asynchronous client of the application, or else one that
 * belongs to the library. The latter connects as the blocking client of the application
 * does, or as Spring Cloud AWS says. It is not a bean, so that it is not mistaken for a
 * client of the application.
 */
final class DynamoDbStoreClient implements DisposableBean {

	/**
	 * By default, the driver retries for more than ten seconds when it is throttled, and
	 * the outcome of the command would be unknown.
	 */
	private static final RetryStrategy RETRIES = AwsRetryStrategy.standardRetryStrategy()
		.toBuilder()
		.backoffStrategy(BackoffStrategy.exponentialDelay(Duration.ofMillis(25), Duration.ofMillis(100)))
		.throttlingBackoffStrategy(BackoffStrategy.exponentialDelay(Duration.ofMillis(50), Duration.ofMillis(200)))
		.build();

	private final ListableBeanFactory beans;

	private @Nullable DynamoDbAsyncClient own;

	DynamoDbStoreClient(ListableBeanFactory beans) {
		this.beans = beans;
	}

	/**
	 * Returns the client.
	 * @param property the property that chooses the store
	 */
	DynamoDbAsyncClient get(String property) {
		DynamoDbAsyncClient client = find(DynamoDbAsyncClient.class, property);
		if (client == null) {
			client = create(builder(property), property);
			this.own = client;
		}
		return client;
	}

	private <T> @Nullable T find(Class<T> type, String property) {
		try {
			return this.beans.getBeanProvider(type).getIfAvailable();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new LockConfigurationException(
					"%s is dynamodb, and there are several beans of type %s, of which none is primary: %s."
						.formatted(property, type.getSimpleName(), ex.getBeanNamesFound()),
					"Mark one of them as @Primary, or define a DynamoDbAsyncClient for the locks and mark that as @Primary.");
		}
	}

	private DynamoDbAsyncClientBuilder builder(String property) {
		DynamoDbAsyncClientBuilder builder = DynamoDbAsyncClient.builder();
		DynamoDbClient application = find(DynamoDbClient.class, property);
		if (application != null) {
			follow(configuration(application, property), builder);
		}
		else {
			followSpringCloud(builder, property);
		}
		return builder;
	}

	private static DynamoDbServiceClientConfiguration configuration(DynamoDbClient application, String property) {
		DynamoDbServiceClientConfiguration configuration = null;
		try {
			configuration = application.serviceClientConfiguration();
		}
		catch (UnsupportedOperationException ex) {
			// Not a client of the SDK, but for example of DAX.
		}
		if (configuration == null) {
			throw new LockConfigurationException(
					"%s is dynamodb, but the DynamoDbClient of the application does not say how it connects: %s."
						.formatted(property, application.getClass().getName()),
					"Define a DynamoDbAsyncClient for the locks.");
		}
		return configuration;
	}

	/**
	 * Connects as the application does. Its timeouts, retries, interceptors and metrics
	 * are about its own calls.
	 */
	private static void follow(DynamoDbServiceClientConfiguration application, DynamoDbAsyncClientBuilder builder) {
		builder.region(application.region());
		application.endpointOverride().ifPresent(builder::endpointOverride);
		EndpointProvider endpoints = application.endpointProvider().orElse(null);
		if (endpoints instanceof DynamoDbEndpointProvider provider) {
			builder.endpointProvider(provider);
		}
		builder.authSchemeProvider(application.authSchemeProvider());
		builder.credentialsProvider(new SharedCredentials(application.credentialsProvider()));
		builder.overrideConfiguration(overrides(application.overrideConfiguration()));
	}

	private static ClientOverrideConfiguration overrides(ClientOverrideConfiguration application) {
		ClientOverrideConfiguration.Builder overrides = ClientOverrideConfiguration.builder()
			.retryStrategy(RETRIES)
			.headers(application.headers());
		application.defaultProfileFile().ifPresent(overrides::defaultProfileFile);
		application.defaultProfileName().ifPresent(overrides::defaultProfileName);
		return overrides.build();
	}

	/**
	 * Takes region and credentials from the beans that Spring Cloud AWS makes for all of
	 * its clients, also for those of other services. An application may define only one
	 * of them.
	 */
	private void followSpringCloud(DynamoDbAsyncClientBuilder builder, String property) {
		builder.overrideConfiguration((overrides) -> overrides.retryStrategy(RETRIES));
		AwsRegionProvider region = find(AwsRegionProvider.class, property);
		if (region != null) {
			builder.region(region.getRegion());
		}
		AwsCredentialsProvider credentials = find(AwsCredentialsProvider.class, property);
		if (credentials != null) {
			builder.credentialsProvider(new SharedCredentials(credentials));
		}
	}

	private static DynamoDbAsyncClient create(DynamoDbAsyncClientBuilder builder, String property) {
		try {
			return builder.build();
		}
		catch (SdkClientException ex) {
			throw invalid(property, String.valueOf(ex.getMessage()));
		}
		catch (RuntimeException ex) {
			// The SDK checks an endpoint only in part, and its message may contain it.
			throw invalid(property, ex.getClass().getSimpleName() + ", for example because an endpoint is not a URL");
		}
	}

	private static LockConfigurationException invalid(String property, String reason) {
		return new LockConfigurationException(
				"%s is dynamodb, but the AWS SDK cannot create a client for it: %s".formatted(property, reason),
				"Set AWS_REGION and the other settings that the message names, or define a DynamoDbClient or a DynamoDbAsyncClient.");
	}

	/**
	 * Closes the client on another thread. This takes two seconds, or more if a server
	 * does not answer, and the application need not wait for it.
	 */
	@Override
	public void destroy() {
		if (this.own != null) {
			Thread thread = new Thread(this.own::close, "lock-dynamodb-close");
			thread.setDaemon(true);
			thread.start();
		}
	}

	/**
	 * Credentials of the application. The SDK closes those of a client together with the
	 * client.
	 */
	private record SharedCredentials(IdentityProvider<? extends AwsCredentialsIdentity> application)
			implements
				IdentityProvider<AwsCredentialsIdentity> {

		@Override
		public Class<AwsCredentialsIdentity> identityType() {
			return AwsCredentialsIdentity.class;
		}

		@Override
		public CompletableFuture<? extends AwsCredentialsIdentity> resolveIdentity(ResolveIdentityRequest request) {
			return this.application.resolveIdentity(request);
		}

	}

}
