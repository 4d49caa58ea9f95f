package io.github.lockstarter.store.test;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the contract for one capability, on a new lock. Every command uses a new
 * handle, because the state of a lock must be in the store, not in a handle.
 */
abstract class CapabilityContract {

	static final Duration LONG = Duration.ofSeconds(30);

	static final Duration SHORT = Duration.ofMillis(60);

	final LockStore store;

	/** The store of another instance of the application. */
	final LockStore other;

	final LockKey key = new LockKey("contract", UUID.randomUUID().toString());

	CapabilityContract(LockStore store, LockStore other) {
		this.store = store;
		this.other = other;
	}

	final AcquireResult acquire(String owner) {
		return acquire(AcquireCommand.of(owner, LONG));
	}

	final AcquireResult acquire(AcquireCommand command) {
		return join(this.store.lock(this.key).acquire(command));
	}

	final long grant(String owner) {
		return fencingToken(acquire(owner));
	}

	final boolean renew(String owner, Duration ttl) {
		return join(this.store.lock(this.key).renew(owner, ttl));
	}

	final boolean release(String owner) {
		return release(owner, null);
	}

	final boolean release(String owner, @Nullable StoredResult result) {
		return join(this.store.lock(this.key).release(owner, result));
	}

	final Optional<Duration> remaining() {
		return join(Capability.HOLDS_FOR_TOKENS.as(TokenStoredLock.class, this.store.lock(this.key)).remaining());
	}

	static long fencingToken(AcquireResult result) {
		assertThat(result).isInstanceOf(Granted.class);
		return ((Granted) result).fencingToken();
	}

	static Held held(AcquireResult result) {
		assertThat(result).isInstanceOf(Held.class);
		return (Held) result;
	}

	static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

	/**
	 * Tests, each on a new lock. They are dynamic because a store's capabilities are
	 * known only when the store exists: an undeclared capability has no tests, rather
	 * than skipped ones.
	 */
	static final class Tests<C extends CapabilityContract> {

		private final Stream.Builder<DynamicTest> all = Stream.builder();

		private final Supplier<C> contract;

		Tests(Supplier<C> contract) {
			this.contract = contract;
		}

		void add(String name, Consumer<C> test) {
			this.all.add(DynamicTest.dynamicTest(name, () -> test.accept(this.contract.get())));
		}

		Stream<DynamicTest> stream() {
			return this.all.build();
		}

	}

}
