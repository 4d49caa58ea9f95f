package io.github.lockstarter.store.dynamodb;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoredResults;
import io.github.lockstarter.store.TokenStoredLock;

/**
 * Stores locks in a DynamoDB table, with one item per lock. Acquiring, renewing and
 * releasing a lock is one conditional {@code UpdateItem} each. The fencing token is a
 * counter in the item.
 * <p>
 * DynamoDB offers no time of its own in conditions, so leases expire by the clocks of the
 * callers. No caller acquires the lock early as long as these clocks differ by at most
 * the clock skew. A lock that was not released is free after its time to live plus up to
 * twice the clock skew. A late holder still owns the lock in the store until the next
 * grant, and can renew and release it.
 */
public final class DynamoDbLockStore implements LockStore, InitializingBean, DisposableBean {

	private static final Set<Capability> CAPABILITIES = Set.of(Capability.KEEPS_RESULTS, Capability.HOLDS_FOR_TOKENS);

	/** The longest time that the startup waits for an answer. */
	private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(5);

	/** The longest time that the startup waits for a new table. */
	private static final Duration CREATION_TIMEOUT = Duration.ofSeconds(30);

	private final DynamoDbAsyncClient client;

	private final boolean createTable;

	private final TableAccess access;

	private final DynamoDbResults results;

	/**
	 * Creates a store in a table.
	 * @param client the client, which stays open when the store is closed
	 * @param table the name of the table; applications with the same table share their
	 * locks
	 * @param createTable whether to create the table if there is none
	 * @param clockSkew the largest difference between the clocks of instances
	 * @param commandTimeout the longest time to wait for an answer
	 * @throws IllegalArgumentException if the clock skew is negative
	 */
	public DynamoDbLockStore(DynamoDbAsyncClient client, String table, boolean createTable, Duration clockSkew,
			Duration commandTimeout) {
		this(client, table, createTable, new LeaseClock(Clock.systemUTC(), clockSkew), commandTimeout);
	}

	DynamoDbLockStore(DynamoDbAsyncClient client, String table, boolean createTable, LeaseClock clock,
			Duration commandTimeout) {
		this.client = client;
		this.createTable = createTable;
		StoreCalls calls = new StoreCalls("DynamoDB", commandTimeout);
		Operations operations = new Operations(client, calls);
		this.results = new DynamoDbResults(operations, table, clock.clock());
		this.access = new TableAccess(table, clock, calls, operations,
				new ResultItems(operations, table, clock.clock()));
	}

	/**
	 * Checks whether the table exists, or creates it. If there is no table or no answer,
	 * the application starts nevertheless, with a warning.
	 */
	@Override
	public void afterPropertiesSet() {
		TableSetup table = new TableSetup(this.client, this.access.name());
		if (this.createTable) {
			table.create(CREATION_TIMEOUT);
		}
		else {
			table.warnIfUnsuitable(CHECK_TIMEOUT);
		}
	}

	@Override
	public void destroy() {
		this.access.calls().close();
	}

	@Override
	public TokenStoredLock lock(LockKey key) {
		return new DynamoDbLock(this.access, key);
	}

	@Override
	public long maxResultSize() {
		return Items.MAX_RESULT;
	}

	@Override
	public Optional<StoredResults> results() {
		return Optional.of(this.results);
	}

	@Override
	public Set<Capability> capabilities() {
		return CAPABILITIES;
	}

}
