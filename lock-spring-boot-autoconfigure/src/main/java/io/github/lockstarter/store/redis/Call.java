package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * One call of Redis on behalf of a lock. Its answer comes within a time-out, and is a
 * {@link LockStoreException} if Redis fails or is slow.
 *
 * @param <T> what the answer is
 */
final class Call<T> {

	private final CompletableFuture<T> answer = new CompletableFuture<>();

	private final LockKey key;

	private volatile @Nullable Timeout alarm;

	Call(LockKey key) {
		this.key = key;
	}

	/** Fails the answer if it takes too long, and then runs the action. */
	void within(Duration timeout, Timer timer, Runnable late) {
		this.alarm = timer.newTimeout((alarm) -> {
			if (this.answer.completeExceptionally(new LockStoreException(this.key,
					"Redis did not answer within %d ms".formatted(timeout.toMillis()), null))) {
				late.run();
			}
		}, timeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	CompletableFuture<T> answer() {
		return this.answer;
	}

	boolean isAnswered() {
		return this.answer.isDone();
	}

	/** Returns whether the answer comes in time. */
	boolean complete(T value) {
		boolean inTime = this.answer.complete(value);
		cancelAlarm();
		return inTime;
	}

	void fail(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		this.answer.completeExceptionally((cause instanceof LockStoreException) ? cause
				: new LockStoreException(this.key, "Redis failed", cause));
		cancelAlarm();
	}

	private void cancelAlarm() {
		Timeout alarm = this.alarm;
		if (alarm != null) {
			alarm.cancel();
		}
	}

}
