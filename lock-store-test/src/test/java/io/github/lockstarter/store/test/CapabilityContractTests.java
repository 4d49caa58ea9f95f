package io.github.lockstarter.store.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the contract detects a store that does not implement a declared capability.
 */
class CapabilityContractTests {

	private final LockStore store = new PlainStore(Set.of(Capability.values()));

	@Test
	@DisplayName("A store that declares NOTIFIES without implementing it fails the contract")
	void notifies() {
		assertThat(isBroken(NotificationContract.tests(this.store, this.store))).isTrue();
	}

	@Test
	@DisplayName("A store that declares KEEPS_RESULTS without implementing it fails the contract")
	void keepsResults() {
		assertThat(isBroken(ResultContract.tests(this.store, this.store))).isTrue();
	}

	@Test
	@DisplayName("A store that declares HOLDS_FOR_TOKENS without implementing it fails the contract")
	void holdsForTokens() {
		assertThat(isBroken(TokenContract.tests(this.store, this.store))).isTrue();
	}

	@Test
	@DisplayName("A store that declares ACQUIRES_ALL without implementing it fails the contract")
	void acquiresAll() {
		assertThat(isBroken(GroupContract.tests(this.store, this.store))).isTrue();
	}

	/** Returns whether any test fails. Slow tests are at both ends of the list. */
	private static boolean isBroken(Stream<DynamicTest> tests) {
		List<DynamicTest> all = new ArrayList<>(tests.toList());
		Collections.reverse(all);
		return all.stream().anyMatch(CapabilityContractTests::fails);
	}

	private static boolean fails(DynamicTest test) {
		try {
			test.getExecutable().execute();
			return false;
		}
		catch (Throwable ex) {
			return true;
		}
	}

	/** Grants, renews and releases locks, and nothing else. */
	private record PlainStore(Set<Capability> capabilities, MemoryLockStore memory) implements LockStore {

		PlainStore(Set<Capability> capabilities) {
			this(capabilities, new MemoryLockStore());
		}

		@Override
		public StoredLock lock(LockKey key) {
			StoredLock lock = this.memory.lock(key);
			return new StoredLock() {

				@Override
				public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
					return lock.acquire(AcquireCommand.of(command.owner(), command.ttl()));
				}

				@Override
				public CompletionStage<Boolean> renew(String owner, Duration ttl) {
					return lock.renew(owner, ttl);
				}

				@Override
				public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
					return lock.release(owner, null);
				}

			};
		}

	}

}
