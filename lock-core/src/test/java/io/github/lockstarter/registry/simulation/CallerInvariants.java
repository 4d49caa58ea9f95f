package io.github.lockstarter.registry.simulation;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.RegistryAccess;
import io.github.lockstarter.registry.simulation.SimulatedCaller.Kind;

/**
 * The invariants of callers: each is answered in time.
 */
final class CallerInvariants {

	private static final Set<Event> OUTCOMES = Set.of(Event.GRANTED, Event.CONFLICT, Event.TIMEOUT, Event.QUEUE_FULL,
			Event.RESULT, Event.CANCELLED, Event.ERROR);

	private final SimulatedWorld world;

	private final Scenario scenario;

	private final LeaseInvariants leases;

	private final Map<QueueName, WaiterQueue> queues = new LinkedHashMap<>();

	private final Map<SimulatedProcess, Integer> callers = new LinkedHashMap<>();

	/**
	 * The tolerance of the number of acquisitions: a caller that wants several locks and
	 * is rejected one at once does not ask for the others.
	 */
	private final Map<SimulatedProcess, Integer> uncertain = new HashMap<>();

	/** The number of unanswered callers. */
	private final Map<SimulatedProcess, Integer> waiting = new HashMap<>();

	private final Map<Event, Long> counts = new EnumMap<>(Event.class);

	CallerInvariants(SimulatedWorld world, LeaseInvariants leases) {
		this.world = world;
		this.scenario = world.scenario();
		this.leases = leases;
	}

	/** Returns the counts of the processes that exist at the end. */
	Map<Event, Long> counts() {
		return this.counts;
	}

	/** Returns how often a process got a lock in succession while another one waited. */
	int mostMissed() {
		return this.queues.values().stream().mapToInt(WaiterQueue::mostMissed).max().orElse(0);
	}

	/** Called after every step. */
	void check() {
		this.queues.values().forEach(WaiterQueue::check);
		this.callers.keySet().forEach(this::checkAlarms);
	}

	/**
	 * Checks the number of timers: one for all renewals, and three for each lock, namely
	 * for the next command to the store, the next waiter to be served, and the end of the
	 * first wait.
	 */
	private void checkAlarms(SimulatedProcess process) {
		int waiters = this.waiting.getOrDefault(process, 0);
		if (process.runtime().alarms() > 3 * this.scenario.keys() + 1) {
			this.world.violated("%d alarms are set in %s for %d waiters", process.runtime().alarms(), process, waiters);
		}
	}

	/** Called just before an acquisition of a caller. */
	void arrives(SimulatedCaller caller) {
		this.callers.merge(caller.process(), 1, Integer::sum);
		if (caller.waits()) {
			WaiterQueue queue = queue(caller.process(), caller.key());
			queue.checkSize();
			queue.add(caller);
			this.waiting.merge(caller.process(), 1, Integer::sum);
		}
		caller.process().after(caller.options().waitTime().toNanos(), () -> expectAnswer(List.of(caller)));
	}

	/**
	 * Called just before a caller's acquisition of several locks, for which it waits one
	 * after the other.
	 */
	void arrives(List<SimulatedCaller> group) {
		SimulatedProcess process = group.get(0).process();
		this.callers.merge(process, group.size(), Integer::sum);
		if (!group.get(0).waits()) {
			this.uncertain.merge(process, group.size(), Integer::sum);
		}
		group.forEach(this.leases::awaits);
		process.after(group.get(0).options().waitTime().toNanos(), () -> expectAnswer(group));
	}

	/**
	 * Called when the wait is over. The answer may be delayed by one timeout for each
	 * command for this lock that is in flight, or that must follow to find out whether
	 * the lock is held.
	 */
	private void expectAnswer(List<SimulatedCaller> group) {
		expectAnswer(group, () -> false);
	}

	private void expectAnswer(List<SimulatedCaller> group, BooleanSupplier excused) {
		SimulatedProcess process = group.get(0).process();
		int answered = group.stream().mapToInt((caller) -> process.store().use().answers(caller.key())).sum();
		checkAnswered(group, excused, process.nanoTime(), answered, this.world.now());
	}

	private void checkAnswered(List<SimulatedCaller> group, BooleanSupplier excused, long begin, int answered,
			long since) {
		SimulatedCaller caller = group.get(0);
		SimulatedProcess process = caller.process();
		if (caller.isAnswered() || excused.getAsBoolean()) {
			return;
		}
		if (process.resumed() > since) {
			expectAnswer(group, excused);
			return;
		}
		int commands = group.stream().mapToInt((each) -> process.store().use().commands(each.key())).sum() - answered;
		// Each lock of a group may be asked for and answered separately.
		int steps = (group.size() > 1) ? 4 * group.size() : 1;
		long bound = commands * (this.scenario.commandTimeout() + this.scenario.timerDelay() + Scenario.SLACK)
				+ steps * (2 * this.scenario.timerDelay() + 2 * this.scenario.callbackDelay() + Scenario.SLACK);
		long passed = process.nanoTime() - begin;
		if (passed > bound) {
			this.world.violated("Unanswered %d ms after its wait, with %d commands to wait for: %s",
					TimeUnit.NANOSECONDS.toMillis(passed), commands, caller);
		}
		else {
			process.after(bound - passed + 1, () -> checkAnswered(group, excused, begin, answered, since));
		}
	}

