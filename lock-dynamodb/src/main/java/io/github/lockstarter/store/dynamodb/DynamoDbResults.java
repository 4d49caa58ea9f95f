package io.github.lockstarter.store.dynamodb;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

import io.github.lockstarter.store.SearchLimit;
import io.github.lockstarter.store.StoredResults;

/**
 * The stored results in DynamoDB. They are found by a paged scan of the table, which is
 * charged for all its items.
 */
final class DynamoDbResults implements StoredResults {

	private static final int AT_A_TIME = 25;

	private final Operations operations;

	private final String table;

	private final InstantSource clock;

	DynamoDbResults(Operations operations, String table, InstantSource clock) {
		this.operations = operations;
		this.table = table;
		this.clock = clock;
	}

	@Override
	public CompletionStage<Long> count(String lockName) {
		return forEach(lockName, Map.of(), (keys) -> CompletableFuture.completedStage(null), 0, SearchLimit.start());
	}

	@Override
	public CompletionStage<Long> remove(String lockName) {
		return forEach(lockName, Map.of(), this::delete, 0, SearchLimit.start());
	}

	private CompletionStage<Long> forEach(String lockName, Map<String, AttributeValue> start,
			Function<List<Map<String, AttributeValue>>, CompletionStage<Void>> action, long before, SearchLimit limit) {
		limit.check();
		return scan(lockName, start).thenCompose((page) -> {
			long count = before + page.count();
			return action.apply(page.items())
				.thenCompose((nothing) -> page.lastEvaluatedKey().isEmpty() ? CompletableFuture.completedStage(count)
						: forEach(lockName, page.lastEvaluatedKey(), action, count, limit));
		});
	}

	private CompletionStage<ScanResponse> scan(String lockName, Map<String, AttributeValue> start) {
		ScanRequest page = ScanRequest.builder()
			.tableName(this.table)
			.consistentRead(true)
			.filterExpression("%s = :name AND %s > :now".formatted(Items.LOCK_NAME, Items.KEPT_UNTIL))
			.expressionAttributeValues(Map.of(":name", Items.text(lockName), ":now", Items.number(this.clock.millis())))
			.projectionExpression("#key")
			.expressionAttributeNames(Map.of("#key", Items.KEY))
			.exclusiveStartKey(start.isEmpty() ? null : start)
			.overrideConfiguration(this.operations.inTime())
			.build();
		return this.operations.send((client) -> client.scan(page));
	}

	/**
	 * Deletes a few at a time, so that operations for locks do not queue behind thousands
	 * of deletions.
	 */
	private CompletionStage<Void> delete(List<Map<String, AttributeValue>> keys) {
		List<Map<String, AttributeValue>> some = keys.subList(0, Math.min(AT_A_TIME, keys.size()));
		List<Map<String, AttributeValue>> others = keys.subList(some.size(), keys.size());
		CompletableFuture<Void> deleted = CompletableFuture.allOf(some.stream()
			.map((key) -> this.operations.send((client) -> client.deleteItem(
					(delete) -> delete.tableName(this.table).key(key).overrideConfiguration(this.operations.inTime())))
				.toCompletableFuture())
			.toArray(CompletableFuture[]::new));
		return others.isEmpty() ? deleted : deleted.thenCompose((nothing) -> delete(others));
	}

}
