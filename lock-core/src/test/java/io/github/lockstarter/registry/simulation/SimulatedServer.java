package io.github.lockstarter.registry.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;

/**
 * The server of a store. Each operation is a single step, modelled on the scripts and
 * commands in Redis. The server has its own clock.
 */
final class SimulatedServer {

	/** The time in which waiters of other processes take precedence. */
	static final Duration HEAD_START = Duration.ofMillis(5);

	private static final long WAITING_TTL = Duration.ofSeconds(10).toNanos();

	private final EventQueue events;

	private final Scenario scenario;

	private final SimulatedClock clock;

	private final Trace trace;

	private final Set<SimulatedStore> subscribers = new LinkedHashSet<>();

	private final List<Runnable> backlog = new ArrayList<>();

	private GrantListener grants = (key, owner, process) -> {
	};

	private ReleaseListener releases = (key, owner, kept) -> {
	};

	private Data data = new Data();

	private Data replica = new Data();

	/** The time at which each result was stored, which is not part of answers. */
	private final Map<String, Long> stored = new HashMap<>();

	/** The offset of its clock after changes. */
	private long clockSet;

	private boolean frozen;

	private boolean down;

	private long availableSince;

	/** The number of data losses and clock changes. */
	private int epoch;

	private long lastLoss;

	SimulatedServer(EventQueue events, Scenario scenario, SimulatedClock clock, Trace trace) {
		this.events = events;
		this.scenario = scenario;
		this.clock = clock;
		this.trace = trace;
	}

	void onGrant(GrantListener listener) {
		this.grants = listener;
	}

	void onRelease(ReleaseListener listener) {
		this.releases = listener;
	}

	SimulatedClock clock() {
		return this.clock;
	}

	int epoch() {
		return this.epoch;
	}

	long lastLoss() {
		return this.lastLoss;
	}

	boolean isAvailable() {
		return !this.frozen && !this.down;
	}

	long availableSince() {
		return this.availableSince;
	}

	/** Called when a command arrives. */
	void receive(Runnable command) {
		if (this.frozen) {
			this.backlog.add(command);
		}
		else if (!this.down) {
			command.run();
		}
	}

	void freeze() {
		this.frozen = true;
		this.trace.add("server", () -> "is frozen");
	}

	void thaw() {
		if (this.frozen) {
			this.frozen = false;
			this.availableSince = this.events.now();
			this.trace.add("server", () -> "goes on, with %d commands".formatted(this.backlog.size()));
			List<Runnable> commands = List.copyOf(this.backlog);
			this.backlog.clear();
			commands.forEach(Runnable::run);
		}
	}

	void stop() {
		this.down = true;
		this.frozen = false;
		this.backlog.clear();
		this.subscribers.clear();
	}

	/** Restarts without data. */
	void startEmpty() {
		this.trace.add("server", () -> "starts without data");
		start(new Data());
	}

	/** Copies the data, like a replica that lags from now on. */
	void replicate() {
		this.replica = this.data.copy();
	}

	void failOver() {
		this.trace.add("server", () -> "is replaced by its replica");
		start(this.replica.copy());
	}

	private void start(Data data) {
		this.data = data;
		this.down = false;
		this.availableSince = this.events.now();
		this.epoch++;
		this.lastLoss = this.events.now();
	}

	/**
	 * Sets the clock. If it is set forward, granted leases end early, which counts as a
	 * loss of data.
	 */
	void setClock(long nanos) {
		this.trace.add("server", () -> "sets its clock by %d ms".formatted(nanos / 1_000_000));
		this.clockSet += nanos;
		this.epoch++;
		this.lastLoss = this.events.now();
	}

	private long now() {
		return this.clock.read(this.events.now()) + this.clockSet;
	}

	private @Nullable Holder holder(LockKey key) {
		Holder holder = this.data.holders.get(key);
		return (holder != null && holder.expiry() - now() > 0) ? holder : null;
	}

