package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;

/**
 * Checks and creates the table at startup. All methods block.
 */
final class TableSetup {

	private static final Log logger = LogFactory.getLog(TableSetup.class);

	private static final Duration POLL = Duration.ofMillis(500);

	private final DynamoDbAsyncClient client;

	private final String name;

	TableSetup(DynamoDbAsyncClient client, String name) {
		this.client = client;
		this.name = name;
	}

	/** Warns if the table is missing or unsuitable for locks. */
	void warnIfUnsuitable(Duration atMost) {
		inTime(atMost, () -> check(describe()));
	}

	/** Creates the table if there is none, and waits until it is active. */
	void create(Duration atMost) {
		inTime(atMost, () -> {
			if (isAbsent()) {
				createTable();
				awaitActive(atMost);
				join(this.client.updateTimeToLive((update) -> update.tableName(this.name)
					.timeToLiveSpecification((ttl) -> ttl.attributeName(Items.DELETE_AFTER).enabled(true))));
				logger.info("Created the DynamoDB table '%s'".formatted(this.name));
			}
			awaitActive(atMost);
			check(describe());
		});
	}

	private boolean isAbsent() {
		try {
			describe();
			return false;
		}
		catch (ResourceNotFoundException ex) {
			return true;
		}
	}

	private void createTable() {
		try {
			join(this.client.createTable((create) -> create.tableName(this.name)
				.billingMode(BillingMode.PAY_PER_REQUEST)
				.keySchema(KeySchemaElement.builder().attributeName(Items.KEY).keyType(KeyType.HASH).build())
				.attributeDefinitions(AttributeDefinition.builder()
					.attributeName(Items.KEY)
					.attributeType(ScalarAttributeType.S)
					.build())));
		}
		catch (ResourceInUseException ex) {
			logger.debug("Another instance creates the table", ex);
		}
	}

	private void awaitActive(Duration atMost) {
		join(this.client.waiter()
			.waitUntilTableExists((describe) -> describe.tableName(this.name),
					(waiter) -> waiter.waitTimeout(atMost)
						.maxAttempts(Integer.MAX_VALUE)
						.backoffStrategyV2(BackoffStrategy.fixedDelayWithoutJitter(POLL))));
	}

	private TableDescription describe() {
		return join(this.client.describeTable((describe) -> describe.tableName(this.name))).table();
	}

	private void check(TableDescription table) {
		boolean key = table.keySchema().size() == 1 && table.attributeDefinitions()
			.stream()
			.anyMatch((each) -> each.attributeName().equals(table.keySchema().get(0).attributeName())
					&& each.attributeName().equals(Items.KEY) && each.attributeType() == ScalarAttributeType.S);
		if (!key) {
			logger.warn(("The DynamoDB table '%s' does not have the partition key '%s', a string, and no sort key:"
					+ " calls that need a lock fail")
				.formatted(this.name, Items.KEY));
		}
	}

	/**
	 * Runs the work on a thread of its own: without an answer, the application starts
	 * nevertheless.
	 */
	private void inTime(Duration atMost, Runnable work) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				work.run();
				done.complete(null);
			}
			catch (RuntimeException ex) {
				done.completeExceptionally(ex);
			}
		}, "lock-dynamodb-table");
		thread.setDaemon(true);
		thread.start();
		try {
			done.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			report(Operations.cause(ex));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void report(Throwable failure) {
		if (failure instanceof ResourceNotFoundException) {
			logger.warn(("There is no DynamoDB table '%s': calls that need a lock fail until there is one."
					+ " Create it with the partition key '%s', a string, and the TTL attribute '%s';"
					+ " for development, lock.dynamodb.create-table=true does so")
				.formatted(this.name, Items.KEY, Items.DELETE_AFTER));
		}
		else if (failure instanceof DynamoDbException refusal && refusal.awsErrorDetails() != null
				&& "AccessDeniedException".equals(refusal.awsErrorDetails().errorCode())) {
			logger.debug("No permission to describe the DynamoDB table, which locks do not need", refusal);
		}
		else {
			logger.warn("DynamoDB does not describe the table '%s': calls that need a lock may fail until it does"
				.formatted(this.name), failure);
		}
	}

	private static <T> T join(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (Operations.cause(ex) instanceof RuntimeException cause) ? cause : ex;
		}
	}

}
