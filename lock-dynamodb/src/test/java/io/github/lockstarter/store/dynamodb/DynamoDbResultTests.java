package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.test.TestResults;

import static org.assertj.core.api.Assertions.assertThat;

class DynamoDbResultTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final ResultKey RESULT = new ResultKey("result", LONG, true);

	private static final DynamoDbTable table = new DynamoDbTable();

	private final LockKey key = new LockKey("results", UUID.randomUUID().toString());

	private final StoredLock lock = table.store().lock(this.key);

	@AfterAll
	static void disconnect() {
		table.close();
	}

	@Test
	@DisplayName("Storing a result is one operation, and so is finding a result or a held lock; acquiring the lock is three")
	void countsOperations() {
		table.operations().clear();
		ask("a");
		assertThat(table.operations()).containsExactly("BatchGetItem", "UpdateItem", "BatchGetItem");
		ask("b");
		assertThat(table.operations()).hasSize(4).endsWith("BatchGetItem");
		release("a", "result");
		assertThat(table.operations()).hasSize(5).endsWith("TransactWriteItems");
		assertThat(ask("b")).isInstanceOf(Found.class);
		assertThat(table.operations()).hasSize(6).endsWith("BatchGetItem");
	}

	@Test
	@DisplayName("A caller that is granted the lock just after a result was stored gets the result, and releases the lock")
	void leftInBetween() {
		StoredLock other = table.store().lock(this.key);
		table.beforeNext("UpdateItem", () -> {
			join(other.acquire(AcquireCommand.of("other", LONG)));
			join(other.release("other", TestResults.stored(RESULT, "result")));
		});
		assertThat(ask("a")).isInstanceOf(Found.class);
		assertThat(join(this.lock.acquire(AcquireCommand.of("b", LONG)))).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("A result that is too large for DynamoDB is not stored, and the lock is released")
	void tooLarge() {
		ask("a");
		assertThat(release("a", "r".repeat(500_000))).isTrue();
		assertThat(ask("b")).isInstanceOf(Granted.class);
		assertThat(release("a", "r".repeat(500_000))).as("of another owner").isFalse();
	}

	@Test
	@DisplayName("DynamoDB may delete a result one day after its expiry, and not before")
	void deletion() {
		ask("a");
		release("a", "result");
		Map<String, AttributeValue> item = table.item(Items.resultKey(Items.key(this.key), RESULT.name()));
		assertThat(Items.number(item, Items.DELETE_AFTER))
			.isEqualTo((Items.number(item, Items.CAME) + LONG.toMillis()) / 1000 + Duration.ofDays(1).toSeconds());
	}

	private AcquireResult ask(String owner) {
		return join(this.lock.acquire(AcquireCommand.of(owner, LONG).orResult(TestResults.query(RESULT, LONG))));
	}

	private boolean release(String owner, String text) {
		return join(this.lock.release(owner, TestResults.stored(RESULT, text)));
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