	/** Returns the holder of the lock. */
	@Nullable String owner(LockKey key) {
		Holder holder = holder(key);
		return (holder != null) ? holder.owner() : null;
	}

	/**
	 * Returns the time since which the lock is free, or the maximum time if it is held.
	 */
	long freeSince(LockKey key) {
		if (holder(key) != null) {
			return Long.MAX_VALUE;
		}
		Holder last = this.data.holders.get(key);
		long expired = (last != null) ? this.clock.toTime(last.expiry() - this.clockSet - this.clock.read(0)) : 0;
		return Math.max(Math.max(expired, this.lastLoss), this.data.released.getOrDefault(key, 0L));
	}

	/** Returns whether a free lock was released, rather than expired. */
	boolean isReleased(LockKey key) {
		return !this.data.holders.containsKey(key);
	}

	/** Returns whether an instance is to be notified when the lock is released. */
	boolean notifies(SimulatedStore instance, LockKey key) {
		Holder holder = holder(key);
		return waiting(key).contains(instance) && holder != null && holder.awaited();
	}

	/** Returns whether there is a result that has not expired. */
	boolean hasResult(LockKey key, String name) {
		KeptResult result = this.data.results.get(new ResultName(key, name));
		return result != null && result.expiry() - now() > 0;
	}

	/** Returns the time at which the result was stored, or the maximum time. */
	long stored(String result) {
		return this.stored.getOrDefault(result, Long.MAX_VALUE);
	}

	/**
	 * Returns whether all leases and waiters have expired, and no process watches for
	 * releases.
	 */
	boolean isEmpty() {
		return this.data.holders.values().stream().allMatch((holder) -> holder.expiry() - now() <= 0)
				&& this.data.waiting.values().stream().allMatch((waiting) -> waiting.expiry() - now() <= 0)
				&& this.subscribers.stream().noneMatch(SimulatedStore::isWatching);
	}

	/** {@code ACQUIRE} and {@code ACQUIRE_OR_RESULT}. */
	Reply acquire(SimulatedStore from, LockKey key, String owner, long ttl, boolean waits,
			@Nullable ResultQuery query) {
		Holder holder = holder(key);
		boolean again = holder != null && holder.owner().equals(owner);
		if (query != null && !again) {
			Found found = find(key, query);
			if (found != null) {
				return new Reply(found, this.epoch);
			}
		}
		if (holder == null || again) {
			return grant(from, key, again ? holder : new Holder(owner, Long.MIN_VALUE), now() + ttl);
		}
		Held held = held(key, holder);
		if (waits) {
			this.data.holders.put(key, new Holder(holder.owner(), holder.expiry(), true));
			wait(from, key, (holder.expiry() - now()) / 1_000_000 * 1_000_000);
		}
		return new Reply(held, this.epoch);
	}

	private Held held(LockKey key, Holder holder) {
		long millis = Math.max(1, (holder.expiry() - now()) / 1_000_000);
		return new Held(Duration.ofMillis(this.scenario.reportsRemaining() ? millis : 0),
				this.scenario.reportsToken() ? this.data.fence(fenceOf(key)) : 0);
	}

	/** {@code ACQUIRE_ALL}. */
	AllReply acquireAll(SimulatedStore from, List<Wanted> all) {
		for (int i = 0; i < all.size(); i++) {
			Holder holder = holder(all.get(i).key());
			if (holder != null && !holder.owner().equals(all.get(i).owner())) {
				return new AllReply(new FirstHeld(i, held(all.get(i).key(), holder)), this.epoch);
			}
		}
		return new AllReply(new AllGranted(all.stream()
			.map((each) -> (Granted) acquire(from, each.key(), each.owner(), each.ttl(), false, null).result())
			.toList()), this.epoch);
	}

