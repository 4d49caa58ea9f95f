package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.ResultStoreContract;
import io.github.lockstarter.testing.TestResults;

import static org.assertj.core.api.Assertions.assertThat;

class DynamoDbResultStoreTests extends ResultStoreContract {

	private static final DynamoDbTable table = new DynamoDbTable();

	private final DynamoDbLockStore store = table.store();

	private final ResultSlot slot = new ResultSlot("slot", LONG, true);

	@AfterAll
	static void disconnect() {
		table.close();
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Test
	@DisplayName("To leave a result is one request, and so is to find it, or that the lock is held; to take the lock are three")
	void countsRequests() {
		table.requests().clear();
		ask("a", this.slot, LONG);
		assertThat(table.requests()).containsExactly("BatchGetItem", "UpdateItem", "BatchGetItem");
		ask("b", this.slot, LONG);
		assertThat(table.requests()).hasSize(4).endsWith("BatchGetItem");
		release("a", this.slot, "result");
		assertThat(table.requests()).hasSize(5).endsWith("TransactWriteItems");
		assertThat(ask("b", this.slot, LONG)).isInstanceOf(Found.class);
		assertThat(table.requests()).hasSize(6).endsWith("BatchGetItem");
	}

	@Test
	@DisplayName("Who is granted the lock just after a holder left a result finds it, and gives the lock back")
	void leftInBetween() {
		DynamoDbLockStore other = table.store();
		table.beforeNext("UpdateItem", () -> {
			join(other.acquire(this.key, "other", LONG));
			join(other.release(this.key, "other", TestResults.left(this.slot, "result"), false));
		});
		assertThat(ask("a", this.slot, LONG)).isInstanceOf(Found.class);
		assertThat(join(this.store.acquire(this.key, "b", LONG))).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("A result that DynamoDB refuses, as it is too large, is not kept, and the lock is freed all the same")
	void tooLarge() {
		ask("a", this.slot, LONG);
		assertThat(release("a", this.slot, "r".repeat(500_000))).isTrue();
		assertThat(ask("b", this.slot, LONG)).isInstanceOf(Granted.class);
		assertThat(release("a", this.slot, "r".repeat(500_000))).as("of somebody else").isFalse();
	}

	@Test
	@DisplayName("DynamoDB may delete a result a day after it has been kept, and not before")
	void deletion() {
		ask("a", this.slot, LONG);
		release("a", this.slot, "result");
		Map<String, AttributeValue> item = table.item(Items.key(this.key, this.slot.name()));
		assertThat(Items.number(item, Items.DELETE_AFTER))
			.isEqualTo((Items.number(item, Items.CAME) + LONG.toMillis()) / 1000 + Duration.ofDays(1).toSeconds());
	}

}
