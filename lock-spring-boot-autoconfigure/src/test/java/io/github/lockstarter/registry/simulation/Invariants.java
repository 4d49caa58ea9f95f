package io.github.lockstarter.registry.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.RegistryAccess;
import io.github.lockstarter.registry.simulation.Caller.Kind;
import io.github.lockstarter.registry.simulation.SimulatedStore.Grant;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.StoredResult;

/**
 * What must hold after every step, and at the end.
 */
final class Invariants {

	/** The place of a lease in its turn is in the lowest bits of its fencing token. */
	private static final int PLACE_BITS = 4;

	private static final long LONGEST_TURN = TimeUnit.MILLISECONDS.toNanos(50);

	/** A waiter looks at least so often where releases are notified. */
	private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

	/** A waiter looks at least so often where they are not. */
	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(120);

	/** For steps that take no time but that of a timer or of another thread. */
	private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * How often another process may get the lock in a row while one waits. Each time both
	 * are told, and chance decides; a chance of one half loses so often once in 30
	 * million times.
	 */
	private static final int MOST_MISSED = 25;

	/** How long a process at least leaves a lock to others that poll. */
	private static final long SHORTEST_YIELD = TimeUnit.MILLISECONDS.toNanos(10);

	/** How long an ended lease is looked at. */
	private static final long REMEMBERED = TimeUnit.SECONDS.toNanos(3);

	private static final Set<Event> OUTCOMES = Set.of(Event.GRANTED, Event.CONFLICT, Event.TIMEOUT, Event.QUEUE_FULL,
			Event.RESULT, Event.CANCELLED, Event.ERROR);

	private final SimulatedWorld world;

	private final Scenario scenario;

	private final List<Holding> holdings = new ArrayList<>();

	private final List<TokenHolding> tokenHoldings = new ArrayList<>();

	private final Set<String> releasedTokens = new HashSet<>();

	private final Map<QueueName, Queue> queues = new LinkedHashMap<>();

	/** Who was served in which order, in all processes and in each. */
	private final Map<Grants, TreeMap<Long, Caller>> leases = new HashMap<>();

	private final Map<SimulatedProcess, Integer> callers = new LinkedHashMap<>();

	/** How many callers wait that are not answered. */
	private final Map<SimulatedProcess, Integer> waiting = new HashMap<>();

	private final Map<SimulatedProcess, Integer> granted = new HashMap<>();

	private final Map<String, Caller> results = new HashMap<>();

	private final Map<Event, Long> counts = new EnumMap<>(Event.class);

	private int mostMissed;

	Invariants(SimulatedWorld world) {
		this.world = world;
		this.scenario = world.scenario();
		world.server().onGrant(this::grantedByServer);
	}

	/** Returns what was counted in the processes that were there at the end. */
	Map<Event, Long> counts() {
		return this.counts;
	}

	/** Returns how often a process has got a lock in a row while another one waited. */
	int mostMissed() {
		return this.mostMissed;
	}

	private long now() {
		return this.world.events().now();
	}

	private void violated(String what, Object... args) {
		this.world.violations().report(what.formatted(args));
	}

	/** Runs code of the engine that must not throw. */
	void guard(Runnable code) {
		try {
			code.run();
		}
		catch (Throwable ex) {
			this.world.violations().report(new InvariantViolation("The engine throws " + ex, ex));
		}
	}

	/** After every step. */
	void check() {
		for (Iterator<Holding> all = this.holdings.iterator(); all.hasNext();) {
			Holding holding = all.next();
			boolean held = holding.lease.isHeld();
			if (held && holding.ended >= 0) {
				violated("A lease that had ended is held again: %s of %s", holding.lease, holding.caller);
			}
			if (!held && holding.ended < 0) {
				holding.ended = now();
				checkRenewed(holding);
			}
			if (held && holding.heldFor() > holding.caller.options().maxHold().toNanos() + SLACK) {
				violated("A lease is held for longer than its max-hold: %s of %s", holding.lease, holding.caller);
			}
			if (holding.caller.process().isDead() || (holding.ended >= 0 && now() - holding.ended > REMEMBERED)) {
				all.remove();
			}
		}
		for (Queue queue : this.queues.values()) {
			queue.check();
		}
		this.callers.keySet().forEach(this::checkAlarms);
	}

