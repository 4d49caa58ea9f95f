package io.github.lockstarter.store.dynamodb;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.TokenStoreContract;

import static org.assertj.core.api.Assertions.assertThat;

class DynamoDbTokenStoreTests extends TokenStoreContract {

	private static final DynamoDbTable table = new DynamoDbTable();

	private final DynamoDbLockStore store = table.store();

	@AfterAll
	static void disconnect() {
		table.close();
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Test
	@DisplayName("To claim a lock is one request, and so is to ask how long it is held")
	void countsRequests() {
		table.requests().clear();
		claim("a", LONG);
		assertThat(table.requests()).containsExactly("UpdateItem");
		remaining();
		assertThat(table.requests()).containsExactly("UpdateItem", "BatchGetItem");
	}

}
