package io.github.lockstarter.store.dynamodb;

import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.Update;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultStore;
import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoreCalls.NotDone;
import io.github.lockstarter.store.TokenStore;
import io.github.lockstarter.store.WantedResults;
import io.github.lockstarter.store.dynamodb.Results.Seen;

/**
 * Keeps locks in a table of DynamoDB: one item per lock. To take, renew or release it is
 * one conditional {@code UpdateItem} each. The fencing token is a counter in the item.
 * <p>
 * DynamoDB does not compare times of its own, so a lease ends by the clocks of those who
 * ask for it: nobody gets in early as long as these differ by at most the clock skew,
 * after which a lock that nobody released is free. A holder that is late but that nobody
 * has followed still owns the lock in the store: it can renew and release it.
 */
public final class DynamoDbLockStore implements LockStore, ResultStore, TokenStore, InitializingBean, DisposableBean {

	private static final Log logger = LogFactory.getLog(DynamoDbLockStore.class);

	private static final String TAKE = "SET holder = :owner, expiry = :expiry, delete_after = :deleteAfter,"
			+ " fence = if_not_exists(fence, :now) + :one";

	/** A driver that did not hear the answer asks again. */
	private static final String IF_FREE = "attribute_not_exists(holder) OR expiry < :free"
			+ " OR (holder = :owner AND expiry < :expiry)";

	private static final String EXTEND = "SET expiry = :expiry, delete_after = :deleteAfter";

	/** What was sent before, and comes late, must not shorten the lease. */
	private static final String IF_OWNED_AND_LATER = "holder = :owner AND expiry < :expiry";

	private static final String FREE = "SET release_id = :release, delete_after = :deleteAfter REMOVE holder, expiry";

	private static final String IF_OWNED = "holder = :owner";

	/** How long the start waits for an answer. */
	private static final Duration LOOK = Duration.ofSeconds(5);

	/** How long the start waits for a new table. */
	private static final Duration CREATION = Duration.ofSeconds(30);

	private final DynamoDbAsyncClient client;

	private final String table;

	private final boolean createTable;

	private final LeaseClock clock;

	private final StoreCalls calls;

	private final Requests requests;

	private final Results results;

	private final AtomicBoolean toldOfRefusal = new AtomicBoolean();

	/**
	 * Creates a store in a table.
	 * @param client the client, which stays open when the store is closed
	 * @param table the name of the table; applications with the same table share their
	 * locks
	 * @param createTable whether to create the table if there is none
	 * @param clockSkew how much the clocks of servers may differ
	 * @param commandTimeout how long to wait for an answer
	 */
	public DynamoDbLockStore(DynamoDbAsyncClient client, String table, boolean createTable, Duration clockSkew,
			Duration commandTimeout) {
		this(client, table, createTable, clockSkew, commandTimeout, Clock.systemUTC());
	}

	DynamoDbLockStore(DynamoDbAsyncClient client, String table, boolean createTable, Duration clockSkew,
			Duration commandTimeout, InstantSource clock) {
		Assert.isTrue(!clockSkew.isNegative(), "Clocks cannot differ by less than nothing");
		this.client = client;
		this.table = table;
		this.createTable = createTable;
		this.clock = new LeaseClock(clock, clockSkew);
		this.calls = new StoreCalls("DynamoDB", commandTimeout);
		this.requests = new Requests(client, commandTimeout);
		this.results = new Results(this.requests, table, clock);
	}

	/**
	 * Looks whether the table is there, or creates it. Without it, or without an answer,
	 * the application starts all the same, with a warning.
	 */
	@Override
	public void afterPropertiesSet() {
		LockTable table = new LockTable(this.client, this.table);
		if (this.createTable) {
			table.create(CREATION);
		}
		else {
			table.look(LOOK);
		}
	}

	@Override
	public void destroy() {
		this.calls.close();
	}