	/**
	 * One alarm for each waiter, and for all that is renewed; two for each lock, when it
	 * looks again and when the next is served.
	 */
	private void checkAlarms(SimulatedProcess process) {
		int waiters = this.waiting.getOrDefault(process, 0);
		if (process.runtime().alarms() > waiters + 2 * this.scenario.keys() + 1) {
			violated("%d alarms are set in %s for %d waiters", process.runtime().alarms(), process, waiters);
		}
	}

	/** A lease does not run out as long as it may be renewed, and somebody tries. */
	private void checkRenewed(Holding holding) {
		SimulatedProcess process = holding.caller.process();
		long ttl = holding.ttl();
		long maxHold = holding.caller.options().maxHold().toNanos();
		boolean excused = holding.released || process.isDead() || process.isPaused()
				|| process.lastClosed() >= holding.caller.submitted() || process.resumed() >= holding.caller.submitted()
				|| this.scenario.has(Fault.LATE_TIMERS);
		if (excused || maxHold <= ttl || process.nanoTime() - holding.grant.asked() > maxHold - SLACK) {
			return;
		}
		Long renewal = process.store().lastRenewal(holding.grant.owner());
		long silence = process.nanoTime() - ((renewal != null) ? renewal : holding.grant.asked());
		if (silence > ttl / 3 + this.scenario.commandTimeout() + SLACK) {
			violated("Nobody has tried to renew %s for %d ms: %s", holding.lease,
					TimeUnit.NANOSECONDS.toMillis(silence), holding.caller);
		}
	}

	/** A caller is about to ask. */
	void comes(Caller caller) {
		this.callers.merge(caller.process(), 1, Integer::sum);
		if (caller.waits()) {
			Queue queue = queue(caller.process(), caller.key());
			queue.checkSize();
			queue.add(caller);
			this.waiting.merge(caller.process(), 1, Integer::sum);
		}
		caller.process().after(caller.options().waitTime().toNanos(), () -> expectAnswer(caller));
	}

	/**
	 * The wait is over. What may come before the answer is a time-out for each request
	 * for this lock that is under way, or must follow before it is known whether the lock
	 * is held.
	 */
	private void expectAnswer(Caller caller) {
		SimulatedStore store = caller.process().store();
		int answered = store.requests(caller.key()) - store.requestsUnderWay(caller.key());
		checkAnswered(caller, caller.process().nanoTime(), answered, now());
	}

	private void checkAnswered(Caller caller, long begin, int answered, long since) {
		SimulatedProcess process = caller.process();
		if (caller.isAnswered()) {
			return;
		}
		if (process.resumed() > since) {
			expectAnswer(caller);
			return;
		}
		int requests = process.store().requests(caller.key()) - answered;
		// A token is looked for in the store before and after, by code that runs with the
		// application's.
		long between = (caller.kind() == Kind.SHARED_TOKEN) ? this.scenario.callbackDelay() : 0;
		long bound = requests * (this.scenario.commandTimeout() + this.scenario.timerDelay() + between + SLACK)
				+ 2 * this.scenario.timerDelay() + 2 * this.scenario.callbackDelay() + SLACK;
		long passed = process.nanoTime() - begin;
		if (passed > bound) {
			violated("Unanswered %d ms after its wait, with %d requests to wait for: %s",
					TimeUnit.NANOSECONDS.toMillis(passed), requests, caller);
		}
		else {
			process.after(bound - passed + 1, () -> checkAnswered(caller, begin, answered, since));
		}
	}

	/** Waiters are answered soon when their registry is drained. */
	void drained(SimulatedProcess process) {
		this.queues.values()
			.stream()
			.filter((queue) -> queue.process == process)
			.flatMap((queue) -> queue.waiters.stream())
			.toList()
			.forEach(this::expectAnswer);
	}

