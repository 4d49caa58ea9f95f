package io.github.lockstarter.registry.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.github.lockstarter.LockOptions;

import static org.springframework.format.annotation.DurationFormat.Style.COMPOSITE;
import static org.springframework.format.datetime.standard.DurationFormatterUtils.print;

/**
 * The time of a lease: its deadline, and when it is renewed or checked next. All times
 * are on the clock of the runtime.
 */
final class LeaseTerm {

	/** Stores count in milliseconds. */
	private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * The time in which the answer to a renewal is read that has arrived by the deadline.
	 */
	private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(50);

	/** In each time to live: a lease is renewed after a third of it. */
	private static final int RENEWALS = 3;

	/** The attempts in each time to live while renewals fail. */
	private static final int ATTEMPTS = 9;

	/**
	 * The parts of a time to live within which renewals are sent together, so that leases
	 * do not need a command each.
	 */
	private static final int BATCHES = 12;

	/** A bit of the deadline, which is otherwise 0: it is final. */
	private static final long FINAL = 1;

	private static final AtomicLongFieldUpdater<LeaseTerm> DEADLINE = AtomicLongFieldUpdater.newUpdater(LeaseTerm.class,
			"deadline");

	private static final AtomicIntegerFieldUpdater<LeaseTerm> RENEWING = AtomicIntegerFieldUpdater
		.newUpdater(LeaseTerm.class, "renewing");

	private final LockOptions options;

	/** The time of the grant. */
	private final long since;

	private volatile long deadline;

	private volatile long renewAt;

	/** The number of renewals in flight. */
	private volatile int renewing;

	/** Whether the store has not lost its data since the lock was last renewed. */
	private volatile boolean verified = true;

	/**
	 * Whether a transaction may have locked the lease in the store, so that it cannot be
	 * renewed.
	 */
	private volatile boolean committing;

	LeaseTerm(LockOptions options, Turn turn, long since) {
		this.options = options;
		this.since = since;
		this.deadline = turn.deadline() & ~FINAL;
		this.renewAt = isRenewable() ? turn.asked() + ttl() / RENEWALS : this.deadline;
	}

	/** Returns the time since the grant. */
	long age(long now) {
		return now - this.since;
	}

	/** Returns the time of the grant. */
	long since() {
		return this.since;
	}

	/**
	 * Returns whether the deadline has not passed. One that has passed is final as soon
	 * as the application has seen it: no renewal extends it.
	 */
	boolean isHeld(long now) {
		while (true) {
			long deadline = this.deadline;
			if (!isFinal(deadline) && deadline - now > 0) {
				return true;
			}
			if (isFinal(deadline) || DEADLINE.compareAndSet(this, deadline, deadline | FINAL)) {
				return false;
			}
		}
	}

	private static boolean isFinal(long deadline) {
		return (deadline & FINAL) != 0;
	}

	Duration remaining(long now) {
		return Duration.ofNanos(Math.max(this.deadline - now, 0));
	}

	boolean isExpired(long now) {
		return this.deadline - now <= 0;
	}

	/** Returns the rest of the shortest hold; not positive when it is over. */
	long leftToHold(long now) {
		return this.options.holdAtLeast().toNanos() - age(now);
	}

	/** Returns why the deadline was not extended further. */
	String whyExpired() {
		if (!isRenewable()) {
			return "its ttl of %s has passed, and it is not renewed".formatted(print(this.options.ttl(), COMPOSITE));
		}
		return (end() - this.deadline <= A_MILLISECOND)
				? "it was held for longer than %s, its max-hold".formatted(print(this.options.maxHold(), COMPOSITE))
				: "the store was unavailable, or this instance was paused, for the ttl of %s"
					.formatted(print(this.options.ttl(), COMPOSITE));
	}

	/** Returns the time of the next check. */
	long due() {
		boolean isPostponed = this.renewing > 0 && this.renewAt - this.deadline > 0;
		return (isPostponed || this.renewAt - this.deadline < 0) ? this.renewAt : this.deadline;
	}

	/**
	 * Postpones the judgement of an expired lease once, if a renewal is in flight. A
	 * process that stood still may continue with this check before it reads the answer to
	 * the renewal, with which the lease is still held.
	 * @return whether the loss is judged later
	 */
	boolean postponeLoss(long now) {
		if (this.renewing == 0 || isFinal(this.deadline)) {
			return false;
		}
		if (this.renewAt - this.deadline <= 0) {
			this.renewAt = now + GRACE;
		}
		return this.renewAt - now > 0;
	}

	/** No renewal is sent while a transaction of the holder commits. */
	void setCommitting(boolean committing) {
		this.committing = committing;
	}

	/**
	 * Makes a renewal due, because the store may have lost the lock. A lease that is not
	 * to be extended is renewed for the rest of its time. The judgement of an expired
	 * lease is not brought forward.
	 */
	void renewNow(long now) {
		this.verified = false;
		if (!isExpired(now)) {
			this.renewAt = now;
		}
	}

	/**
	 * Begins a renewal if one is due. Returns its time to live; zero if it is not due, or
	 * a renewal would not extend the lease.
	 */
	Duration beginRenewal(long now) {
		long soon = ttl() / BATCHES;
		if (this.renewAt - now > soon || this.deadline - this.renewAt <= 0) {
			return Duration.ZERO;
		}
		if (this.committing) {
			this.renewAt = now + soon;
			return Duration.ZERO;
		}
		this.renewAt = this.deadline;
		boolean isLast = !isRenewable() || end() - this.deadline <= A_MILLISECOND;
		if (isLast && this.verified) {
			return Duration.ZERO;
		}
		long lives = isLast ? this.deadline - now : Math.min(ttl(), end() - now);
		Duration ttl = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(lives));
		if (!ttl.isZero()) {
			this.verified = true;
			RENEWING.incrementAndGet(this);
		}
		return ttl;
	}

	/** Marks that a renewal was answered, or failed. */
	void endRenewal() {
		RENEWING.decrementAndGet(this);
	}

	/**
	 * Makes another renewal due soon after one has failed: the lease is still held, and
	 * the store may recover in time. After a reconnection, the next renewal may be due
	 * already.
	 */
	void renewAgain(long now) {
		this.verified = false;
		long again = now + ttl() / ATTEMPTS;
		if (again - this.renewAt < 0) {
			this.renewAt = again;
		}
	}

	/**
	 * Extends the lease by a renewal.
	 * @param asked the time of the command
	 * @param ttl the time to live of the command
	 * @return {@code false} if the renewal came too late
	 */
	boolean extend(long asked, Duration ttl, long now) {
		long deadline = this.deadline;
		long until = asked + ttl.toNanos();
		boolean extended = until - now > 0 && !isFinal(deadline)
				&& DEADLINE.compareAndSet(this, deadline, until & ~FINAL);
		if (extended) {
			this.renewAt = asked + ttl() / RENEWALS;
			// Read last: another thread reports a reconnection, after which the store may
			// have lost what it had answered before.
			if (!this.verified) {
				this.renewAt = now;
			}
		}
		return extended;
	}

	private boolean isRenewable() {
		return this.options.maxHold().compareTo(this.options.ttl()) > 0;
	}

	/** Returns the time at which renewals end. */
	private long end() {
		return this.since + this.options.maxHold().toNanos();
	}

	private long ttl() {
		return this.options.ttl().toNanos();
	}

}
