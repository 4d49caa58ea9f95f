package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.Update;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

/**
 * The results of locks, each stored in an item of its own.
 */
final class ResultItems {

	private static final Log logger = LogFactory.getLog(ResultItems.class);

	private final Operations operations;

	private final String table;

	private final InstantSource clock;

	private final AtomicBoolean reported = new AtomicBoolean();

	ResultItems(Operations operations, String table, InstantSource clock) {
		this.operations = operations;
		this.table = table;
		this.clock = clock;
	}

	/** Reads a lock and one of its results, in one operation. */
	CompletionStage<FoundItems> find(Map<String, AttributeValue> lock, Map<String, AttributeValue> result,
			ResultQuery query) {
		return read(List.of(lock, result))
			.thenApply((answer) -> new FoundItems(find(answer, lock), found(find(answer, result), query)));
	}

	/** Reads a lock; empty if there is none. */
	CompletionStage<Map<String, AttributeValue>> lock(Map<String, AttributeValue> lock) {
		return read(List.of(lock)).thenApply((answer) -> find(answer, lock));
	}

	private CompletionStage<BatchGetItemResponse> read(List<Map<String, AttributeValue>> keys) {
		KeysAndAttributes all = KeysAndAttributes.builder().keys(keys).consistentRead(true).build();
		return this.operations.send((client) -> client.batchGetItem(
				(get) -> get.requestItems(Map.of(this.table, all)).overrideConfiguration(this.operations.inTime())));
	}

	private Map<String, AttributeValue> find(BatchGetItemResponse answer, Map<String, AttributeValue> key) {
		if (!answer.unprocessedKeys().isEmpty()) {
			throw new IllegalStateException("DynamoDB did not return all items");
		}
		return answer.responses()
			.getOrDefault(this.table, List.of())
			.stream()
			.filter((item) -> item.entrySet().containsAll(key.entrySet()))
			.findFirst()
			.orElse(Map.of());
	}

	/**
	 * Checks the validity, because DynamoDB deletes items long after they are obsolete.
	 */
	private @Nullable Found found(Map<String, AttributeValue> item, ResultQuery query) {
		AttributeValue text = item.get(Items.RESULT);
		long now = this.clock.millis();
		// The time is from the clock of the holder that stored it, which may be ahead.
		Duration age = Duration.ofMillis(Math.max(now - Items.number(item, Items.CAME), 0) + 1);
		if (text == null || now >= Items.number(item, Items.KEPT_UNTIL)) {
			return null;
		}
		StoredResult result = new StoredResult(query.key(), text.s(), Items.number(item, Items.FENCE));
		return query.matches(result, age) ? new Found(result, age) : null;
	}

	/**
	 * Keeps a result and releases the lock, in one atomic step.
	 * @return whether the lock was released
	 */
	CompletionStage<Boolean> store(LockKey lock, Map<String, AttributeValue> key, Update release, StoredResult result) {
		long now = this.clock.millis();
		long until = now + result.key().keep().toMillis();
		Map<String, AttributeValue> item = new HashMap<>(key);
		item.put(Items.RESULT, Items.text(result.text()));
		item.put(Items.LOCK_NAME, Items.text(lock.name()));
		item.put(Items.FENCE, Items.number(result.fencingToken()));
		item.put(Items.CAME, Items.number(now));
		item.put(Items.KEPT_UNTIL, Items.number(until));
		item.put(Items.DELETE_AFTER, Items.deleteAfter(until));
		TransactWriteItem put = TransactWriteItem.builder()
			.put((each) -> each.tableName(this.table).item(item))
			.build();
		return this.operations
			.send((client) -> client.transactWriteItems(
					(write) -> write.transactItems(TransactWriteItem.builder().update(release).build(), put)
						.overrideConfiguration(this.operations.inTime())))
			.handle((done, failure) -> notOwned(Operations.cause(failure)) ? CompletableFuture.completedFuture(false)
					: (failure != null) ? CompletableFuture.<Boolean>failedFuture(Operations.cause(failure))
							: CompletableFuture.completedFuture(true))
			.thenCompose(Function.identity());
	}

	/** The release comes first in the transaction. */
	private static boolean notOwned(@Nullable Throwable failure) {
		return failure instanceof TransactionCanceledException ex && ex.hasCancellationReasons()
				&& "ConditionalCheckFailed".equals(ex.cancellationReasons().get(0).code());
	}

	/** Logs the first result that DynamoDB refused. */
	void refused(LockKey lock, Throwable failure) {
		if (this.reported.compareAndSet(false, true)) {
			logger.warn("DynamoDB refused a result of lock '%s'. The result is not shared".formatted(lock.name()),
					failure);
		}
	}

	/**
	 * The items that were found.
	 *
	 * @param lock the item of the lock; empty if there is none
	 * @param result the result, if it matches the query
	 */
	record FoundItems(Map<String, AttributeValue> lock, @Nullable Found result) {
	}

}