	private Reply grant(SimulatedStore from, LockKey key, Holder holder, long expiry) {
		this.grants.granted(key, holder.owner(), from.process());
		this.data.holders.put(key, holder.until(Math.max(holder.expiry(), expiry) + this.scenario.extraTtl()));
		return new Reply(new Granted(this.data.nextFence(fenceOf(key))), this.epoch);
	}

	private Object fenceOf(LockKey key) {
		return this.scenario.sharedFence() ? "all" : key;
	}

	private void wait(SimulatedStore instance, LockKey key, long remaining) {
		Set<SimulatedStore> instances = new LinkedHashSet<>(waiting(key));
		instances.add(instance);
		this.data.waiting.put(key, new Waiting(instances, now() + remaining + WAITING_TTL));
	}

	private Set<SimulatedStore> waiting(LockKey key) {
		Waiting waiting = this.data.waiting.get(key);
		return (waiting != null && waiting.expiry() - now() > 0) ? waiting.instances() : Set.of();
	}

	private @Nullable Found find(LockKey key, ResultQuery query) {
		KeptResult kept = this.data.results.get(new ResultName(key, query.key().name()));
		if (kept == null || kept.expiry() - now() <= 0 || !query.canMatch()) {
			return null;
		}
		Duration age = Duration.ofNanos((now() - kept.came()) / 1000 * 1000 + 1000);
		return query.matches(kept.result(), age) ? new Found(kept.result(), age) : null;
	}

	/**
	 * {@code HAND_OVER}. If the successor already holds the lock, the command is a
	 * repetition.
	 */
	Reply handOver(SimulatedStore from, LockKey key, String owner, String successor, long ttl) {
		Holder holder = holder(key);
		if (holder != null && holder.owner().equals(successor)) {
			return grant(from, key, holder, now() + ttl);
		}
		if (holder == null || !holder.owner().equals(owner)) {
			return new Reply(new PredecessorLost(), this.epoch);
		}
		this.releases.released(key, owner, false);
		Set<SimulatedStore> others = new LinkedHashSet<>(waiting(key));
		others.remove(from);
		if (others.isEmpty()) {
			this.data.waiting.remove(key);
			return grant(from, key, new Holder(successor, Long.MIN_VALUE), now() + ttl);
		}
		free(key);
		publish(key, from);
		wait(from, key, 0);
		return new Reply(new Held(HEAD_START), this.epoch);
	}

	boolean renew(LockKey key, String owner, long ttl) {
		Holder holder = holder(key);
		if (holder == null || !holder.owner().equals(owner)) {
			return false;
		}
		this.data.holders.put(key, holder.until(Math.max(holder.expiry(), now() + ttl + this.scenario.extraTtl())));
		return true;
	}

	/**
	 * Releases a lock that nobody waits for, by the server's own command. It does not
	 * touch the waiters.
	 */
	boolean compareAndDelete(LockKey key, String owner) {
		Holder holder = holder(key);
		if (holder == null || !holder.owner().equals(owner) || holder.awaited()) {
			return false;
		}
		this.releases.released(key, owner, false);
		this.data.holders.remove(key);
		this.data.released.put(key, this.events.now());
		return true;
	}

	/** {@code RELEASE} and {@code RELEASE_WITH_RESULT}. */
	boolean release(LockKey key, String owner, @Nullable StoredResult result) {
		Holder holder = holder(key);
		if (holder == null || !holder.owner().equals(owner)) {
			return false;
		}
		this.releases.released(key, owner, false);
		boolean awaited = !waiting(key).isEmpty();
		free(key);
		if (result != null && (awaited || result.key().replayed() || !this.scenario.can(Capability.NOTIFIES))) {
			StoredResult kept = new StoredResult(result.key(), result.text(),
					this.scenario.sharedFence() ? this.data.fence(fenceOf(key)) : result.fencingToken());
			this.stored.put(result.text(), this.events.now());
			this.data.results.put(new ResultName(key, result.key().name()),
					new KeptResult(kept, now(), now() + result.key().keep().toNanos()));
		}
		if (awaited) {
			publish(key, null);
		}
		return true;
	}