	/** The caller has an answer. */
	void answered(Caller caller, @Nullable Throwable failure) {
		left(caller);
		if (failure != null && !(failure instanceof LockConflictException)
				&& !(failure instanceof LockStoreException)) {
			this.world.violations().report(new InvariantViolation("A strange answer to " + caller, failure));
		}
		boolean mayFail = !this.scenario.isCalm() || caller.process().drained() >= 0;
		if (failure instanceof LockStoreException && !mayFail) {
			this.world.violations().report(new InvariantViolation("Failed although nothing fails: " + caller, failure));
		}
	}

	void gaveUp(Caller caller) {
		left(caller);
	}

	private void left(Caller caller) {
		if (caller.waits()) {
			queue(caller.process(), caller.key()).waiters.remove(caller);
			this.waiting.merge(caller.process(), -1, Integer::sum);
		}
	}

	private Queue queue(SimulatedProcess process, LockKey key) {
		return this.queues.computeIfAbsent(new QueueName(process, key), (name) -> new Queue(process, key));
	}

	/** Nothing of the process may be held any more. */
	void released(SimulatedProcess process) {
		for (Holding holding : this.holdings) {
			if (holding.caller.process() == process && holding.lease.isHeld()) {
				violated("A lease is held although everything was released: %s of %s", holding.lease, holding.caller);
			}
		}
	}

	/**
	 * The process is connected again. Who holds a lock that the store has forgotten is
	 * told soon, if nothing gets lost on the way.
	 */
	void reconnected(SimulatedProcess process) {
		int epoch = this.world.server().epoch();
		long bound = this.scenario.roundTrip() + this.scenario.timerDelay() + SLACK;
		for (Holding holding : this.holdings) {
			boolean renewable = holding.heldFor() + holding.ttl() < holding.caller.options().maxHold().toNanos();
			if (holding.caller.process() == process && renewable && isReliable() && isForgotten(holding)) {
				long now = now();
				process.after(bound, () -> {
					if (isForgotten(holding) && epoch == this.world.server().epoch() && process.resumed() < now) {
						violated("A forgotten lease is held after a reconnect: %s of %s", holding.lease,
								holding.caller);
					}
				});
			}
		}
	}

	/** Whether only the loss of data, and what follows from it, can delay a renewal. */
	private boolean isReliable() {
		return Collections.disjoint(this.scenario.faults(), Set.of(Fault.DELAYS, Fault.DROPS, Fault.CUTS,
				Fault.REFUSALS, Fault.FREEZES, Fault.RESETS, Fault.PAUSES, Fault.LATE_TIMERS));
	}

	private boolean isForgotten(Holding holding) {
		return holding.lease.isHeld() && this.world.server().isAvailable()
				&& !holding.grant.owner().equals(this.world.server().owner(holding.caller.key()));
	}

	/** The process has died, and its callers with it. */
	void died(SimulatedProcess process) {
		this.queues.keySet().removeIf((name) -> name.process() == process);
		this.callers.remove(process);
	}

	/**
	 * The server grants the lock to another owner: whoever held it must know that it has
	 * ended.
	 */
	private void grantedByServer(LockKey key, String owner, SimulatedProcess process) {
		String before = this.world.server().owner(key);
		if (owner.equals(before)) {
			return;
		}
		for (Holding holding : this.holdings) {
			if (holding.caller.key().equals(key) && holding.lease.isHeld() && !mayOverlap(holding)) {
				violated("The server grants %s to %s while %s is held by %s", key.key(), SimulatedStore.shortly(owner),
						holding.lease, holding.caller);
			}
		}
		this.tokenHoldings.removeIf((holding) -> holding.until < now());
		for (TokenHolding holding : this.tokenHoldings) {
			if (holding.key.equals(key) && !holding.token.equals(owner) && !isForgiven(holding.epoch, holding.ttl)) {
				violated("The server grants %s to %s while it is held by the token %s", key.key(),
						SimulatedStore.shortly(owner), holding.token);
			}
		}
		for (Queue queue : this.queues.values()) {
			if (queue.key.equals(key)) {
				queue.granted(process);
			}
		}
	}

	/**
	 * Two leases overlap only by what the clock of one is too slow, and after a loss of
	 * data, for as long as the forgotten one lives without being renewed.
	 */
	private boolean mayOverlap(Holding holding) {
		long margin = holding.caller.process().clock().margin(holding.ttl(), this.world.server().clock());
		return holding.lease.remaining().toNanos() <= margin || isForgiven(holding.epoch, holding.ttl());
	}

