package io.github.lockstarter.registry.simulation;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.ResultKey;

/**
 * A caller that acquires a lock once.
 */
final class SimulatedCaller {

	private final int number;

	private final SimulatedProcess process;

	private final Kind kind;

	private final LockKey key;

	private final LockOptions options;

	private final @Nullable ResultKey result;

	private final long submitted;

	private CompletableFuture<?> answer = new CompletableFuture<>();

	private boolean answered;

	/**
	 * Creates a caller.
	 * @param submitted the time of its call
	 */
	SimulatedCaller(int number, SimulatedProcess process, Kind kind, LockKey key, LockOptions options,
			@Nullable ResultKey result, long submitted) {
		this.number = number;
		this.process = process;
		this.kind = kind;
		this.key = key;
		this.options = options;
		this.result = result;
		this.submitted = submitted;
	}

	int number() {
		return this.number;
	}

	SimulatedProcess process() {
		return this.process;
	}

	Kind kind() {
		return this.kind;
	}

	LockKey key() {
		return this.key;
	}

	LockOptions options() {
		return this.options;
	}

	@Nullable ResultKey result() {
		return this.result;
	}

	long submitted() {
		return this.submitted;
	}

	boolean waits() {
		return !this.options.waitTime().isZero();
	}

	void awaits(CompletableFuture<?> answer) {
		this.answer = answer;
	}

	CompletableFuture<?> answer() {
		return this.answer;
	}

	boolean isAnswered() {
		return this.answered;
	}

	void setAnswered() {
		this.answered = true;
	}

	@Override
	public String toString() {
		return "caller %d (%s %s, ttl %d, wait %d, max-hold %d, hold-at-least %d)".formatted(this.number, this.kind,
				this.key.key(), this.options.ttl().toMillis(), this.options.waitTime().toMillis(),
				this.options.maxHold().toMillis(), this.options.holdAtLeast().toMillis());
	}

	/** What a caller wants. */
	enum Kind {

		/** A lease. */
		LEASE,

		/** Leases of several locks, with one caller for each. */
		GROUP,

		/** A lease, or the result of the previous holder. */
		SHARE,

		/** A lease, or any stored result. */
		REPLAY,

		/** A lock for a new token. */
		TOKEN,

		/** A lock for a given token, which other processes use as well. */
		SHARED_TOKEN

	}

}
