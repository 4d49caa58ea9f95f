package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.Update;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoreCalls.NotDone;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.dynamodb.ResultItems.FoundItems;

/**
 * A lock in DynamoDB, stored as one item.
 */
final class DynamoDbLock implements TokenStoredLock {

	private static final String TAKE = "SET holder = :owner, expiry = :expiry, delete_after = :deleteAfter,"
			+ " fence = if_not_exists(fence, :now) + :one";

	/**
	 * The owner is granted the lock again, because the driver repeats an operation whose
	 * answer was lost.
	 */
	private static final String IF_FREE = "attribute_not_exists(holder) OR expiry < :free"
			+ " OR (holder = :owner AND expiry < :expiry)";

	private static final String EXTEND = "SET expiry = :expiry, delete_after = :deleteAfter";

	/** An earlier operation that arrives late must not shorten the lease. */
	private static final String IF_OWNED_AND_LATER = "holder = :owner AND expiry < :expiry";

	private static final String FREE = "SET release_id = :release, delete_after = :deleteAfter REMOVE holder, expiry";

	private static final String FREE_LATER = "SET holder = :ended, expiry = :expiry, delete_after = :deleteAfter";

	private static final String IF_OWNED = "holder = :owner";

	private final TableAccess table;

	private final LockKey key;

	private final Map<String, AttributeValue> itemKey;

	/**
	 * The last acquisition through this handle by an owner that will not acquire the lock
	 * again. A shared token may acquire it again, so its releases are not repeated.
	 */
	private volatile @Nullable AcquireCommand last;

	DynamoDbLock(TableAccess table, LockKey key) {
		this.table = table;
		this.key = key;
		this.itemKey = Items.key(key);
	}

