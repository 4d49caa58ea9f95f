package io.github.lockstarter.sample;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.test.LockStoreContract;

class OwnLockStoreTests extends LockStoreContract {

	private final OwnLockStore store = new OwnLockStore();

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected LockStore otherInstance() {
		return new OwnLockStore();
	}

	@Override
	protected long locksInStore() {
		return this.store.leases.size();
	}

}
