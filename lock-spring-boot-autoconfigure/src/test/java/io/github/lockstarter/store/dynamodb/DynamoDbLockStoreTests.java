package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStoreContract;

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
	protected long locksInStore() {
		return table.held();
	}

	@Test
	@DisplayName("To take, to be refused, to renew and to release is one request each")
	void countsRequests() {
		table.requests().clear();
		join(this.store.acquire(this.key, "a", TTL));
		assertThat(table.requests()).containsExactly("UpdateItem");
		join(this.store.acquire(this.key, "b", TTL));
		assertThat(table.requests()).containsExactly("UpdateItem", "UpdateItem");
		join(this.store.renew(this.key, "a", TTL.plusSeconds(1)));
		assertThat(table.requests()).hasSize(3);
		join(this.store.release(this.key, "a"));
		assertThat(table.requests()).hasSize(4);
	}

	@Test
	@DisplayName("Where clocks differ by at most the clock skew, nobody gets in before the holder's lease has ended")
	void clocksDiffer() {
		LockStore slow = store(Duration.ZERO);
		LockStore fast = store(SKEW);
		assertThat(join(slow.acquire(this.key, "slow", TTL))).isInstanceOf(Granted.class);
		pass(TTL);
		assertThat(busy(join(fast.acquire(this.key, "fast", TTL))).remaining()).isEqualTo(Duration.ofMillis(1));
		pass(Duration.ofMillis(1));
		assertThat(join(fast.acquire(this.key, "fast", TTL))).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("Who has the slower clock waits for up to twice the clock skew longer")
	void slowClock() {
		LockStore slow = store(Duration.ZERO);
		LockStore fast = store(SKEW);
		join(fast.acquire(this.key, "fast", TTL));
		assertThat(busy(join(slow.acquire(this.key, "slow", TTL))).remaining())
			.isEqualTo(TTL.plus(SKEW).plus(SKEW).plusMillis(1));
		pass(TTL.plus(SKEW).plus(SKEW));
		assertThat(busy(join(slow.acquire(this.key, "slow", TTL))).remaining()).isEqualTo(Duration.ofMillis(1));
		pass(Duration.ofMillis(1));
		assertThat(join(slow.acquire(this.key, "slow", TTL))).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("Clocks that differ by more let somebody in early: that is what the clock skew is for")
	void clocksDifferTooMuch() {
		LockStore slow = store(Duration.ZERO);
		LockStore tooFast = store(SKEW.plusSeconds(1));
		join(slow.acquire(this.key, "slow", TTL));
		pass(TTL.minusMillis(900));
		assertThat(join(tooFast.acquire(this.key, "fast", TTL))).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("A holder that is late, and that nobody has followed, still owns the lock")
	void lateButAlone() {
		LockStore store = store(Duration.ZERO);
		join(store.acquire(this.key, "a", TTL));
		pass(TTL.plusHours(1));
		assertThat(join(store.renew(this.key, "a", TTL))).isTrue();
		assertThat(join(store.acquire(this.key, "b", TTL))).isInstanceOf(Busy.class);
		pass(TTL.plusHours(1));
		assertThat(join(store.release(this.key, "a"))).isTrue();
	}

	@Test
	@DisplayName("A renewal that comes late does not shorten the lease")
	void renewalsOutOfOrder() {
		LockStore store = store(Duration.ZERO);
		join(store.acquire(this.key, "a", TTL));
		assertThat(join(store.renew(this.key, "a", TTL.multipliedBy(2)))).isTrue();
		assertThat(join(store.renew(this.key, "a", TTL))).isTrue();
		assertThat(busy(join(store.acquire(this.key, "b", TTL))).remaining())
			.isEqualTo(TTL.multipliedBy(2).plus(SKEW).plusMillis(1));
	}

	@Test
	@DisplayName("An owner that asks again, as the driver does when an answer is lost, has the lock still")
	void asksAgain() {
		LockStore store = store(Duration.ZERO);
		AcquireResult first = join(store.acquire(this.key, "a", TTL));
		assertThat(join(store.acquire(this.key, "a", TTL))).isEqualTo(first);
		pass(Duration.ofSeconds(1));
		assertThat(join(store.acquire(this.key, "a", TTL))).isInstanceOf(Granted.class);
		assertThat(busy(join(store.acquire(this.key, "b", TTL))).remaining()).isEqualTo(TTL.plus(SKEW).plusMillis(1));
	}

	@Test
	@DisplayName("Fencing tokens grow although DynamoDB has deleted the item")
	void tokensGrowOverDeletion() {
		LockStore store = store(Duration.ZERO);
		long last = 0;
		for (int i = 0; i < 1000; i++) {
			last = ((Granted) join(store.acquire(this.key, "a", TTL))).fencingToken();
			join(store.release(this.key, "a"));
		}
		table.delete(this.key);
		pass(Duration.ofHours(24));
		assertThat(((Granted) join(store.acquire(this.key, "b", TTL))).fencingToken()).isGreaterThan(last);
	}

	@Test
	@DisplayName("DynamoDB may delete an item a day after it is out of date, and not before")
	void deletion() {
		LockStore store = store(Duration.ZERO);
		join(store.acquire(this.key, "a", TTL));
		assertThat(deletedAfter()).isEqualTo(this.now.plus(TTL).plus(Duration.ofDays(1)).getEpochSecond());
		join(store.renew(this.key, "a", Duration.ofHours(2)));
		assertThat(deletedAfter()).isEqualTo(this.now.plus(Duration.ofHours(26)).getEpochSecond());
		join(store.release(this.key, "a"));
		assertThat(deletedAfter()).isEqualTo(this.now.plus(Duration.ofDays(1)).getEpochSecond());
		assertThat(table.item(this.key)).containsOnlyKeys("lock", "fence", "release_id", "delete_after");
	}

	private long deletedAfter() {
		return Items.number(table.item(this.key), Items.DELETE_AFTER);
	}

	/** Returns a store of a server whose clock is ahead by that much. */
	private LockStore store(Duration ahead) {
		return table.store(SKEW, () -> this.now.plus(ahead));
	}

	private void pass(Duration time) {
		this.now = this.now.plus(time);
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
