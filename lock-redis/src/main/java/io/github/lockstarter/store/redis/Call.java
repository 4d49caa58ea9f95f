package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * A call of Redis for a lock. It completes within a timeout, with a
 * {@link LockStoreException} if Redis fails or is slow.
 *
 * @param <T> the type of the answer
 */
final class Call<T> extends CompletableFuture<T> implements TimerTask {

	private final LockKey key;

	private final CallTimeouts timeouts;

	/** The time at which it times out, on the clock of the timeouts. */
	private long until;

	private volatile @Nullable Timeout alarm;

	Call(LockKey key, CallTimeouts timeouts) {
		this.key = key;
		this.timeouts = timeouts;
	}

	LockKey key() {
		return this.key;
	}

	/** Sets the time at which it times out. */
	void setUntil(long until) {
		this.until = until;
	}

	long until() {
		return this.until;
	}

	/** Sets the alarm that is cancelled by an answer. */
	void setAlarm(Timeout alarm) {
		this.alarm = alarm;
	}

	@Override
	public void run(Timeout alarm) {
		this.timeouts.passed(this);
	}

	/** Fails the call if it has no answer yet. Returns whether it has failed. */
	boolean expire(Duration timeout) {
		return completeExceptionally(new LockStoreException(this.key,
				"Redis did not answer within %d ms".formatted(timeout.toMillis()), null));
	}

	/** Returns whether the answer arrived in time. */
	@Override
	public boolean complete(T value) {
		boolean inTime = super.complete(value);
		cancelAlarm();
		return inTime;
	}

	void fail(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		completeExceptionally((cause instanceof LockStoreException) ? cause
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
