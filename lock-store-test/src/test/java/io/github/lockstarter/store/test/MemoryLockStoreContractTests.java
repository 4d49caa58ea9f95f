package io.github.lockstarter.store.test;

import java.util.Map;

import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryLockStoreContractTests extends LockStoreContract {

	private final MemoryLockStore store = new MemoryLockStore();

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected LockStore otherInstance() {
		return new MemoryLockStore();
	}

	@Override
	protected long locksInStore() {
		Map<?, ?> leases = (Map<?, ?>) ReflectionTestUtils.getField(this.store, "leases");
		assertThat(leases).isNotNull();
		return leases.size();
	}

}