	/**
	 * Checks that waiters are answered soon after their registry was drained. A caller
	 * with a token of its own may be looking it up. It waits if the registry has been
	 * opened again by then.
	 */
	void drained(SimulatedProcess process) {
		long drained = process.drained();
		this.queues.values()
			.stream()
			.filter((queue) -> queue.process() == process)
			.flatMap((queue) -> queue.waiters().stream())
			.toList()
			.forEach((caller) -> expectAnswer(List.of(caller),
					() -> caller.kind() == Kind.SHARED_TOKEN && process.drained() != drained));
	}

	/** Called when the caller is answered. */
	void answered(SimulatedCaller caller, @Nullable Throwable failure) {
		left(caller);
		if (failure != null) {
			expectNothingKept(caller);
		}
		boolean lost = failure instanceof LeaseLostException && caller.kind() == Kind.GROUP;
		if (failure != null && !lost && !(failure instanceof LockConflictException)
				&& !(failure instanceof LockStoreException)) {
			this.world.violated(new InvariantViolation("A strange answer to " + caller, failure));
		}
		boolean mayFail = !this.scenario.isCalm() || caller.process().drained() >= 0 || mayLose(caller);
		if (failure instanceof LockStoreException && !mayFail) {
			this.world.violated(new InvariantViolation("Failed although nothing fails: " + caller, failure));
		}
	}

	/** Checks that a caller that did not get all of several locks holds none. */
	private void expectNothingKept(SimulatedCaller caller) {
		if (caller.kind() == Kind.GROUP) {
			SimulatedProcess process = caller.process();
			long since = this.world.now();
			long bound = 2 * this.scenario.callbackDelay() + Scenario.SLACK;
			process.after(bound, () -> {
				if (process.resumed() < since) {
					RegistryAccess.leaseOlderThan(process.registry(), caller.key(), bound)
						.filter((lease) -> Holding.isHeld(lease) && !this.leases.isWanted(process, lease))
						.ifPresent((lease) -> this.world.violated("%s is kept after %s has given up", lease, caller));
				}
			});
		}
	}

	/** During a long wait, a caller may lose the first of several locks. */
	private static boolean mayLose(SimulatedCaller caller) {
		return caller.kind() == Kind.GROUP
				&& caller.options().maxHold().compareTo(caller.options().waitTime().plusSeconds(1)) < 0;
	}

	void gaveUp(SimulatedCaller caller) {
		left(caller);
		expectNothingKept(caller);
	}

	private void left(SimulatedCaller caller) {
		if (caller.kind() == Kind.GROUP) {
			this.leases.awaitsNoMore(caller);
		}
		else if (caller.waits()) {
			queue(caller.process(), caller.key()).waiters().remove(caller);
			this.waiting.merge(caller.process(), -1, Integer::sum);
		}
	}

	private WaiterQueue queue(SimulatedProcess process, LockKey key) {
		return this.queues.computeIfAbsent(new QueueName(process, key),
				(name) -> new WaiterQueue(this.world, process, key, this.leases));
	}

	/** Called when the process is killed, and its callers with it. */
	void died(SimulatedProcess process) {
		this.queues.keySet().removeIf((name) -> name.process() == process);
		this.callers.remove(process);
	}

	/** Called when the server grants the lock to another owner. */
	void grantedByServer(LockKey key, SimulatedProcess process) {
		for (WaiterQueue queue : this.queues.values()) {
			if (queue.key().equals(key)) {
				queue.granted(process);
			}
		}
	}

	/** Called just before a lease is released. */
	void releases(Holding holding) {
		queue(holding.caller().process(), holding.caller().key()).releases(holding);
	}

	/** Checks at the end that no caller waits, and that everything was counted. */
	void checkEnd(List<SimulatedProcess> processes) {
		for (WaiterQueue queue : this.queues.values()) {
			queue.waiters()
				.forEach((caller) -> this.world.violated("Never answered: %s in %s", caller, queue.process()));
		}
		processes.forEach(this::checkCounts);
	}

	/** Checks that each acquisition has one outcome, and each lease one end. */
	private void checkCounts(SimulatedProcess process) {
		for (Event event : Event.values()) {
			this.counts.merge(event, process.counts().get("lock", event), Long::sum);
		}
		long outcomes = OUTCOMES.stream().mapToLong((outcome) -> process.counts().get("lock", outcome)).sum();
		int acquisitions = this.callers.getOrDefault(process, 0);
		if (Math.abs(outcomes - acquisitions) > this.uncertain.getOrDefault(process, 0)) {
			this.world.violated("%d acquisitions of %s have ended in %d outcomes", acquisitions, process, outcomes);
		}
		long ends = process.counts().get("lock", Event.RELEASED) + process.counts().get("lock", Event.LOST);
		if (ends < this.leases.granted(process) || ends > process.counts().get("lock", Event.GRANTED)) {
			this.world.violated("%d leases of %s have ended, and %d were granted", ends, process,
					this.leases.granted(process));
		}
	}

	private record QueueName(SimulatedProcess process, LockKey key) {
	}

}