	@Override
	public CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl) {
		return this.calls.grant(key, ttl, () -> take(key, owner, ttl), () -> free(key, owner));
	}

	@Override
	public CompletionStage<AcquireResult> claim(LockKey key, String owner, Duration ttl, @Nullable Runnable onRelease) {
		return this.calls.call(key, () -> take(key, owner, ttl));
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining(LockKey key) {
		return this.calls.call(key,
				() -> Requests.told(this.results.lock(key))
					.thenApply((lock) -> this.clock.isHeld(lock) ? Optional.of(this.clock.busy(lock).remaining())
							: Optional.empty()));
	}

	private CompletionStage<AcquireResult> take(LockKey key, String owner, Duration ttl) {
		long expiry = this.clock.expiry(ttl);
		return Requests.told(update(key, TAKE, IF_FREE,
				Map.of(":owner", Items.text(owner), ":expiry", Items.number(expiry), ":deleteAfter",
						Items.deleteAfter(expiry), ":free", Items.number(this.clock.freeBefore()), ":now",
						Items.number(this.clock.now()), ":one", Items.number(1)),
				DynamoDbLockStore::granted,
				(item) -> Items.has(item, Items.HOLDER, owner) ? granted(item) : this.clock.busy(item)));
	}

	private static AcquireResult granted(Map<String, AttributeValue> lock) {
		return new Granted(Items.number(lock, Items.FENCE));
	}

	/**
	 * Looks first, so that whoever finds a result takes no lock from others; and looks
	 * again when the lock is granted, as a holder may have left one in between. Who wants
	 * no result that can be there does not look.
	 */
	@Override
	public CompletionStage<AcquireResult> acquireOrResult(LockKey key, String owner, Duration ttl, WantedResults wanted,
			@Nullable Runnable onRelease) {
		if (!wanted.mayBeThere()) {
			return acquire(key, owner, ttl);
		}
		return this.calls.grant(key, ttl, () -> this.results.look(key, wanted).exceptionally((failure) -> {
			throw new NotDone("DynamoDB could not be read", Requests.cause(failure));
		}).thenCompose((seen) -> {
			AcquireResult known = known(seen, owner);
			return (known != null) ? CompletableFuture.completedStage(known)
					: take(key, owner, ttl).thenCompose((result) -> (result instanceof Granted && !owns(seen, owner))
							? unlessLeft(result, key, owner, wanted) : CompletableFuture.completedStage(result));
		}), () -> free(key, owner));
	}

	private CompletionStage<AcquireResult> unlessLeft(AcquireResult granted, LockKey key, String owner,
			WantedResults wanted) {
		return this.results.look(key, wanted).thenCompose((seen) -> {
			Found found = seen.result();
			return (found != null) ? free(key, owner).<AcquireResult>thenApply((freed) -> found)
					: CompletableFuture.completedStage(granted);
		}).exceptionally((failure) -> {
			// Not one of ours: those have not reached the store, and the lock is taken.
			throw new IllegalStateException("the lock was granted, but not its result read", Requests.cause(failure));
		});
	}

	private @Nullable AcquireResult known(Seen seen, String owner) {
		if (owns(seen, owner) || seen.result() != null) {
			return owns(seen, owner) ? null : seen.result();
		}
		return this.clock.isHeld(seen.lock()) ? this.clock.busy(seen.lock()) : null;
	}

	private static boolean owns(Seen seen, String owner) {
		return Items.has(seen.lock(), Items.HOLDER, owner);
	}

	@Override
	public CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
		return this.calls.call(key, () -> {
			long expiry = this.clock.expiry(ttl);
			return Requests.told(update(key, EXTEND, IF_OWNED_AND_LATER,
					Map.of(":owner", Items.text(owner), ":expiry", Items.number(expiry), ":deleteAfter",
							Items.deleteAfter(expiry)),
					(item) -> true, (item) -> Items.has(item, Items.HOLDER, owner)));
		});
	}

	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner) {
		return this.calls.call(key, () -> Requests.told(free(key, owner)));
	}

	private CompletionStage<Boolean> free(LockKey key, String owner) {
		String release = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
		return update(key, FREE, IF_OWNED, freeing(owner, release), (item) -> true,
				// Repeated by the driver, it finds its own work done.
				(item) -> Items.has(item, Items.RELEASE_ID, release));
	}

	private Map<String, AttributeValue> freeing(String owner, String release) {
		return Map.of(":owner", Items.text(owner), ":release", Items.text(release), ":deleteAfter",
				Items.deleteAfter(this.clock.now()));
	}

	/**
	 * Keeps the result and frees the lock. A result that DynamoDB refuses, for it may be
	 * too large, is not kept, and the lock is freed all the same.
	 */
	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner, LeftResult result, boolean awaited) {
		Update release = Update.builder()
			.tableName(this.table)
			.key(Items.key(key))
			.updateExpression(FREE)
			.conditionExpression(IF_OWNED)
			.expressionAttributeValues(freeing(owner, "result"))
			.build();
		return this.calls.call(key,
				() -> Requests.told(this.results.leave(key, release, result).exceptionallyCompose((failure) -> {
					if (!Requests.isRefusal(Requests.cause(failure))) {
						return CompletableFuture.failedFuture(failure);
					}
					if (this.toldOfRefusal.compareAndSet(false, true)) {
						logger.warn("DynamoDB refused a result of lock '%s': it is for the request only that made it"
							.formatted(key.name()), failure);
					}
					return free(key, owner);
				})));
	}

	/** Updates a lock, whether the condition holds or not an answer from its item. */
	private <T> CompletionStage<T> update(LockKey key, String update, String condition,
			Map<String, AttributeValue> values, Function<Map<String, AttributeValue>, T> done,
			Function<Map<String, AttributeValue>, T> otherwise) {
		UpdateItemRequest request = UpdateItemRequest.builder()
			.tableName(this.table)
			.key(Items.key(key))
			.updateExpression(update)
			.conditionExpression(condition)
			.expressionAttributeValues(values)
			.returnValues(ReturnValue.UPDATED_NEW)
			.returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
			.overrideConfiguration(this.requests.inTime())
			.build();
		return this.requests.send((client) -> client.updateItem(request)).handle((answer, failure) -> {
			if (Requests.cause(failure) instanceof ConditionalCheckFailedException ex) {
				return otherwise.apply(ex.item());
			}
			if (failure != null) {
				throw new CompletionException(Requests.cause(failure));
			}
			return done.apply(answer.attributes());
		});
	}

}
