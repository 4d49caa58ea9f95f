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
 * When the methods whose calls may be skipped last ran in this instance, and were last
 * skipped: scheduled methods, for the most part, of which an operator asks which instance
 * ran them.
 */
public final class LastRuns {

	private static final Run NONE = new Run("", null, null, null);

	/** By the name of the lock: there are no more than annotations. */
	private final Map<String, Run> runs = new ConcurrentHashMap<>();

	/** Returns what is known, by the name of the lock. */
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
	 * @param method the last method that was called
	 * @param ran when a call last began to run; {@code null} if none did
	 * @param fencingToken the number of the lease of that call: the instance with the
	 * largest one has run last
	 * @param skipped when a call was last skipped; {@code null} if none was
	 */
	public record Run(String method, @Nullable Instant ran, @Nullable Long fencingToken, @Nullable Instant skipped) {

	}

}
