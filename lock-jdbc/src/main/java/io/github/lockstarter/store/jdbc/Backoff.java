package io.github.lockstarter.store.jdbc;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Limits how often something is attempted that fails again and again: with a pause that
 * grows to one second. During a pause, callers get the failure of the last attempt.
 */
final class Backoff {

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private @Nullable SQLException failure;

	private long pauseNanos;

	private long nextAt;

	/**
	 * Begins an attempt, or returns the last failure if it has to wait. After a failure,
	 * one caller at a time makes an attempt.
	 */
	synchronized @Nullable SQLException begin() {
		long now = System.nanoTime();
		if (this.failure != null && now - this.nextAt < 0) {
			return this.failure;
		}
		this.nextAt = now + this.pauseNanos;
		return null;
	}

	synchronized void failed(SQLException failure) {
		this.failure = failure;
		this.pauseNanos = Math.min(Math.max(2 * this.pauseNanos, FIRST_PAUSE_NANOS), LONGEST_PAUSE_NANOS);
		this.nextAt = System.nanoTime() + this.pauseNanos;
	}

	/** The same after many failures, with the longest pause. */
	synchronized void failedRepeatedly(SQLException failure) {
		this.pauseNanos = LONGEST_PAUSE_NANOS;
		failed(failure);
	}

	synchronized void succeeded() {
		this.failure = null;
		this.pauseNanos = 0;
	}

	/** Returns the failure of the last attempt; {@code null} if that succeeded. */
	synchronized @Nullable SQLException failure() {
		return this.failure;
	}

	/**
	 * Returns whether the pause is the longest one, for which callers should not wait.
	 */
	synchronized boolean isBackedOff() {
		return this.pauseNanos == LONGEST_PAUSE_NANOS;
	}

}
