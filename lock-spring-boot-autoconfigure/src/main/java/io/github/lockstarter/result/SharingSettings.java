package io.github.lockstarter.result;

import java.lang.reflect.Method;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

import io.github.lockstarter.LockConfigurationException;

/**
 * The settings for sharing and replaying the results of an application.
 */
public final class SharingSettings {

	private static final Duration LONGEST = Duration.ofDays(365);

	private final Duration ttl;

	private final DataSize maxSize;

	private final SharingContext context;

	/**
	 * Creates the settings.
	 * @param ttl the time for which a result is kept for waiters; 1 ms to 365 days
	 * @param maxSize the largest size of a shared result; at least one byte
	 * @param context the objects of the application
	 */
	public SharingSettings(Duration ttl, DataSize maxSize, SharingContext context) {
		checkTime(ttl);
		checkSize(maxSize);
		this.ttl = ttl;
		this.maxSize = maxSize;
		this.context = context;
	}

	/**
	 * Checks the time for which results are kept.
	 * @throws IllegalArgumentException if it is out of range
	 */
	public static void checkTime(Duration time) {
		Assert.isTrue(time.compareTo(Duration.ofMillis(1)) >= 0 && time.compareTo(LONGEST) <= 0,
				"A result must be kept for at least 1ms and at most 365d");
	}

	/**
	 * Checks the largest size of a result.
	 * @throws IllegalArgumentException if it is out of range
	 */
	public static void checkSize(DataSize size) {
		Assert.isTrue(size.toBytes() > 0 && size.toBytes() <= Integer.MAX_VALUE,
				"It must be at least 1B and at most 2GB");
	}

	/**
	 * Returns the sharing of a method's results.
	 * @param lockName the name of its lock
	 * @param method the method
	 * @param type the type of the value that its work ends with
	 * @param replay the settings for later duplicates; {@code null} if results are shared
	 * only with waiters
	 * @throws LockConfigurationException if results of the type cannot be shared
	 * @throws IllegalArgumentException if the time of a replay is out of range
	 */
	public ResultSharing of(String lockName, Method method, ResultType type, @Nullable ReplayRetention replay) {
		if (replay != null) {
			checkTime(replay.keep());
		}
		return new ResultSharing(this, lockName, SharedWork.of(method, type.owner()), type, replay);
	}

	/**
	 * Returns the replay of the results of work in code. It keeps values.
	 * @param lockName the name of its lock
	 * @param result the type of its result
	 * @param keep the time for which a result is kept
	 * @throws LockConfigurationException if results of the type cannot be kept
	 * @throws IllegalArgumentException if the time is out of range
	 */
	public ResultSharing inCode(String lockName, ResolvableType result, Duration keep) {
		checkTime(keep);
		ResultType type = new ResultType(result.toClass(), result, false);
		return new ResultSharing(this, lockName, SharedWork.inCode(lockName, type), type,
				new ReplayRetention(keep, KeptResponses.VALUES));
	}

	Duration ttl() {
		return this.ttl;
	}

	DataSize maxSize() {
		return this.maxSize;
	}

	SharingContext context() {
		return this.context;
	}

}