	private boolean isForgiven(int epoch, long ttl) {
		long drift = ttl / 1_000_000 * Scenario.MAX_DRIFT * 2;
		return epoch != this.world.server().epoch() && now() - this.world.server().lastLoss() <= ttl + drift;
	}

	/** The caller has got a lease. */
	void granted(Caller caller, Lease lease) {
		SimulatedProcess process = caller.process();
		this.granted.merge(process, 1, Integer::sum);
		long storeToken = lease.fencingToken() >> PLACE_BITS;
		Grant grant = process.store().grant(caller.key(), storeToken);
		if (grant == null) {
			violated("The store has not given the fencing token of %s to %s", lease, caller);
			return;
		}
		Holding holding = new Holding(caller, lease, grant);
		checkOverlap(holding);
		if (grant.unique()) {
			checkTime(holding, grant);
			checkOrder(holding);
		}
		checkReplay(holding);
		this.holdings.add(holding);
	}

	/** A lease is held when it is granted, and a turn is short. */
	private void checkTime(Holding holding, Grant grant) {
		SimulatedProcess process = holding.caller.process();
		boolean excused = process.lastClosed() >= holding.caller.submitted()
				|| process.resumed() >= holding.caller.submitted() || holding.epoch != this.world.server().epoch();
		long age = process.nanoTime() - grant.asked();
		if (excused) {
			return;
		}
		if (!holding.lease.isHeld() && age < holding.ttl()) {
			violated("A lease is not held when it is granted: %s to %s", holding.lease, holding.caller);
		}
		long late = this.scenario.callbackDelay() + SLACK;
		if (age > holding.ttl() + late) {
			violated("A lease is granted after its end: %s to %s", holding.lease, holding.caller);
		}
		long place = holding.lease.fencingToken() & ((1 << PLACE_BITS) - 1);
		if (place > 0 && age > Math.min(LONGEST_TURN, holding.ttl() / 8) + late) {
			violated("A turn goes on after %d ms: %s to %s", TimeUnit.NANOSECONDS.toMillis(age), holding.lease,
					holding.caller);
		}
	}

	private void checkOverlap(Holding granted) {
		if (!granted.lease.isHeld()) {
			return;
		}
		for (Holding other : this.holdings) {
			if (other.caller.key().equals(granted.caller.key()) && other.lease.isHeld() && !mayOverlap(other)
					&& !mayOverlap(granted)) {
				violated("Two leases of %s are held: %s by %s, and %s by %s", granted.caller.key().key(), other.lease,
						other.caller, granted.lease, granted.caller);
			}
		}
	}

	/** Fencing tokens grow, and waiters of a process are served as they came. */
	private void checkOrder(Holding granted) {
		Caller caller = granted.caller;
		TreeMap<Long, Caller> all = this.leases.computeIfAbsent(new Grants(null, caller.key(), granted.epoch),
				(name) -> new TreeMap<>());
		long token = granted.lease.fencingToken();
		if (all.containsKey(token)) {
			violated("Two leases of %s have the fencing token %d: of %s and %s", caller.key().key(), token,
					all.get(token), caller);
		}
		Map.Entry<Long, Caller> later = all.higherEntry(token);
		if (later != null && granted.lease.isHeld() && !mayOverlap(granted)) {
			violated("A lease of %s is held after one with a larger fencing token was granted to %s", caller,
					later.getValue());
		}
		all.put(token, caller);
		if (caller.waits()) {
			TreeMap<Long, Caller> served = this.leases
				.computeIfAbsent(new Grants(caller.process(), caller.key(), granted.epoch), (name) -> new TreeMap<>());
			checkServedBefore(served.lowerEntry(token), caller);
			Map.Entry<Long, Caller> next = served.higherEntry(token);
			if (next != null) {
				checkServedBefore(Map.entry(token, caller), next.getValue());
			}
			served.put(token, caller);
		}
	}

	private void checkServedBefore(Map.@Nullable Entry<Long, Caller> before, Caller caller) {
		if (before != null && before.getValue().number() > caller.number()) {
			violated("Not served in the order they came: %s before %s", before.getValue(), caller);
		}
	}

