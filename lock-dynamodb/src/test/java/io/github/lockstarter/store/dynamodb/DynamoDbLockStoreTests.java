package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.test.LockStoreContract;
import io.github.lockstarter.store.TokenStoredLock;

import static org.assertj.core.api.Assertions.assertThat;

class DynamoDbLockStoreTests extends LockStoreContract {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration SKEW = Duration.ofMillis(500);

	private static final DynamoDbTable table = new DynamoDbTable();

	private final LockKey key = new LockKey("dynamodb", UUID.randomUUID().toString());

	private final DynamoDbLockStore store = table.store();

	private Instant now = Instant.parse("2026-11-22T10:00:00.123Z");

	@AfterAll
	static void disconnect() {
		table.close();
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected LockStore otherInstance() {
		return table.store();
	}

	@Override
	protected long locksInStore() {
		return table.held();
	}

	@Test
	@DisplayName("Acquiring, being rejected, renewing and releasing are one operation each")
	void countsOperations() {
		table.operations().clear();
		acquire(this.store, "a");
		assertThat(table.operations()).containsExactly("UpdateItem");
		acquire(this.store, "b");
		assertThat(table.operations()).containsExactly("UpdateItem", "UpdateItem");
		join(this.store.lock(this.key).renew("a", TTL.plusSeconds(1)));
		assertThat(table.operations()).hasSize(3);
		join(this.store.lock(this.key).release("a", null));
		assertThat(table.operations()).hasSize(4);
	}

	@Test
	@DisplayName("Acquiring for a token and reading the remaining time are one operation each")
	void countsOperationsOfTokens() {
		TokenStoredLock lock = this.store.lock(this.key);
		table.operations().clear();
		join(lock.acquire(AcquireCommand.of("a", TTL).forSharedToken()));
		assertThat(table.operations()).containsExactly("UpdateItem");
		join(lock.remaining());
		assertThat(table.operations()).containsExactly("UpdateItem", "BatchGetItem");
	}

	@Test
	@DisplayName("If clocks differ by at most the clock skew, no caller gets the lock before the holder's lease has ended")
	void clocksDiffer() {
		LockStore slow = store(Duration.ZERO);
		LockStore fast = store(SKEW);
		assertThat(acquire(slow, "slow")).isInstanceOf(Granted.class);
		pass(TTL);
		assertThat(held(acquire(fast, "fast")).remaining()).isEqualTo(Duration.ofMillis(1));
		pass(Duration.ofMillis(1));
		assertThat(acquire(fast, "fast")).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("A caller with the slower clock waits for up to twice the clock skew longer")
	void slowClock() {
		LockStore slow = store(Duration.ZERO);
		LockStore fast = store(SKEW);
		acquire(fast, "fast");
		assertThat(held(acquire(slow, "slow")).remaining()).isEqualTo(TTL.plus(SKEW).plus(SKEW).plusMillis(1));
		pass(TTL.plus(SKEW).plus(SKEW));
		assertThat(held(acquire(slow, "slow")).remaining()).isEqualTo(Duration.ofMillis(1));
		pass(Duration.ofMillis(1));
		assertThat(acquire(slow, "slow")).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("If clocks differ by more than the clock skew, a caller can get the lock early")
	void clocksDifferTooMuch() {
		LockStore slow = store(Duration.ZERO);
		LockStore tooFast = store(SKEW.plusSeconds(1));
		acquire(slow, "slow");
		pass(TTL.minusMillis(900));
		assertThat(acquire(tooFast, "fast")).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("A holder whose lease has expired still owns the lock if there is no next holder")
	void expiredWithoutNextHolder() {
		LockStore store = store(Duration.ZERO);
		acquire(store, "a");
		pass(TTL.plusHours(1));
		assertThat(join(store.lock(this.key).renew("a", TTL))).isTrue();
		assertThat(acquire(store, "b")).isInstanceOf(Held.class);
		pass(TTL.plusHours(1));
		assertThat(join(store.lock(this.key).release("a", null))).isTrue();
	}

	@Test
	@DisplayName("A renewal that arrives late does not shorten the lease")
	void renewalsOutOfOrder() {
		LockStore store = store(Duration.ZERO);
		acquire(store, "a");
		assertThat(join(store.lock(this.key).renew("a", TTL.multipliedBy(2)))).isTrue();
		assertThat(join(store.lock(this.key).renew("a", TTL))).isTrue();
		assertThat(held(acquire(store, "b")).remaining()).isEqualTo(TTL.multipliedBy(2).plus(SKEW).plusMillis(1));
	}

	@Test
	@DisplayName("An owner that acquires again, as the driver does after a lost answer, still holds the lock")
	void asksAgain() {
		LockStore store = store(Duration.ZERO);
		AcquireResult first = acquire(store, "a");
		assertThat(acquire(store, "a")).isEqualTo(first);
		pass(Duration.ofSeconds(1));
		assertThat(acquire(store, "a")).isInstanceOf(Granted.class);
		assertThat(held(acquire(store, "b")).remaining()).isEqualTo(TTL.plus(SKEW).plusMillis(1));
	}

	@Test
	@DisplayName("Fencing tokens grow even after DynamoDB has deleted the item")
	void tokensGrowOverDeletion() {
		LockStore store = store(Duration.ZERO);
		long last = 0;
		for (int i = 0; i < 100; i++) {
			last = ((Granted) acquire(store, "a")).fencingToken();
			join(store.lock(this.key).release("a", null));
		}
		table.delete(this.key);
		pass(Duration.ofHours(24));
		assertThat(((Granted) acquire(store, "b")).fencingToken()).isGreaterThan(last);
	}

	@Test
	@DisplayName("DynamoDB may delete an item one day after its expiry, and not before")
	void deletion() {
		LockStore store = store(Duration.ZERO);
		acquire(store, "a");
		assertThat(deletedAfter()).isEqualTo(this.now.plus(TTL).plus(Duration.ofDays(1)).getEpochSecond());
		join(store.lock(this.key).renew("a", Duration.ofHours(2)));
		assertThat(deletedAfter()).isEqualTo(this.now.plus(Duration.ofHours(26)).getEpochSecond());
		join(store.lock(this.key).release("a", null));
		assertThat(deletedAfter()).isEqualTo(this.now.plus(Duration.ofDays(1)).getEpochSecond());
		assertThat(table.item(this.key)).containsOnlyKeys("lock", "fence", "release_id", "delete_after");
	}

	private long deletedAfter() {
		return Items.number(table.item(this.key), Items.DELETE_AFTER);
	}

	/** Returns a store whose clock is ahead by this time. */
	private LockStore store(Duration ahead) {
		return table.store(SKEW, () -> this.now.plus(ahead));
	}

	private void pass(Duration time) {
		this.now = this.now.plus(time);
	}

	private AcquireResult acquire(LockStore store, String owner) {
		return join(store.lock(this.key).acquire(AcquireCommand.of(owner, TTL)));
	}

}
