package io.github.lockstarter.store.dynamodb;

import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Select;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.testing.LocalDynamoDb;

/**
 * A new table on the shared server, and stores that use it. Records the operations.
 */
final class DynamoDbTable implements AutoCloseable {

	private final String name = "locks-" + UUID.randomUUID();

	private final List<String> operations = new CopyOnWriteArrayList<>();

	private final AtomicReference<@Nullable Runnable> first = new AtomicReference<>();

	private volatile String firstOf = "";

	private final AtomicBoolean losesAnswer = new AtomicBoolean();

	private final DynamoDbAsyncClient client;

	DynamoDbTable() {
		this(LocalDynamoDb.shared());
	}

	DynamoDbTable(LocalDynamoDb server) {
		this.client = server.newClient(new ExecutionInterceptor() {

			@Override
			public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
				if (context.request().getClass().getSimpleName().equals(DynamoDbTable.this.firstOf + "Request")) {
					Runnable action = DynamoDbTable.this.first.getAndSet(null);
					if (action != null) {
						action.run();
					}
				}
			}

			@Override
			public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
				DynamoDbTable.this.operations
					.add(context.request().getClass().getSimpleName().replaceFirst("Request$", ""));
			}

			@Override
			public SdkHttpResponse modifyHttpResponse(Context.ModifyHttpResponse context,
					ExecutionAttributes attributes) {
				boolean lost = DynamoDbTable.this.losesAnswer.getAndSet(false);
				return lost ? context.httpResponse().toBuilder().statusCode(503).build() : context.httpResponse();
			}

		});
		create();
		this.operations.clear();
	}

	void create() {
		new TableSetup(this.client, this.name).create(Duration.ofMinutes(1));
	}

	/** Returns a store whose clock agrees with those of others. */
	DynamoDbLockStore store() {
		return store(Duration.ZERO, Clock.systemUTC());
	}

	DynamoDbLockStore store(Duration clockSkew, InstantSource clock) {
		return new DynamoDbLockStore(this.client, this.name, false, new LeaseClock(clock, clockSkew),
				Duration.ofSeconds(30));
	}

	DynamoDbLockStore store(Duration timeout) {
		return new DynamoDbLockStore(this.client, this.name, false, Duration.ZERO, timeout);
	}

	/** Runs the action just before the next operation of this kind is sent. */
	void beforeNext(String operation, Runnable action) {
		this.firstOf = operation;
		this.first.set(action);
	}

	/** Executes the next operation, but returns a failure to the driver. */
	void loseNextAnswer() {
		this.losesAnswer.set(true);
	}

	String name() {
		return this.name;
	}

	DynamoDbAsyncClient client() {
		return this.client;
	}

	/** Returns the operations, including repeated attempts. */
	List<String> operations() {
		return this.operations;
	}

	/** Returns the number of held locks. */
	long held() {
		AtomicLong held = new AtomicLong();
		this.client
			.scanPaginator((scan) -> scan.tableName(this.name)
				.consistentRead(true)
				.filterExpression("attribute_exists(holder)")
				.select(Select.COUNT))
			.subscribe((page) -> held.addAndGet(page.count()))
			.join();
		return held.get();
	}

	/** Returns the item of a lock; empty if there is none. */
	Map<String, AttributeValue> item(LockKey key) {
		return item(Items.key(key));
	}

	Map<String, AttributeValue> item(Map<String, AttributeValue> key) {
		return this.client.getItem((get) -> get.tableName(this.name).key(key).consistentRead(true)).join().item();
	}

	/** Deletes the item, as DynamoDB does some time after its expiry. */
	void delete(LockKey key) {
		this.client.deleteItem((delete) -> delete.tableName(this.name).key(Items.key(key))).join();
	}

	@Override
	public void close() {
		this.client.close();
	}

}
