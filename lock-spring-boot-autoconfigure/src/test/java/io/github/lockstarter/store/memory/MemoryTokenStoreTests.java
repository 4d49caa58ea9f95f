package io.github.lockstarter.store.memory;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.TokenStoreContract;

class MemoryTokenStoreTests extends TokenStoreContract {

	private final MemoryLockStore store = new MemoryLockStore();

	@Override
	protected LockStore store() {
		return this.store;
	}

}