	/** While a result is kept to be replayed, nobody runs again. */
	private void checkReplay(Holding granted) {
		Caller caller = granted.caller;
		boolean exact = granted.epoch == this.world.server().epoch() && granted.lease.isHeld();
		if (caller.kind() == Kind.REPLAY && exact && this.world.server().hasResult(caller.key(), caller.result().name())
				&& !mayOverlap(granted)) {
			violated("There is a result to be replayed, and %s runs", caller);
		}
	}

	/** The lock is held by a token. */
	void granted(Caller caller, TokenLock lock) {
		SimulatedProcess process = caller.process();
		process.store().granted().remove(lock.token());
		Grant grant = process.store().grant(caller.key(), lock.fencingToken() >> PLACE_BITS);
		if (grant == null) {
			violated("The store has not given the fencing token of %s to %s", lock, caller);
			return;
		}
		long ttl = caller.options().ttl().toNanos();
		if (lock.remaining().toNanos() > ttl) {
			violated("A token holds the lock for %s, which is too long: %s", lock.remaining(), caller);
		}
		boolean certain = process.resumed() < caller.submitted() && !isReleased(lock.token());
		if (certain) {
			long remaining = lock.remaining().toNanos() - this.scenario.callbackDelay()
					- process.clock().margin(ttl, this.world.server().clock());
			this.tokenHoldings.add(new TokenHolding(caller.key(), lock.token(),
					now() + process.clock().toTime(remaining), ttl, grant.epoch()));
		}
	}

	boolean isReleased(String token) {
		return this.releasedTokens.contains(token);
	}

	/** The token is released by somebody, and used no more. */
	void releases(String token) {
		this.releasedTokens.add(token);
		this.tokenHoldings.removeIf((holding) -> holding.token.equals(token));
	}

	/** The caller is about to release its lease. */
	void releases(Caller caller, Lease lease, @Nullable String result) {
		if (result != null) {
			this.results.put(result, caller);
		}
		this.holdings.stream().filter((holding) -> holding.lease == lease).forEach((holding) -> {
			holding.released = true;
			queue(caller.process(), caller.key()).releases(holding);
		});
	}

	/** The release has been called, and is answered in time. */
	void awaitRelease(Caller caller, Lease lease, CompletionStage<Void> released) {
		if (lease.isHeld()) {
			violated("A lease is held after its release: %s of %s", lease, caller);
		}
		SimulatedProcess process = caller.process();
		long bound = 2 * (this.scenario.commandTimeout() + SLACK) + this.scenario.timerDelay()
				+ 2 * this.scenario.callbackDelay();
		boolean[] done = new boolean[1];
		released.whenComplete((nothing, failure) -> {
			done[0] = true;
			if (failure != null) {
				this.world.violations().report(new InvariantViolation("A release fails: " + caller, failure));
			}
		});
		long called = now();
		process.after(bound, () -> {
			if (!done[0] && process.resumed() < called && !process.isClosed()) {
				violated("A release is not answered: %s", caller);
			}
		});
	}

	/** The caller is told that its lease is lost. */
	void lost(Caller caller, Lease lease) {
		if (lease.isHeld()) {
			violated("A lease is held although its loss was told: %s of %s", lease, caller);
		}
	}

	/** The caller has got a result instead of the lock. */
	void given(Caller caller, StoredResult result) {
		Caller holder = this.results.get(result.text());
		if (holder == null || !holder.key().equals(caller.key())
				|| !holder.result().name().equals(caller.result().name())) {
			violated("Nobody has left the result '%s' for %s", result.text(), caller);
			return;
		}
		long stored = this.world.server().stored(result.text());
		boolean exact = this.world.server().epoch() == 0;
		long since = caller.submitted() - (caller.result().replayed() ? holder.result().keep().toNanos() : 0);
		long tolerance = TimeUnit.MICROSECONDS.toNanos(2)
				+ (this.scenario.has(Fault.DRIFT) ? (now() - since) / 1_000_000 * 2 * Scenario.MAX_DRIFT : 0);
		if (exact && stored < since - tolerance) {
			violated("The result '%s' is too old for %s", result.text(), caller);
		}
	}

