package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * A call of Redis for a lock. It completes within a timeout, with a
 * {@link LockStoreException} if Redis fails or is slow.
 *
 * @param <T> the type of the answer
 */
final class Call<T> extends CompletableFuture<T> {

	private final LockKey key;

	private long deadline;

	Call(LockKey key) {
		this.key = key;
	}

	LockKey key() {
		return this.key;
	}

	/** Sets the time at which it times out, on the clock of {@link CallTimeouts}. */
	void setDeadline(long deadline) {
		this.deadline = deadline;
	}

	long deadline() {
		return this.deadline;
	}

	/** Fails the call if it has no answer yet. Returns whether it has failed. */
	boolean expire(Duration timeout) {
		return completeExceptionally(new LockStoreException(this.key,
				"Redis did not answer within %d ms".formatted(timeout.toMillis()), null));
	}

	void fail(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		completeExceptionally((cause instanceof LockStoreException) ? cause
				: new LockStoreException(this.key, "Redis failed", cause));
	}

}
