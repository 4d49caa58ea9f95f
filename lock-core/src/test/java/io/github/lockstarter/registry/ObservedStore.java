package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.memory.MemoryLockStore;

/**
 * A store in memory that counts its commands. It can fail, lose its data, and withhold
 * answers.
 */
final class ObservedStore implements GroupLockStore {

	final AtomicInteger acquires = new AtomicInteger();

	/** The number of returned handles that may block their caller. */
	final AtomicInteger blocking = new AtomicInteger();

	final AtomicInteger releases = new AtomicInteger();

	final List<List<Renewal>> renewals = new CopyOnWriteArrayList<>();

	volatile boolean broken;

	/**
	 * Whether answers are withheld until the store {@linkplain #deliver() delivers them}.
	 */
	volatile boolean withholding;

	/** Whether answers are withheld after the next release. */
	volatile boolean withholdingAfterRelease;

	/** Whether commands are executed at once although their answers are withheld. */
	volatile boolean executingAtOnce;

	/** Whether answers are withheld after the next acquire for a token. */
	volatile boolean withholdingAfterTokenAcquire;

	/** Runs at each acquire. */
	volatile Runnable onAcquire = () -> {
	};

	volatile boolean throwing;

	/** Whether the store declares that its locks are local to the instance. */
	volatile boolean local;

	/** Whether the store declares that it grants several locks at once. */
	volatile boolean acquiresAll = true;

	private final Queue<Runnable> withheld = new ConcurrentLinkedQueue<>();

	private final LongSupplier nanoTime;

	private volatile MemoryLockStore memory;

	private volatile Runnable onReconnect = () -> {
	};

	ObservedStore() {
		this(System::nanoTime);
	}

	ObservedStore(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.memory = new MemoryLockStore(nanoTime);
	}

	void loseData() {
		this.memory = new MemoryLockStore(this.nanoTime);
	}

	/** Returns the underlying store, without counting and faults. */
	MemoryLockStore memory() {
		return this.memory;
	}

	void reconnect() {
		this.onReconnect.run();
	}

	void fail() {
		this.broken = true;
		deliver();
	}

	/**
	 * Delivers the withheld answers on another thread, and waits for it.
	 */
	void deliver() {
		this.withholding = false;
		this.withholdingAfterTokenAcquire = false;
		this.withholdingAfterRelease = false;
		Thread store = new Thread(() -> {
			for (Runnable next = this.withheld.poll(); next != null; next = this.withheld.poll()) {
				next.run();
			}
		}, "store");
		store.start();
		try {
			store.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void onReconnect(Runnable action) {
		this.onReconnect = action;
	}

	int commands() {
		return this.acquires.get() + this.releases.get() + this.renewals.size();
	}

	@Override
	public Set<Capability> capabilities() {
		Set<Capability> capabilities = EnumSet.of(Capability.KEEPS_RESULTS, Capability.HOLDS_FOR_TOKENS);
		if (this.local) {
			capabilities.add(Capability.LOCAL);
		}
		if (this.acquiresAll) {
			capabilities.add(Capability.ACQUIRES_ALL);
		}
		return capabilities;
	}

	@Override
	public CompletionStage<AcquireAllResult> acquireAll(List<Claim> acquisitions) {
		this.acquires.incrementAndGet();
		this.onAcquire.run();
		return unlessBroken(((ObservedLock) acquisitions.get(0).lock()).key,
				() -> this.memory.acquireAll(acquisitions.stream()
					.map((each) -> new Claim(((ObservedLock) each.lock()).memory(), each.owner(), each.ttl()))
					.toList()));
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		this.renewals.add(renewals);
		return GroupLockStore.super.renewAll(renewals);
	}

	@Override
	public TokenStoredLock lock(LockKey key) {
		return new ObservedLock(key);
	}

	private final class ObservedLock implements TokenStoredLock {

		private final LockKey key;

		ObservedLock(LockKey key) {
			this.key = key;
		}

		private TokenStoredLock memory() {
			return ObservedStore.this.memory.lock(this.key);
		}

		@Override
		public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
			ObservedStore.this.acquires.incrementAndGet();
			ObservedStore.this.onAcquire.run();
			ObservedStore.this.withholding |= !command.undoneOnFailure()
					&& ObservedStore.this.withholdingAfterTokenAcquire;
			return unlessBroken(this.key, () -> memory().acquire(command));
		}

		@Override
		public CompletionStage<Boolean> renew(String owner, Duration ttl) {
			return unlessBroken(this.key, () -> memory().renew(owner, ttl));
		}

		@Override
		public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
			ObservedStore.this.releases.incrementAndGet();
			CompletionStage<Boolean> released = unlessBroken(this.key, () -> memory().release(owner, result));
			ObservedStore.this.withholding |= result == null && ObservedStore.this.withholdingAfterRelease;
			return released;
		}

		@Override
		public StoredLock blocking() {
			ObservedStore.this.blocking.incrementAndGet();
			return this;
		}

		@Override
		public CompletionStage<Optional<Duration>> remaining() {
			return unlessBroken(this.key, () -> memory().remaining());
		}

	}

	private <T> CompletionStage<T> unlessBroken(LockKey key, Supplier<CompletionStage<T>> answer) {
		if (this.withholding) {
			CompletableFuture<T> kept = new CompletableFuture<>();
			CompletionStage<T> done = this.executingAtOnce ? answer.get() : null;
			this.withheld
				.add(() -> ((done != null) ? done : unlessBroken(key, answer)).whenComplete((value, failure) -> {
					if (failure != null) {
						kept.completeExceptionally(failure);
					}
					else {
						kept.complete(value);
					}
				}));
			return kept;
		}
		if (this.throwing) {
			throw new IllegalStateException("not even an answer");
		}
		return this.broken ? CompletableFuture.failedFuture(new LockStoreException(key, "out of order", null))
				: answer.get();
	}

}