	/**
	 * {@code RELEASE_AFTER}. If the hold has already ended, the command is a repetition.
	 */
	boolean releaseAfter(LockKey key, String owner, long time) {
		String ended = StoredLock.ended(owner);
		Holder holder = holder(key);
		if (holder != null && holder.owner().equals(ended)) {
			return true;
		}
		if (holder == null || !holder.owner().equals(owner)) {
			return false;
		}
		this.releases.released(key, owner, true);
		boolean awaited = !waiting(key).isEmpty();
		this.data.holders.put(key, new Holder(ended, now() + time + this.scenario.extraTtl()));
		this.data.waiting.remove(key);
		if (awaited) {
			publish(key, null);
		}
		return true;
	}

	private void free(LockKey key) {
		this.data.holders.remove(key);
		this.data.waiting.remove(key);
		this.data.released.put(key, this.events.now());
	}

	private void publish(LockKey key, @Nullable SimulatedStore except) {
		for (SimulatedStore subscriber : List.copyOf(this.subscribers)) {
			if (subscriber != except) {
				subscriber.publish(key);
			}
		}
	}

	Optional<Duration> remaining(LockKey key) {
		Holder holder = holder(key);
		return Optional.ofNullable(holder)
			.map((held) -> Duration
				.ofMillis(this.scenario.reportsRemaining() ? (held.expiry() - now()) / 1_000_000 : 0));
	}

	boolean subscribe(SimulatedStore subscriber) {
		return this.subscribers.add(subscriber);
	}

	void unsubscribe(SimulatedStore subscriber) {
		this.subscribers.remove(subscriber);
	}

	/**
	 * The server's answer to a command for a lock.
	 *
	 * @param result the part that is passed to the engine
	 * @param epoch the number of data losses so far, which is not passed to the engine
	 */
	record Reply(AcquireResult result, int epoch) {
	}

	/**
	 * The server's answer to a command for several locks.
	 */
	record AllReply(AcquireAllResult result, int epoch) {
	}

	/**
	 * One lock of a command for several.
	 */
	record Wanted(LockKey key, String owner, long ttl) {
	}

	/** Notified of every grant, just before it. */
	@FunctionalInterface
	interface GrantListener {

		void granted(LockKey key, String owner, SimulatedProcess process);

	}

	/** Notified of every release by the owner, just before it. */
	@FunctionalInterface
	interface ReleaseListener {

		void released(LockKey key, String owner, boolean kept);

	}

	/**
	 * The holder of a lock.
	 *
	 * @param awaited whether its value says that instances wait
	 */
	private record Holder(String owner, long expiry, boolean awaited) {

		Holder(String owner, long expiry) {
			this(owner, expiry, false);
		}

		Holder until(long expiry) {
			return new Holder(this.owner, expiry, this.awaited);
		}

	}

	private record Waiting(Set<SimulatedStore> instances, long expiry) {
	}

	private record ResultName(LockKey key, String name) {
	}

	private record KeptResult(StoredResult result, long came, long expiry) {
	}

	/** The data that a restart loses. */
	private static final class Data {

		private final Map<LockKey, Holder> holders = new HashMap<>();

		private final Map<LockKey, Waiting> waiting = new HashMap<>();

		private final Map<ResultName, KeptResult> results = new HashMap<>();

		private final Map<LockKey, Long> released = new HashMap<>();

		private final Map<Object, Long> fences = new HashMap<>();

		long fence(Object of) {
			return this.fences.getOrDefault(of, 0L);
		}

		long nextFence(Object of) {
			return this.fences.merge(of, 1L, Long::sum);
		}

		Data copy() {
			Data copy = new Data();
			copy.holders.putAll(this.holders);
			copy.waiting.putAll(this.waiting);
			copy.results.putAll(this.results);
			copy.released.putAll(this.released);
			copy.fences.putAll(this.fences);
			return copy;
		}

	}

}
