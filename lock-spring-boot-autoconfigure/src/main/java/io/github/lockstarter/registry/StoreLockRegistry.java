package io.github.lockstarter.registry;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.LockStore;

/**
 * Hands out the locks of a {@link LockStore}. One thread serves all who wait.
 */
public final class StoreLockRegistry implements LockRegistry, AutoCloseable {

	private final OutageLog outages = new OutageLog();

	private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, StoreLockRegistry::daemon);

	private final LockStore store;

	public StoreLockRegistry(LockStore store) {
		this.store = store;
	}

	@Override
	public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
		return await(key, attempt(key, options).start());
	}

	@Override
	public Lease acquire(LockKey key, LockOptions options) {
		Attempt attempt = attempt(key, options);
		return await(key, attempt.start())
			.orElseThrow(() -> new LockConflictException(key, options, attempt.retryAfter()));
	}

	@Override
	public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
		return attempt(key, options).start();
	}

	/** Ends waiting. What is held stays held until it is released or runs out. */
	@Override
	public void close() {
		this.scheduler.shutdown();
	}

	private Attempt attempt(LockKey key, LockOptions options) {
		return new Attempt(this.store, key, options, this.outages, this.scheduler);
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task, "lock-registry");
		thread.setDaemon(true);
		return thread;
	}

	private static Optional<Lease> await(LockKey key, CompletableFuture<Optional<Lease>> answer) {
		try {
			return answer.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof LockException cause) ? cause
					: new LockStoreException(key, "the store failed", ex.getCause());
		}
		catch (InterruptedException ex) {
			if (!answer.cancel(false)) {
				answer.thenAccept((lease) -> lease.ifPresent(Lease::releaseAsync));
			}
			Thread.currentThread().interrupt();
			throw new LockStoreException(key, "interrupted while waiting for it", ex);
		}
	}

}
