package io.github.lockstarter.interceptor;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The last runs and the last skips, in this instance, of methods whose calls may be
 * skipped. Most of them are scheduled methods. The runs show an operator which instance
 * ran a method.
 */
public final class LastRuns {

	private static final Run NONE = new Run("", null, null, null);

	/**
	 * By the name of the lock, so that its size is bounded by the number of annotations.
	 */
	private final Map<String, Run> runs = new ConcurrentHashMap<>();

	/** Returns the last runs by the name of the lock. */
	public Map<String, Run> byLockName() {
		return new TreeMap<>(this.runs);
	}

	void ran(Lease lease, LockedMethod method) {
		Instant now = Instant.now();
		note(lease.key().name(), (last) -> new Run(name(method), now, lease.fencingToken(), last.skipped()));
	}

	void skipped(String lockName, LockedMethod method) {
		Instant now = Instant.now();
		note(lockName, (last) -> new Run(name(method), last.ran(), last.fencingToken(), now));
	}

	private void note(String lockName, UnaryOperator<Run> change) {
		this.runs.compute(lockName, (name, last) -> change.apply((last != null) ? last : NONE));
	}

	private static String name(LockedMethod method) {
		return ClassUtils.getQualifiedMethodName(method.method(), method.type());
	}

	/**
	 * The last run of a method in this instance.
	 *
	 * @param method the method that was called last
	 * @param ran the time at which a call last began to run; {@code null} if no call did
	 * @param fencingToken the fencing token of that call: the instance with the largest
	 * one has run last
	 * @param skipped the time at which a call was last skipped; {@code null} if no call
	 * was
	 */
	public record Run(String method, @Nullable Instant ran, @Nullable Long fencingToken, @Nullable Instant skipped) {

	}

}
