package io.github.lockstarter.registry.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * Records how the engine of a process has used its store. Only the invariants read it.
 */
final class StoreUse {

	private final Map<String, LockKey> granted = new LinkedHashMap<>();

	private final Map<LockKey, Map<Long, Grant>> grants = new HashMap<>();

	private final Map<String, Long> renewals = new HashMap<>();

	/** The deadlines that the last renewals have set whose answers arrived in time. */
	private final Map<String, @Nullable Long> deadlines = new HashMap<>();

	private final Map<String, Duration> kept = new HashMap<>();

	/** The numbers of commands and of answers for each lock. */
	private final Map<LockKey, int[]> commands = new HashMap<>();

	/** Counts a command until it is answered. */
	<T> CompletableFuture<T> counted(LockKey key, CompletableFuture<T> answer) {
		int[] commands = this.commands.computeIfAbsent(key, (k) -> new int[2]);
		commands[0]++;
		answer.whenComplete((result, failure) -> commands[1]++);
		return answer;
	}

	/** Returns the number of commands for a lock. */
	int commands(LockKey key) {
		return this.commands.getOrDefault(key, new int[2])[0];
	}

	/** Returns the number of answered commands for a lock. */
	int answers(LockKey key) {
		return this.commands.getOrDefault(key, new int[2])[1];
	}

	/** Returns whether a command for a lock is in flight. */
	boolean isAsking(LockKey key) {
		return commands(key) > answers(key);
	}

	/** Called when the engine gets a grant, which it must release. */
	void granted(LockKey key, String owner) {
		this.granted.put(owner, key);
	}

	/**
	 * Called when the engine has released the owner, or a token has acquired its lock.
	 */
	void released(String owner) {
		this.granted.remove(owner);
	}

	/** Returns the owners that hold a lock according to the engine. */
	Map<String, LockKey> unreleased() {
		return this.granted;
	}

	/** Called when the server has issued a fencing token. */
	void note(LockKey key, long fencingToken, Grant grant) {
		this.grants.computeIfAbsent(key, (k) -> new HashMap<>())
			.merge(fencingToken, grant, (before, now) -> new Grant(now.owner(), before.epoch(), now.asked(),
					before.epoch() == now.epoch()));
	}

	/**
	 * Returns the recorded grant of a fencing token.
	 */
	@Nullable Grant grant(LockKey key, long fencingToken) {
		return this.grants.getOrDefault(key, Map.of()).get(fencingToken);
	}

	/**
	 * Called when the engine renews the owner, with the time on the clock of the process.
	 */
	void renews(String owner, long time) {
		this.renewals.put(owner, time);
	}

	/** Returns the time of the owner's last renewal, if any. */
	@Nullable Long lastRenewal(String owner) {
		return this.renewals.get(owner);
	}

	/**
	 * Called when the answer to a renewal has arrived. One that arrives after the engine
	 * has released the owner comes too late.
	 * @param deadline the new deadline on the clock of the process; {@code null} if the
	 * store no longer had the lock
	 */
	void renewed(String owner, @Nullable Long deadline) {
		if (this.granted.containsKey(owner)) {
			this.deadlines.put(owner, deadline);
		}
	}

	/**
	 * Returns the deadline that the last renewal of the owner has set, if it was
	 * acknowledged.
	 */
	@Nullable Long renewedUntil(String owner) {
		return this.deadlines.get(owner);
	}

	/**
	 * Called when the engine has released the owner, but keeps the lock until
	 * hold-at-least is over.
	 */
	void keeps(String owner, Duration time) {
		this.kept.put(owner, time);
	}

	/** Returns for how long the lock was kept after the owner's release. */
	Duration kept(String owner) {
		return this.kept.getOrDefault(owner, Duration.ZERO);
	}

	/**
	 * A grant as the client of the store has seen it.
	 *
	 * @param owner the owner of the grant
	 * @param epoch the number of data losses before the grant
	 * @param asked the time of the command, on the clock of the process
	 * @param unique whether no other grant before or after a loss of data has the same
	 * fencing token
	 */
	record Grant(String owner, int epoch, long asked, boolean unique) {
	}

}