	/** Nothing is left when all have gone, and nothing fails any more. */
	void checkEnd(List<SimulatedProcess> processes) {
		check();
		for (SimulatedProcess process : processes) {
			if (!RegistryAccess.isUnused(process.registry())) {
				violated("Locks are left in the table of %s", process);
			}
			if (process.runtime().alarms() > 0) {
				violated("%d steps are still scheduled in %s", process.runtime().alarms(), process);
			}
			if (process.store().isWatching()) {
				violated("%s still watches", process);
			}
			process.store()
				.granted()
				.forEach((owner, key) -> violated("Nobody has released %s, granted to %s in %s", key.key(),
						SimulatedStore.shortly(owner), process));
			checkCounts(process);
		}
		for (Queue queue : this.queues.values()) {
			queue.waiters.forEach((caller) -> violated("Never answered: %s in %s", caller, queue.process));
		}
		if (!this.world.server().isEmpty()) {
			violated("Something is left in the store");
		}
	}

	/** Each request ends in one outcome, and each lease in one way. */
	private void checkCounts(SimulatedProcess process) {
		for (Event event : Event.values()) {
			this.counts.merge(event, process.counts().get("lock", event), Long::sum);
		}
		long outcomes = OUTCOMES.stream().mapToLong((outcome) -> process.counts().get("lock", outcome)).sum();
		int requests = this.callers.getOrDefault(process, 0);
		if (outcomes != requests) {
			violated("%d requests of %s have ended in %d outcomes", requests, process, outcomes);
		}
		long ends = process.counts().get("lock", Event.RELEASED) + process.counts().get("lock", Event.LOST);
		if (ends < this.granted.getOrDefault(process, 0) || ends > process.counts().get("lock", Event.GRANTED)) {
			violated("%d leases of %s have ended, and %d were granted", ends, process,
					this.granted.getOrDefault(process, 0));
		}
	}

	/**
	 * Those of a process that wait for a lock: a free one is theirs before long.
	 */
	private final class Queue {

		private final SimulatedProcess process;

		private final LockKey key;

		private final Set<Caller> waiters = new LinkedHashSet<>();

		/** Since when there is somebody who could have been served. */
		private long since;

		/** How often another process has got the lock in a row since then. */
		private int missed;

		private @Nullable SimulatedProcess lastWinner;

		/** When a lease was released that others here wait for. */
		private long released = Long.MIN_VALUE / 2;

		Queue(SimulatedProcess process, LockKey key) {
			this.process = process;
			this.key = key;
		}

		void add(Caller caller) {
			if (this.waiters.isEmpty()) {
				this.since = now();
				this.missed = 0;
			}
			this.waiters.add(caller);
		}

		/** Who is there for longer than an answer may take waits. */
		void checkSize() {
			long begun = now() - Invariants.this.scenario.callbackDelay() - SLACK;
			long waiting = this.waiters.stream()
				.filter((caller) -> caller.kind() == Kind.LEASE || caller.kind() == Kind.TOKEN)
				.filter((caller) -> caller.submitted() < begun && caller.submitted() > this.process.resumed())
				.count();
			if (waiting > Invariants.this.scenario.maxWaiters() && !this.process.isPaused()
					&& now() - this.process.resumed() > SLACK + Invariants.this.scenario.callbackDelay()) {
				violated("%d callers wait for %s in %s, more than %d", waiting, this.key.key(), this.process,
						Invariants.this.scenario.maxWaiters());
			}
		}

		void granted(SimulatedProcess winner) {
			this.missed = (winner == this.lastWinner && winner != this.process) ? this.missed + 1 : 0;
			this.lastWinner = winner;
			boolean calm = Invariants.this.scenario.isCalm() && !this.waiters.isEmpty();
			if (calm && Invariants.this.scenario.can(Capability.NOTIFIES)) {
				Invariants.this.mostMissed = Math.max(Invariants.this.mostMissed, this.missed);
				if (this.missed > MOST_MISSED) {
					violated("%s gets %s %d times in a row while %d wait in %s", winner, this.key.key(), this.missed,
							this.waiters.size(), this.process);
				}
			}
			else if (calm && winner == this.process && now() - this.released < SHORTEST_YIELD && hasWaitedOn()) {
				violated("%s takes %s again %d us after its release, though others may poll", winner, this.key.key(),
						TimeUnit.NANOSECONDS.toMicros(now() - this.released));
			}
			this.released = Long.MIN_VALUE / 2;
		}