	@Override
	public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
		String owner = command.owner();
		if (!command.undoneOnFailure()) {
			return this.table.calls().call(this.key, () -> takeOrFind(command));
		}
		this.last = command;
		return this.table.calls().grant(this.key, command.ttl(), () -> takeOrFind(command), () -> free(owner));
	}

	/** A query that no result can match is not sent. */
	private CompletionStage<AcquireResult> takeOrFind(AcquireCommand command) {
		ResultQuery query = command.query();
		return (query != null && query.canMatch()) ? findOrTake(command, query) : take(command);
	}

	private CompletionStage<AcquireResult> take(AcquireCommand command) {
		String owner = command.owner();
		LeaseClock clock = this.table.clock();
		long expiry = clock.expiry(command.ttl());
		return Operations.refusalAsNotDone(update(TAKE, IF_FREE,
				Map.of(":owner", Items.text(owner), ":expiry", Items.number(expiry), ":deleteAfter",
						Items.deleteAfter(expiry), ":free", Items.number(clock.freeBefore()), ":now",
						Items.number(clock.now()), ":one", Items.number(1)),
				DynamoDbLock::granted,
				(item) -> Items.has(item, Items.HOLDER, owner) ? granted(item) : clock.held(item)));
	}

	private static AcquireResult granted(Map<String, AttributeValue> lock) {
		return new Granted(Items.number(lock, Items.FENCE));
	}

	/**
	 * Reads first, so that a caller that finds a result does not acquire the lock. Reads
	 * again when the lock is granted, because a holder may have stored a result in
	 * between.
	 */
	private CompletionStage<AcquireResult> findOrTake(AcquireCommand command, ResultQuery query) {
		String owner = command.owner();
		return find(query).exceptionally((failure) -> {
			throw new NotDone("DynamoDB could not be read", Operations.cause(failure));
		}).thenCompose((found) -> {
			AcquireResult known = known(found, owner);
			return (known != null) ? CompletableFuture.completedStage(known)
					: take(command).thenCompose((result) -> (result instanceof Granted && !owns(found, owner))
							? unlessLeft(result, owner, query) : CompletableFuture.completedStage(result));
		});
	}

	private CompletionStage<AcquireResult> unlessLeft(AcquireResult granted, String owner, ResultQuery query) {
		return find(query).thenCompose((items) -> {
			Found found = items.result();
			return (found != null) ? free(owner).<AcquireResult>thenApply((freed) -> found)
					: CompletableFuture.completedStage(granted);
		}).exceptionally((failure) -> {
			// Not a LockStoreException, which would mean that nothing was done: the lock
			// is granted and has to be undone.
			throw new IllegalStateException("the lock was granted, but its result could not be read",
					Operations.cause(failure));
		});
	}

	private CompletionStage<FoundItems> find(ResultQuery query) {
		return this.table.results().find(this.itemKey, Items.resultKey(this.itemKey, query.key().name()), query);
	}

	private @Nullable AcquireResult known(FoundItems found, String owner) {
		if (owns(found, owner) || found.result() != null) {
			return owns(found, owner) ? null : found.result();
		}
		LeaseClock clock = this.table.clock();
		return clock.isHeld(found.lock()) ? clock.held(found.lock()) : null;
	}

	private static boolean owns(FoundItems found, String owner) {
		return Items.has(found.lock(), Items.HOLDER, owner);
	}

	@Override
	public CompletionStage<Boolean> renew(String owner, Duration ttl) {
		return this.table.calls().call(this.key, () -> {
			long expiry = this.table.clock().expiry(ttl);
			return Operations.refusalAsNotDone(update(EXTEND, IF_OWNED_AND_LATER,
					Map.of(":owner", Items.text(owner), ":expiry", Items.number(expiry), ":deleteAfter",
							Items.deleteAfter(expiry)),
					(item) -> true, (item) -> Items.has(item, Items.HOLDER, owner)));
		});
	}

	@Override
	public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
		return release(owner,
				() -> Operations.refusalAsNotDone((result != null) ? freeWith(result, owner) : free(owner)),
				() -> free(owner));
	}

	@Override
	public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
		return release(owner, () -> Operations.refusalAsNotDone(freeLater(owner, time)), () -> freeLater(owner, time));
	}

	/**
	 * Releases the lock.
	 * @param again the operation that repeats a failed release
	 */
	private CompletionStage<Boolean> release(String owner, Supplier<CompletionStage<Boolean>> release,
			Supplier<CompletionStage<Boolean>> again) {
		AcquireCommand last = this.last;
		return (last != null && last.owner().equals(owner))
				? this.table.calls().release(this.key, last.ttl(), release, again)
				: this.table.calls().call(this.key, release);
	}

	private CompletionStage<Boolean> freeLater(String owner, Duration time) {
		String ended = StoredLock.ended(owner);
		long expiry = this.table.clock().expiry(time);
		return update(FREE_LATER, IF_OWNED,
				Map.of(":owner", Items.text(owner), ":ended", Items.text(ended), ":expiry", Items.number(expiry),
						":deleteAfter", Items.deleteAfter(expiry)),
				(item) -> true,
				// Repeated by the driver, it finds its own work done.
				(item) -> Items.has(item, Items.HOLDER, ended));
	}

	private CompletionStage<Boolean> free(String owner) {
		String release = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
		return update(FREE, IF_OWNED, freeing(owner, release), (item) -> true,
				// Repeated by the driver, it finds its own work done.
				(item) -> Items.has(item, Items.RELEASE_ID, release));
	}

	private Map<String, AttributeValue> freeing(String owner, String release) {
		return Map.of(":owner", Items.text(owner), ":release", Items.text(release), ":deleteAfter",
				Items.deleteAfter(this.table.clock().now()));
	}

	/**
	 * Keeps the result and releases the lock. If DynamoDB refuses the result, for example
	 * because it is too large, the lock is released without it.
	 */
	private CompletionStage<Boolean> freeWith(StoredResult result, String owner) {
		Update release = Update.builder()
			.tableName(this.table.name())
			.key(this.itemKey)
			.updateExpression(FREE)
			.conditionExpression(IF_OWNED)
			.expressionAttributeValues(freeing(owner, "result"))
			.build();
		return this.table.results()
			.store(this.key, Items.resultKey(this.itemKey, result.key().name()), release, result)
			.exceptionallyCompose((failure) -> {
				if (!Operations.isRefusal(Operations.cause(failure))) {
					return CompletableFuture.failedFuture(failure);
				}
				this.table.results().refused(this.key, failure);
				return free(owner);
			});
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining() {
		LeaseClock clock = this.table.clock();
		return this.table.calls()
			.call(this.key, () -> Operations.refusalAsNotDone(this.table.results().lock(this.itemKey))
				.thenApply(
						(lock) -> clock.isHeld(lock) ? Optional.of(clock.held(lock).remaining()) : Optional.empty()));
	}

	/**
	 * Updates the lock if the condition holds, and maps its item to an answer in both
	 * cases.
	 */
	private <T> CompletionStage<T> update(String update, String condition, Map<String, AttributeValue> values,
			Function<Map<String, AttributeValue>, T> done, Function<Map<String, AttributeValue>, T> otherwise) {
		Operations operations = this.table.operations();
		UpdateItemRequest item = UpdateItemRequest.builder()
			.tableName(this.table.name())
			.key(this.itemKey)
			.updateExpression(update)
			.conditionExpression(condition)
			.expressionAttributeValues(values)
			.returnValues(ReturnValue.UPDATED_NEW)
			.returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
			.overrideConfiguration(operations.inTime())
			.build();
		return operations.send((client) -> client.updateItem(item)).handle((answer, failure) -> {
			if (Operations.cause(failure) instanceof ConditionalCheckFailedException ex) {
				return otherwise.apply(ex.item());
			}
			if (failure != null) {
				throw new CompletionException(Operations.cause(failure));
			}
			return done.apply(answer.attributes());
		});
	}

}
