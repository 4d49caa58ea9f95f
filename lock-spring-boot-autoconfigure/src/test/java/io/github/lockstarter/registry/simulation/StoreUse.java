package io.github.lockstarter.registry.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * How the engine of a process has used its store, which only the invariants read.
 */
final class StoreUse {

	private final Map<String, LockKey> granted = new LinkedHashMap<>();

	private final Map<LockKey, Map<Long, Grant>> grants = new HashMap<>();

	private final Map<String, Long> renewals = new HashMap<>();

	private final Map<String, Duration> kept = new HashMap<>();

	/** How many requests for each lock were made, and how many were answered. */
	private final Map<LockKey, int[]> requests = new HashMap<>();

	/** Counts a request until it is answered. */
	<T> CompletableFuture<T> counted(LockKey key, CompletableFuture<T> answer) {
		int[] requests = this.requests.computeIfAbsent(key, (k) -> new int[2]);
		requests[0]++;
		answer.whenComplete((result, failure) -> requests[1]++);
		return answer;
	}

	/** Returns how many requests for a lock were made. */
	int requests(LockKey key) {
		return this.requests.getOrDefault(key, new int[2])[0];
	}

	/** Returns how many requests for a lock were answered. */
	int answers(LockKey key) {
		return this.requests.getOrDefault(key, new int[2])[1];
	}

	/** Returns whether a request for a lock is under way. */
	boolean isAsking(LockKey key) {
		return requests(key) > answers(key);
	}

	/** The engine is notified of a grant, which it must release. */
	void granted(LockKey key, String owner) {
		this.granted.put(owner, key);
	}

	/** The engine has released the owner, or a token has taken its lock. */
	void released(String owner) {
		this.granted.remove(owner);
	}

	/** Returns the owners that hold a lock as far as the engine knows. */
	Map<String, LockKey> unreleased() {
		return this.granted;
	}

	/** The server has given a fencing token. */
	void note(LockKey key, long fencingToken, Grant grant) {
		this.grants.computeIfAbsent(key, (k) -> new HashMap<>())
			.merge(fencingToken, grant, (before, now) -> new Grant(now.owner(), before.epoch(), now.asked(),
					before.epoch() == now.epoch()));
	}

	/**
	 * Returns what is known of the grant that a fencing token of the server stands for.
	 */
	@Nullable Grant grant(LockKey key, long fencingToken) {
		return this.grants.getOrDefault(key, Map.of()).get(fencingToken);
	}

	/** The engine wants to renew the owner, at a time on the clock of the process. */
	void renews(String owner, long time) {
		this.renewals.put(owner, time);
	}

	/** Returns when the owner was to be renewed for the last time, if ever. */
	@Nullable Long lastRenewal(String owner) {
		return this.renewals.get(owner);
	}

	/** The engine has released the owner, and keeps the lock from others. */
	void keeps(String owner, Duration time) {
		this.kept.put(owner, time);
	}

	/** Returns for how long the lock was kept from others after the owner had it. */
	Duration kept(String owner) {
		return this.kept.getOrDefault(owner, Duration.ZERO);
	}

	/**
	 * A grant as the client of the store has seen it.
	 *
	 * @param owner the owner that it was for
	 * @param epoch how often data had been lost before it
	 * @param asked when it was asked for, on the clock of the process
	 * @param unique whether no other grant before or after a loss of data has the same
	 * fencing token
	 */
	record Grant(String owner, int epoch, long asked, boolean unique) {
	}

}