		/** Returns whether a waiter of the time of the release waits still. */
		private boolean hasWaitedOn() {
			return this.waiters.stream()
				.anyMatch((caller) -> caller.submitted() < this.released
						&& caller.submitted() + caller.options().waitTime().toNanos() > now());
		}

		/**
		 * A lease is released, and the next could have it here: its turn is over if it is
		 * released in the store, too.
		 */
		void releases(Holding holding) {
			boolean plain = holding.caller.kind() == Kind.LEASE && holding.lease.isHeld()
					&& this.waiters.stream().allMatch((caller) -> caller.kind() == Kind.LEASE);
			this.released = (plain && !this.waiters.isEmpty()) ? now() : Long.MIN_VALUE / 2;
		}

		void check() {
			if (this.waiters.isEmpty()) {
				return;
			}
			SimulatedServer server = Invariants.this.world.server();
			long free = server.freeSince(this.key);
			if (this.process.isPaused() || this.process.isClosed() || this.process.store().link().isCut()
					|| !server.isAvailable()) {
				this.since = now();
				this.missed = 0;
			}
			else if (free != Long.MAX_VALUE) {
				if (isHeldHere()) {
					this.since = now();
				}
				else if (now() - reachable(free) > bound(server.isReleased(this.key))) {
					violated("%s is free for %d ms, and %d wait for it in %s", this.key.key(),
							TimeUnit.NANOSECONDS.toMillis(now() - free), this.waiters.size(), this.process);
				}
			}
		}

		/** Returns since when a waiter could have got the lock. */
		private long reachable(long free) {
			long connected = Math.max(this.process.resumed(), this.process.store().link().mended());
			return Math.max(Math.max(free, this.since),
					Math.max(connected, Invariants.this.world.server().availableSince()));
		}

		/** After a loss of data the lock may be free in the store only. */
		private boolean isHeldHere() {
			for (Holding holding : Invariants.this.holdings) {
				if (holding.caller.process() == this.process && holding.caller.key().equals(this.key)
						&& holding.lease.isHeld()) {
					return true;
				}
			}
			return false;
		}

		/** A waiter that knows no end of a lease polls. */
		private long bound(boolean released) {
			Scenario scenario = Invariants.this.scenario;
			long look = (!scenario.can(Capability.NOTIFIES) || (scenario.isPrompt() && !released)) ? LONGEST_PAUSE
					: scenario.isPrompt() ? 2 * SLACK : LONGEST_SLEEP;
			long requests = scenario.isPrompt() ? 6 * scenario.roundTrip() : 4 * scenario.longestAnswer();
			return look + requests + 4 * scenario.timerDelay() + 4 * scenario.callbackDelay() + 2 * SLACK
					+ (scenario.has(Fault.DRIFT) ? LONGEST_SLEEP / 20 : 0);
		}

	}

	private static final class Holding {

		private final Caller caller;

		private final Lease lease;

		private final Grant grant;

		private final int epoch;

		/** When the caller got it, on the clock of the process. */
		private final long begin;

		private boolean released;

		/** When it was first seen to be over; -1 if it was not. */
		private long ended = -1;

		Holding(Caller caller, Lease lease, Grant grant) {
			this.caller = caller;
			this.lease = lease;
			this.grant = grant;
			this.epoch = grant.epoch();
			this.begin = caller.process().nanoTime();
			this.ended = lease.isHeld() ? -1 : 0;
		}

		long heldFor() {
			return this.caller.process().nanoTime() - this.begin;
		}

		long ttl() {
			return this.caller.options().ttl().toNanos();
		}

	}

	private record TokenHolding(LockKey key, String token, long until, long ttl, int epoch) {
	}

	private record QueueName(SimulatedProcess process, LockKey key) {
	}

	private record Grants(@Nullable SimulatedProcess process, LockKey key, int epoch) {
	}

}
