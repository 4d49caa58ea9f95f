package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsRegionProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.dynamodb.DynamoDbLockStore;
import io.github.lockstarter.testing.LocalDynamoDb;
import io.github.lockstarter.testing.ScriptedDynamoDb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class DynamoDbStoreTests {

	private final String table = "locks-" + UUID.randomUUID();

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.store=dynamodb", "lock.dynamodb.table=" + this.table,
				"lock.dynamodb.command-timeout=30s");

	private final ApplicationContextRunner runner = this.bare
		.withSystemProperties(LocalDynamoDb.shared().systemProperties());

	/** The environment is that of another account, whose DynamoDB does not answer. */
	private final ApplicationContextRunner elsewhere = this.bare.withSystemProperties("aws.region=us-east-1",
			"aws.accessKeyId=other", "aws.secretAccessKey=other", "aws.endpointUrlDynamoDb=http://127.0.0.1:1");

	@Test
	@DisplayName("The AWS SDK's own settings are used, and the table is created if configured")
	void ownClient() {
		this.runner.withPropertyValues("lock.dynamodb.create-table=true").run((context) -> {
			assertThat(context).getBean(LockStore.class).isInstanceOf(DynamoDbLockStore.class);
			assertThat(context).doesNotHaveBean(DynamoDbAsyncClient.class);
			try (Lease lease = context.getBean(LockRegistry.class).acquire("team:42")) {
				assertThat(lease.isHeld()).isTrue();
			}
			assertThat(context).hasNotFailed();
		});
		try (DynamoDbAsyncClient client = LocalDynamoDb.shared().newClient()) {
			var described = client.describeTable((table) -> table.tableName(this.table)).join().table();
			assertThat(described.keySchema()).singleElement()
				.satisfies((key) -> assertThat(key.attributeName()).isEqualTo("lock"));
			assertThat(client.describeTimeToLive((ttl) -> ttl.tableName(this.table)).join().timeToLiveDescription())
				.satisfies((ttl) -> {
					assertThat(ttl.attributeName()).isEqualTo("delete_after");
					assertThat(ttl.timeToLiveStatus()).isEqualTo(TimeToLiveStatus.ENABLED);
				});
		}
	}

	@Test
	@DisplayName("A client bean of the application is used, and not closed")
	void clientOfTheApplication() {
		try (DynamoDbAsyncClient client = LocalDynamoDb.shared().newClient()) {
			this.bare.withPropertyValues("lock.dynamodb.create-table=true")
				.withBean(DynamoDbAsyncClient.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
			assertThat(client.listTables().join().tableNames()).contains(this.table);
		}
	}

	@Test
	@DisplayName("Locks are in the account, the region and the endpoint of the application's blocking client, whatever the environment says")
	void blockingClient() {
		ClosableCredentials credentials = new ClosableCredentials();
		try (DynamoDbClient client = blocking(credentials).build()) {
			this.elsewhere.withPropertyValues("lock.dynamodb.create-table=true")
				.withBean(DynamoDbClient.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> {
					assertThat(context).doesNotHaveBean(DynamoDbAsyncClient.class);
					context.getBean(LockRegistry.class).acquire("team:42").close();
				});
			assertThat(tablesOf("shop")).contains(this.table);
			assertThat(tablesOf("local")).doesNotContain(this.table);
			awaitClosedClients();
			assertThat(credentials.closed).isFalse();
		}
	}

	@Test
	@DisplayName("Without a client, locks are in the account and the region that Spring Cloud AWS configures for its clients")
	void springCloud() {
		ClosableCredentials credentials = new ClosableCredentials();
		this.elsewhere.withSystemProperties("aws.endpointUrlDynamoDb=" + LocalDynamoDb.shared().endpoint())
			.withPropertyValues("lock.dynamodb.create-table=true")
			.withBean(AwsCredentialsProvider.class, () -> credentials,
					(definition) -> definition.setDestroyMethodName(""))
			.withBean(AwsRegionProvider.class, () -> () -> Region.EU_WEST_3)
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
		assertThat(tablesOf("shop")).contains(this.table);
		awaitClosedClients();
		assertThat(credentials.closed).isFalse();
	}

	@Test
	@DisplayName("A bean with credentials only is used with the region of the environment, and several prevent startup")
	void credentialsOnly() {
		ClosableCredentials credentials = new ClosableCredentials();
		ApplicationContextRunner application = this.elsewhere
			.withSystemProperties("aws.region=eu-west-3",
					"aws.endpointUrlDynamoDb=" + LocalDynamoDb.shared().endpoint())
			.withPropertyValues("lock.dynamodb.create-table=true")
			.withBean("shop", AwsCredentialsProvider.class, () -> credentials,
					(definition) -> definition.setDestroyMethodName(""));
		application.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
		assertThat(tablesOf("shop")).contains(this.table);
		application.withBean("archive", AwsCredentialsProvider.class, ClosableCredentials::new)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContainingAll("AwsCredentialsProvider", "shop", "archive"));
	}

	@Test
	@DisplayName("A bean with the region only is used with the credentials of the environment")
	void regionOnly() {
		this.elsewhere
			.withSystemProperties("aws.accessKeyId=shop", "aws.secretAccessKey=secret",
					"aws.endpointUrlDynamoDb=" + LocalDynamoDb.shared().endpoint())
			.withPropertyValues("lock.dynamodb.create-table=true")
			.withBean(AwsRegionProvider.class, () -> () -> Region.EU_WEST_3)
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
		assertThat(tablesOf("shop")).contains(this.table);
	}

	@Test
	@DisplayName("Retries, timeouts and interceptors of the application's blocking client are about its own requests")
	void ownRequests() {
		List<String> requests = new CopyOnWriteArrayList<>();
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.error(400, "ThrottlingException"));
				DynamoDbClient client = blocking(new ClosableCredentials()).endpointOverride(server.endpoint())
					.overrideConfiguration((overrides) -> overrides.apiCallTimeout(Duration.ofMillis(1))
						.addExecutionInterceptor(new ExecutionInterceptor() {

							@Override
							public void beforeExecution(Context.BeforeExecution context,
									ExecutionAttributes attributes) {
								requests.add(context.request().toString());
							}

						}))
					.build()) {
			this.elsewhere.withBean(DynamoDbClient.class, () -> client).run((context) -> {
				server.operations().clear();
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("team:42"))
					.withStackTraceContaining("refused the operation: ThrottlingException");
				assertThat(server.operations()).containsOnly("UpdateItem").hasSizeBetween(2, 3);
				assertThat(requests).isEmpty();
			});
		}
	}

	@Test
	@DisplayName("Several clients, of which none is primary, prevent startup, and the message names them")
	void severalClients() {
		try (DynamoDbClient client = blocking(new ClosableCredentials()).build()) {
			ApplicationContextRunner several = this.elsewhere.withBean("orders", DynamoDbClient.class, () -> client)
				.withBean("archive", DynamoDbClient.class, () -> client);
			several.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContainingAll("DynamoDbClient", "orders", "archive");
					assertThat(ex.getAction()).contains("@Primary");
				}));
			several.withBean("main", DynamoDbClient.class, () -> client, (definition) -> definition.setPrimary(true))
				.withPropertyValues("lock.dynamodb.create-table=true")
				.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
		}
	}

	@Test
	@DisplayName("A client that does not say how it connects prevents startup, and the message says what to define")
	void silentClient() {
		DynamoDbClient client = new DynamoDbClient() {

			@Override
			public String serviceName() {
				return "dynamodb";
			}

			@Override
			public void close() {
			}

		};
		this.elsewhere.withBean(DynamoDbClient.class, () -> client)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class,
						(ex) -> assertThat(ex.getAction()).contains("DynamoDbAsyncClient")));
	}

	/** Returns a blocking client of another account, for which no request is sent. */
	private static DynamoDbClientBuilder blocking(AwsCredentialsProvider credentials) {
		return DynamoDbClient.builder()
			.httpClient(new NoHttp())
			.region(Region.EU_WEST_3)
			.credentialsProvider(credentials)
			.endpointOverride(LocalDynamoDb.shared().endpoint());
	}

	/** DynamoDB Local keeps the tables of each account and region apart. */
	private static List<String> tablesOf(String account) {
		try (DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
			.region(Region.EU_WEST_3)
			.credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(account, "secret")))
			.endpointOverride(LocalDynamoDb.shared().endpoint())
			.build()) {
			return client.listTables().join().tableNames();
		}
	}

	private static void awaitClosedClients() {
		Awaitility.await()
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("lock-dynamodb-close")));
	}

	/** Credentials of the application, which it closes itself. */
	private static final class ClosableCredentials implements AwsCredentialsProvider, AutoCloseable {

		private volatile boolean closed;

		@Override
		public AwsCredentials resolveCredentials() {
			return AwsBasicCredentials.create("shop", "secret");
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

	private static final class NoHttp implements SdkHttpClient {

		@Override
		public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
		}

	}

	@Test
	@DisplayName("Without the table, the application starts, and logs what to do")
	void noTable(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("There is no DynamoDB table '" + this.table)
				.contains("lock.dynamodb.create-table=true");
		});
	}

	@Test
	@DisplayName("A table with another key is reported at startup")
	void otherTable(CapturedOutput output) {
		try (DynamoDbAsyncClient client = LocalDynamoDb.shared().newClient()) {
			client
				.createTable((table) -> table.tableName(this.table)
					.keySchema((key) -> key.attributeName("id").keyType("HASH"))
					.attributeDefinitions((each) -> each.attributeName("id").attributeType(ScalarAttributeType.S))
					.billingMode("PAY_PER_REQUEST"))
				.join();
		}
		this.runner.withPropertyValues("lock.dynamodb.create-table=true").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("does not have the partition key 'lock'");
		});
	}

	@Test
	@DisplayName("When DynamoDB is unavailable, the application starts, and logs that")
	void noServer(CapturedOutput output) {
		this.runner.withSystemProperties("aws.endpointUrlDynamoDb=http://127.0.0.1:1").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("DynamoDB does not describe the table");
		});
	}

	@Test
	@DisplayName("Without a region, the start fails, and the message says what to set")
	void noRegion() {
		this.bare
			.withSystemProperties("aws.disableEc2Metadata=true", "aws.configFile=/dev/null",
					"aws.sharedCredentialsFile=/dev/null")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("region");
					assertThat(ex.getAction()).contains("AWS_REGION");
				}));
	}

	@Test
	@DisplayName("Without credentials, the application starts, and calls that need a lock fail")
	void noCredentials(CapturedOutput output) {
		this.bare
			.withSystemProperties("aws.region=eu-central-1", "aws.disableEc2Metadata=true",
					"aws.sharedCredentialsFile=/dev/null", "aws.configFile=/dev/null")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains("DynamoDB does not describe the table").contains("credentials");
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("team:42"))
					.withStackTraceContaining("credentials");
			});
	}

	@Test
	@DisplayName("While DynamoDB throttles, the library's own client gives up within the timeout, and says why")
	void throttled() {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.error(400, "ThrottlingException"))) {
			this.bare.withSystemProperties(LocalDynamoDb.systemProperties(server.endpoint())).run((context) -> {
				server.operations().clear();
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("team:42"))
					.withStackTraceContaining("refused the operation: ThrottlingException");
				assertThat(server.operations()).containsOnly("UpdateItem").hasSizeBetween(2, 3);
			});
		}
	}

}
