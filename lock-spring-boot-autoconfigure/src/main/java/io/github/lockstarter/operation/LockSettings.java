package io.github.lockstarter.operation;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.Assert;

import io.github.lockstarter.LockOptions;

/**
 * The settings of a lock from one source: the properties of a name, the annotation, or
 * the properties for all locks. {@code null} leaves a setting to the next source.
 *
 * @param ttl the time after which the lock of a crashed holder expires
 * @param waitTime the longest time to wait for the lock
 * @param renew whether the lock is renewed while it is held
 * @param maxHold the longest time for which it is held, including renewals
 * @param holdAtLeast the shortest time for which it stays unavailable to others
 * @param conflictStatus the HTTP status of a rejection; 409, 422, 423 or 429
 * @param enabled whether annotated methods acquire it
 * @param onStoreFailure what happens to a call when the store fails
 */
public record LockSettings(@Nullable Duration ttl, @Nullable Duration waitTime, @Nullable Boolean renew,
		@Nullable Duration maxHold, @Nullable Duration holdAtLeast, @Nullable Integer conflictStatus,
		@Nullable Boolean enabled, @Nullable OnStoreFailure onStoreFailure) {

	/** Settings without any value. */
	public static final LockSettings NONE = new LockSettings(null, null, null, null, null, null, null, null);

	private static final Duration LONGEST_WAIT = Duration.ofDays(365);

	private static final Set<Integer> CONFLICT_STATUSES = Set.of(409, 422, 423, 429);

	public LockSettings {
		if (conflictStatus != null) {
			checkConflictStatus(conflictStatus);
		}
	}

	/**
	 * Checks the status of a rejection.
	 * @throws IllegalArgumentException if it is none of 409, 422, 423 and 429
	 */
	public static void checkConflictStatus(int status) {
		Assert.isTrue(CONFLICT_STATUSES.contains(status), "The status of a conflict must be 409, 422, 423 or 429");
	}

	/** Returns these settings, completed by those of the next source. */
	public LockSettings or(LockSettings next) {
		return new LockSettings(either(this.ttl, next.ttl), either(this.waitTime, next.waitTime),
				either(this.renew, next.renew), either(this.maxHold, next.maxHold),
				either(this.holdAtLeast, next.holdAtLeast), either(this.conflictStatus, next.conflictStatus),
				either(this.enabled, next.enabled), either(this.onStoreFailure, next.onStoreFailure));
	}

	/**
	 * Returns the options of these settings, with the defaults of {@link LockOptions#of}
	 * for those that are not set.
	 * @throws IllegalArgumentException if a value is out of range
	 * @throws IllegalStateException if the time to live is not set
	 */
	public LockOptions options() {
		Assert.state(this.ttl != null, "There is no time to live");
		LockOptions options = LockOptions.of(this.ttl);
		if (this.maxHold != null) {
			options = options.withMaxHold(this.maxHold);
		}
		if (Boolean.FALSE.equals(this.renew)) {
			options = options.withoutRenewal();
		}
		if (this.waitTime != null) {
			options = options.withWaitTime(this.waitTime);
		}
		if (this.holdAtLeast != null) {
			options = options.withHoldAtLeast(this.holdAtLeast);
		}
		return options;
	}

	/**
	 * Returns a wait time that is long enough for the lock of a crashed instance to
	 * expire, and for the next call.
	 */
	static Duration defaultWait(Duration ttl) {
		Duration twice = ttl.multipliedBy(2);
		return (twice.compareTo(LONGEST_WAIT) < 0) ? twice : LONGEST_WAIT;
	}

	/** Returns the status of a conflict, 409 if it is not set. */
	public HttpStatusCode conflictStatusCode() {
		return (this.conflictStatus != null) ? HttpStatusCode.valueOf(this.conflictStatus) : HttpStatus.CONFLICT;
	}

	/** Returns whether annotated methods acquire the lock; by default they do. */
	boolean isEnabled() {
		return !Boolean.FALSE.equals(this.enabled);
	}

	/** Returns what happens to a call when the store fails: by default it is rejected. */
	OnStoreFailure storeFailure() {
		return (this.onStoreFailure != null) ? this.onStoreFailure : OnStoreFailure.REJECT;
	}

	private static <T> @Nullable T either(@Nullable T first, @Nullable T second) {
		return (first != null) ? first : second;
	}

}
