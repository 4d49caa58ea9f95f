package io.github.lockstarter.store.dynamodb;

import org.junit.jupiter.api.AfterAll;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultStoreContract;

class DynamoDbResultStoreTests extends ResultStoreContract {

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

}
