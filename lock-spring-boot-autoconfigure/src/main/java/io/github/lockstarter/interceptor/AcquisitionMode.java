package io.github.lockstarter.interceptor;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.SharedCall;

/**
 * How an attempt waits for the registry: on the thread of the caller, or without blocking
 * a thread.
 */
sealed interface AcquisitionMode {

	/** Each stage is complete when it is returned, or its failure is thrown. */
	AcquisitionMode BLOCKING = new BlockingMode();

	CompletionStage<Lease> acquire(LockRegistry registry, LockKey key, LockOptions options);

	CompletionStage<List<Lease>> acquireAll(LockRegistry registry, Collection<LockKey> keys, LockOptions options);

	/** Acquires the lock, or receives the result of another call. */
	CompletionStage<Outcome> acquireOrResult(LockRegistry registry, LockKey key, LockOptions options,
			SharedCall sharing);

	/** Returns the stage of a release that an attempt has to wait for. */
	CompletionStage<Void> released(CompletionStage<Void> release);

	/** The caller's own thread waits, and counts as a waiting thread. */
	record BlockingMode() implements AcquisitionMode {

		@Override
		public CompletionStage<Lease> acquire(LockRegistry registry, LockKey key, LockOptions options) {
			return CompletableFuture.completedFuture(registry.acquire(key, options));
		}

		@Override
		public CompletionStage<List<Lease>> acquireAll(LockRegistry registry, Collection<LockKey> keys,
				LockOptions options) {
			return CompletableFuture.completedFuture(registry.acquireAll(keys, options));
		}

		@Override
		public CompletionStage<Outcome> acquireOrResult(LockRegistry registry, LockKey key, LockOptions options,
				SharedCall sharing) {
			return CompletableFuture
				.completedFuture(sharing.results().acquire(registry, key, options, sharing.caller()));
		}

		@Override
		public CompletionStage<Void> released(CompletionStage<Void> release) {
			release.toCompletableFuture().join();
			return release;
		}

	}

	/**
	 * No thread waits.
	 *
	 * @param executor completes the stages, except for an immediate rejection
	 */
	record NonBlockingMode(Executor executor) implements AcquisitionMode {

		@Override
		public CompletionStage<Lease> acquire(LockRegistry registry, LockKey key, LockOptions options) {
			return registry.acquireAsync(key, options, this.executor);
		}

		@Override
		public CompletionStage<List<Lease>> acquireAll(LockRegistry registry, Collection<LockKey> keys,
				LockOptions options) {
			return registry.acquireAllAsync(keys, options, this.executor);
		}

		@Override
		public CompletionStage<Outcome> acquireOrResult(LockRegistry registry, LockKey key, LockOptions options,
				SharedCall sharing) {
			return sharing.results().acquireAsync(registry, key, options, sharing.caller(), this.executor);
		}

		@Override
		public CompletionStage<Void> released(CompletionStage<Void> release) {
			return release;
		}

	}

}
