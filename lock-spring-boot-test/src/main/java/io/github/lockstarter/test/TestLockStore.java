package io.github.lockstarter.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.StoredResults;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.memory.MemoryLockStore;

/**
 * A store in memory that can fail, and that another simulated instance uses as well.
 */
final class TestLockStore implements GroupLockStore {

	private final MemoryLockStore memory = new MemoryLockStore();

	private volatile boolean failing;

	@Override
	public TokenStoredLock lock(LockKey key) {
		return new TestLock(key, this.memory.lock(key));
	}

	@Override
	public Set<Capability> capabilities() {
		return this.memory.capabilities();
	}

	@Override
	public CompletionStage<AcquireAllResult> acquireAll(List<Claim> claims) {
		List<TestLock> locks = claims.stream().map((each) -> (TestLock) each.lock()).toList();
		return locks.get(0)
			.ask(() -> this.memory.acquireAll(IntStream.range(0, locks.size())
				.mapToObj((i) -> new Claim(locks.get(i).inMemory, claims.get(i).owner(), claims.get(i).ttl()))
				.toList()))
			.thenApply((result) -> seenBy(claims, result));
	}

	private static AcquireAllResult seenBy(List<Claim> claims, AcquireAllResult result) {
		return (result instanceof FirstHeld held)
				? new FirstHeld(held.index(), seen(held.held(), claims.get(held.index()).ttl())) : result;
	}

	/** A running holder renews its lock, and never for longer than the ttl. */
	private static Held seen(Held held, Duration ttl) {
		return (held.remaining().compareTo(ttl) > 0) ? new Held(ttl, held.fencingToken()) : held;
	}

	@Override
	public Optional<StoredResults> results() {
		return this.memory.results();
	}

	/** Sets whether the store fails for this instance. */
	void setFailing(boolean failing) {
		this.failing = failing;
	}

	/** Removes all locks and results. */
	void clear() {
		this.memory.clear();
	}

	/**
	 * Grants the lock to the other instance if it is free. For that instance, the store
	 * never fails.
	 * @return an action that releases the lock; {@code null} if the lock is held
	 */
	@Nullable OtherHolder grantElsewhere(LockKey key, Duration ttl) {
		StoredLock lock = this.memory.lock(key);
		String owner = "elsewhere-" + UUID.randomUUID();
		AcquireResult result = lock.acquire(AcquireCommand.of(owner, ttl)).toCompletableFuture().join();
		return (result instanceof Granted) ? () -> lock.release(owner, null).toCompletableFuture().join() : null;
	}

	/** Returns whether the lock is held, by any instance. */
	boolean isHeld(LockKey key) {
		return this.memory.lock(key).remaining().toCompletableFuture().join().isPresent();
	}

	private final class TestLock implements TokenStoredLock {

		private final LockKey key;

		private final TokenStoredLock inMemory;

		TestLock(LockKey key, TokenStoredLock inMemory) {
			this.key = key;
			this.inMemory = inMemory;
		}

		@Override
		public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
			return ask(() -> this.inMemory.acquire(command))
				.thenApply((result) -> (result instanceof Held held) ? seen(held, command.ttl()) : result);
		}

		@Override
		public CompletionStage<Boolean> renew(String owner, Duration ttl) {
			return ask(() -> this.inMemory.renew(owner, ttl));
		}

		@Override
		public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
			return ask(() -> this.inMemory.release(owner, result));
		}

		@Override
		public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
			return ask(() -> this.inMemory.releaseAfter(owner, time));
		}

		@Override
		public CompletionStage<Optional<Duration>> remaining() {
			return ask(this.inMemory::remaining);
		}

		private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question) {
			return TestLockStore.this.failing ? CompletableFuture
				.failedFuture(new LockStoreException(this.key, "the test lets the store fail", null)) : question.get();
		}

	}

}
