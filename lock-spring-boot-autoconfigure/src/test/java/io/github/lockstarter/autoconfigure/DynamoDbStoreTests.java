package io.github.lockstarter.autoconfigure;

import java.util.UUID;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
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
		try (DynamoDbAsyncClient client = LocalDynamoDb.shared().client()) {
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
		try (DynamoDbAsyncClient client = LocalDynamoDb.shared().client()) {
			this.bare.withPropertyValues("lock.dynamodb.create-table=true")
				.withBean(DynamoDbAsyncClient.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
			assertThat(client.listTables().join().tableNames()).contains(this.table);
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
	@DisplayName("A table with another key is reported at start-up")
	void otherTable(CapturedOutput output) {
		try (DynamoDbAsyncClient client = LocalDynamoDb.shared().client()) {
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
	@DisplayName("While DynamoDB throttles, the library's own client gives up within the time-out, and says why")
	void throttled() {
		try (ScriptedDynamoDb server = new ScriptedDynamoDb(ScriptedDynamoDb.error(400, "ThrottlingException"))) {
			this.bare.withSystemProperties(LocalDynamoDb.systemProperties(server.endpoint())).run((context) -> {
				server.requests().clear();
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> context.getBean(LockRegistry.class).acquire("team:42"))
					.withStackTraceContaining("refused the request: ThrottlingException");
				assertThat(server.requests()).containsOnly("UpdateItem").hasSizeBetween(2, 3);
			});
		}
	}

}
