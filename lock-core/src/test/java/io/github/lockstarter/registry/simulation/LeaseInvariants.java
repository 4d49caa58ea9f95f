package io.github.lockstarter.registry.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.registry.simulation.SimulatedCaller.Kind;
import io.github.lockstarter.registry.simulation.StoreUse.Grant;
import io.github.lockstarter.store.StoredResult;

/**
 * The invariants of leases, and of locks held by tokens.
 */
final class LeaseInvariants {

	/** The lowest bits of a fencing token are the position of a lease in its turn. */
	private static final int PLACE_BITS = 4;

	private static final long LONGEST_TURN = TimeUnit.MILLISECONDS.toNanos(50);

	/** The time in which the engine reads the answer to a renewal after the deadline. */
	private static final long READ_LATE = TimeUnit.MILLISECONDS.toNanos(50);

	/** The time for which an ended lease is still checked. */
	private static final long REMEMBERED = TimeUnit.SECONDS.toNanos(3);

	private final SimulatedWorld world;

	private final Scenario scenario;

	private final List<Holding> holdings = new ArrayList<>();

	private final List<TokenHolding> tokenHoldings = new ArrayList<>();

	private final Set<String> releasedTokens = new HashSet<>();

	/** The order in which callers were served, in all processes and in each. */
	private final Map<Grants, TreeMap<Long, SimulatedCaller>> leases = new HashMap<>();

	private final Map<String, SimulatedCaller> results = new HashMap<>();

	private final Map<SimulatedProcess, Integer> granted = new HashMap<>();

	/** The last lease of each owner that was released while it was held. */
	private final Map<String, Holding> released = new HashMap<>();

	/** The last lease of each lock whose release reached the server. */
	private final Map<LockKey, Holding> freed = new HashMap<>();

	/** The callers that acquire several locks, and may hold some of them already. */
	private final Set<SimulatedCaller> groups = new LinkedHashSet<>();

	LeaseInvariants(SimulatedWorld world) {
		this.world = world;
		this.scenario = world.scenario();
	}

	/** Called after every step. */
	void check() {
		for (Iterator<Holding> all = this.holdings.iterator(); all.hasNext();) {
			Holding holding = all.next();
			boolean held = holding.isWatched() ? holding.lease().isHeld() : Holding.isHeld(holding.lease());
			if (held && holding.ended() >= 0) {
				if (!mayBeHeldAgain(holding)) {
					this.world.violated("A lease that had ended is held again: %s of %s", holding.lease(),
							holding.caller());
				}
				holding.setEnded(-1);
			}
			if (!held && holding.ended() < 0) {
				holding.setEnded(this.world.now());
				checkRenewed(holding);
			}
			if (held && holding.heldFor() > holding.caller().options().maxHold().toNanos() + Scenario.SLACK) {
				this.world.violated("A lease is held for longer than its max-hold: %s of %s", holding.lease(),
						holding.caller());
			}
			if (holding.caller().process().isDead()
					|| (holding.ended() >= 0 && this.world.now() - holding.ended() > REMEMBERED)) {
				all.remove();
			}
		}
	}

	/**
	 * A renewal that was acknowledged in time may be read a little later, unless the
	 * application has seen the end of the lease. The engine looks twice at an expired
	 * lease, and each look may be late.
	 */
	private boolean mayBeHeldAgain(Holding holding) {
		SimulatedProcess process = holding.caller().process();
		long bound = READ_LATE + 2 * this.scenario.timerDelay() + Scenario.SLACK;
		return !holding.isWatched() && this.world.now() - Math.max(holding.ended(), process.resumed()) <= bound;
	}

	/** Checks that a renewable lease does not expire without an attempt to renew it. */
	private void checkRenewed(Holding holding) {
		SimulatedProcess process = holding.caller().process();
		long ttl = holding.ttl();
		long maxHold = holding.caller().options().maxHold().toNanos();
		boolean excused = holding.isReleased() || process.isDead() || process.isPaused()
				|| process.lastClosed() >= holding.caller().submitted()
				|| process.resumed() >= holding.caller().submitted() || this.scenario.has(Fault.LATE_TIMERS);
		if (excused || maxHold <= ttl || process.nanoTime() - holding.grant().asked() > maxHold - Scenario.SLACK) {
			return;
		}
		Long renewal = process.store().use().lastRenewal(holding.grant().owner());
		long silence = process.nanoTime() - ((renewal != null) ? renewal : holding.grant().asked());
		if (silence > ttl / 3 + this.scenario.commandTimeout() + Scenario.SLACK) {
			this.world.violated("No renewal of %s was tried for %d ms: %s", holding.lease(),
					TimeUnit.NANOSECONDS.toMillis(silence), holding.caller());
		}
	}

	/** Returns the number of leases that the callers of a process have got. */
	int granted(SimulatedProcess process) {
		return this.granted.getOrDefault(process, 0);
	}

	/** Returns whether a caller of the process holds the lock. */
	boolean isHeldIn(SimulatedProcess process, LockKey key) {
		for (Holding holding : this.holdings) {
			if (holding.caller().process() == process && holding.caller().key().equals(key)
					&& Holding.isHeld(holding.lease())) {
				return true;
			}
		}
		return isAwaited(process, key) && process.store().use().unreleased().containsValue(key);
	}

	private boolean isAwaited(SimulatedProcess process, LockKey key) {
		return this.groups.stream().anyMatch((caller) -> caller.process() == process && caller.key().equals(key));
	}

	/** Returns whether a caller has the lease, possibly as one of several. */
	boolean isWanted(SimulatedProcess process, Lease lease) {
		return isAwaited(process, lease.key())
				|| this.holdings.stream().anyMatch((holding) -> holding.lease() == lease);
	}

	/** Called when the caller acquires this lock among others. */
	void awaits(SimulatedCaller caller) {
		this.groups.add(caller);
	}

	void awaitsNoMore(SimulatedCaller caller) {
		this.groups.remove(caller);
	}

	/** Called when the process may hold no lease any longer. */
	void released(SimulatedProcess process) {
		for (Holding holding : this.holdings) {
			if (holding.caller().process() == process && Holding.isHeld(holding.lease())) {
				this.world.violated("A lease is held although everything was released: %s of %s", holding.lease(),
						holding.caller());
			}
		}
	}

	/**
	 * Called when the process is connected again. Unless a message is lost, the holder of
	 * a lock that the store has lost is notified soon.
	 */
	void reconnected(SimulatedProcess process) {
		int epoch = this.world.server().epoch();
		long bound = this.scenario.roundTrip() + this.scenario.timerDelay() + Scenario.SLACK;
		for (Holding holding : this.holdings) {
			if (holding.caller().process() == process && isReliable() && isForgotten(holding)) {
				long now = this.world.now();
				process.after(bound, () -> {
					if (isForgotten(holding) && epoch == this.world.server().epoch() && process.resumed() < now) {
						this.world.violated("A forgotten lease is held after a reconnect: %s of %s", holding.lease(),
								holding.caller());
					}
				});
			}
		}
	}

	/** Whether a renewal can be delayed only by a loss of data and its consequences. */
	private boolean isReliable() {
		return Collections.disjoint(this.scenario.faults(), Set.of(Fault.DELAYS, Fault.DROPS, Fault.CUTS,
				Fault.REFUSALS, Fault.FREEZES, Fault.RESETS, Fault.PAUSES, Fault.LATE_TIMERS));
	}

	private boolean isForgotten(Holding holding) {
		return Holding.isHeld(holding.lease()) && this.world.server().isAvailable()
				&& !holding.grant().owner().equals(this.world.server().owner(holding.caller().key()));
	}

	/**
	 * Called when the server grants the lock to another owner: the previous holder's
	 * lease must have ended.
	 */
	void grantedByServer(LockKey key, String owner) {
		for (Holding holding : this.holdings) {
			if (holding.caller().key().equals(key) && Holding.isHeld(holding.lease()) && !mayOverlap(holding)) {
				this.world.violated("The server grants %s to %s while %s is held by %s", key.key(),
						SimulatedStore.shortly(owner), holding.lease(), holding.caller());
			}
		}
		checkKept(key, owner);
		this.tokenHoldings.removeIf((holding) -> holding.until < this.world.now());
		for (TokenHolding holding : this.tokenHoldings) {
			if (holding.key.equals(key) && !holding.token.equals(owner) && !isForgiven(holding.epoch(), holding.ttl)) {
				this.world.violated("The server grants %s to %s while it is held by the token %s", key.key(),
						SimulatedStore.shortly(owner), holding.token);
			}
		}
	}

	/**
	 * Called when the server releases the lock, or keeps it until hold-at-least is over.
	 */
	void releasedByServer(LockKey key, String owner, boolean kept) {
		Holding holding = this.released.get(owner);
		if (holding != null) {
			this.freed.put(key, holding);
		}
		else if (kept) {
			this.world.violated("%s is kept from others after no caller has released it, granted to %s", key.key(),
					SimulatedStore.shortly(owner));
		}
	}

	/**
	 * Checks that the next grant is not before the end of the last holder's
	 * hold-at-least.
	 */
	private void checkKept(LockKey key, String owner) {
		Holding last = this.freed.remove(key);
		if (last != null && last.epoch() == this.world.server().epoch() && last.age() < last.holdAtLeast()
				- last.caller().process().clock().margin(last.holdAtLeast(), this.world.server().clock())) {
			this.world.violated("The server grants %s to %s %d us after %s, which is to be kept from others longer",
					key.key(), SimulatedStore.shortly(owner), TimeUnit.NANOSECONDS.toMicros(last.age()), last.caller());
		}
	}

	/**
	 * Checks that two leases overlap at most by the clock drift, and after a loss of data
	 * at most by the time that the lost lease lives without renewal.
	 */
	private boolean mayOverlap(Holding holding) {
		long margin = holding.caller().process().clock().margin(holding.ttl(), this.world.server().clock());
		return holding.lease().remaining().toNanos() <= margin || isForgiven(holding.epoch(), holding.ttl());
	}

	private boolean isForgiven(int epoch, long ttl) {
		long drift = ttl / 1_000_000 * Scenario.MAX_DRIFT * 2;
		return epoch != this.world.server().epoch() && this.world.now() - this.world.server().lastLoss() <= ttl + drift;
	}

	/**
	 * Called when the caller has got several leases: in key order if it could wait, so
	 * that it never waited for a lock while it held a later one.
	 */
	void granted(List<SimulatedCaller> group, List<Lease> leases) {
		for (int i = 1; i < leases.size() && group.get(0).waits(); i++) {
			if (((StoreLease) leases.get(i - 1)).age() < ((StoreLease) leases.get(i)).age()) {
				this.world.violated("A caller got %s before %s: %s", leases.get(i), leases.get(i - 1), group);
			}
		}
	}

	/** Called when the caller has got a lease. */
	void granted(SimulatedCaller caller, Lease lease) {
		SimulatedProcess process = caller.process();
		this.granted.merge(process, 1, Integer::sum);
		long storeToken = lease.fencingToken() >> PLACE_BITS;
		Grant grant = process.store().use().grant(caller.key(), storeToken);
		if (grant == null) {
			this.world.violated("The store has not given the fencing token of %s to %s", lease, caller);
			return;
		}
		Holding holding = new Holding(caller, lease, grant, this.world.now());
		checkOverlap(holding);
		if (grant.unique()) {
			checkHandedOff(holding);
			checkTime(holding, grant);
			checkOrder(holding);
		}
		checkReplay(holding);
		this.holdings.add(holding);
	}

	/**
	 * Checks that a lease is handed off only if it was released while held, and
	 * hold-at-least is over.
	 */
	private void checkHandedOff(Holding granted) {
		long token = granted.lease().fencingToken();
		if (place(token) == 0) {
			return;
		}
		for (Holding before : this.holdings) {
			if (before.lease().fencingToken() != token - 1 || before.caller().process() != granted.caller().process()
					|| !before.caller().key().equals(granted.caller().key()) || before.epoch() != granted.epoch()) {
				continue;
			}
			if (!before.isReleasedInTime()) {
				this.world.violated("A lease that had ended is handed off: %s of %s, to %s", before.lease(),
						before.caller(), granted.caller());
			}
			if (before.age() - granted.age() < before.holdAtLeast()) {
				this.world.violated("A lease that is to be kept from others is handed off: %s of %s, to %s",
						before.lease(), before.caller(), granted.caller());
			}
		}
	}

	/** Returns the position of a lease in its turn. */
	private static long place(long fencingToken) {
		return fencingToken & ((1 << PLACE_BITS) - 1);
	}

	/** Checks that a lease is held when it is granted, and that a turn is short. */
	private void checkTime(Holding holding, Grant grant) {
		SimulatedProcess process = holding.caller().process();
		boolean excused = process.lastClosed() >= holding.caller().submitted()
				|| process.resumed() >= holding.caller().submitted() || holding.epoch() != this.world.server().epoch();
		long age = process.nanoTime() - grant.asked();
		if (excused) {
			return;
		}
		if (!Holding.isHeld(holding.lease()) && age < holding.ttl()) {
			this.world.violated("A lease is not held when it is granted: %s to %s", holding.lease(), holding.caller());
		}
		if (holding.caller().kind() == Kind.GROUP) {
			// The caller may have waited for other locks since.
			return;
		}
		long late = this.scenario.callbackDelay() + Scenario.SLACK;
		if (place(holding.lease().fencingToken()) > 0 && age > Math.min(LONGEST_TURN, holding.ttl() / 8) + late) {
			this.world.violated("A turn goes on after %d ms: %s to %s", TimeUnit.NANOSECONDS.toMillis(age),
					holding.lease(), holding.caller());
		}
		if (age > holding.ttl() + late) {
			this.world.violated("A lease is granted after its end: %s to %s", holding.lease(), holding.caller());
		}
	}

	private void checkOverlap(Holding granted) {
		if (!Holding.isHeld(granted.lease())) {
			return;
		}
		for (Holding other : this.holdings) {
			if (other.caller().key().equals(granted.caller().key()) && Holding.isHeld(other.lease())
					&& !mayOverlap(other) && !mayOverlap(granted)) {
				this.world.violated("Two leases of %s are held: %s by %s, and %s by %s", granted.caller().key().key(),
						other.lease(), other.caller(), granted.lease(), granted.caller());
			}
		}
	}

	/**
	 * Checks that fencing tokens grow, and that waiters of a process are served in order
	 * of arrival.
	 */
	private void checkOrder(Holding granted) {
		SimulatedCaller caller = granted.caller();
		TreeMap<Long, SimulatedCaller> all = this.leases
			.computeIfAbsent(new Grants(null, caller.key(), granted.epoch()), (name) -> new TreeMap<>());
		long token = granted.lease().fencingToken();
		if (all.containsKey(token)) {
			this.world.violated("Two leases of %s have the fencing token %d: of %s and %s", caller.key().key(), token,
					all.get(token), caller);
		}
		Map.Entry<Long, SimulatedCaller> later = all.higherEntry(token);
		if (later != null && Holding.isHeld(granted.lease()) && !mayOverlap(granted)) {
			this.world.violated("A lease of %s is held after one with a larger fencing token was granted to %s", caller,
					later.getValue());
		}
		all.put(token, caller);
		if (caller.waits() && caller.kind() != Kind.GROUP) {
			TreeMap<Long, SimulatedCaller> served = this.leases.computeIfAbsent(
					new Grants(caller.process(), caller.key(), granted.epoch()), (name) -> new TreeMap<>());
			checkServedBefore(served.lowerEntry(token), caller);
			Map.Entry<Long, SimulatedCaller> next = served.higherEntry(token);
			if (next != null) {
				checkServedBefore(Map.entry(token, caller), next.getValue());
			}
			served.put(token, caller);
		}
	}

	private void checkServedBefore(Map.@Nullable Entry<Long, SimulatedCaller> before, SimulatedCaller caller) {
		if (before != null && before.getValue().number() > caller.number()) {
			this.world.violated("Not served in the order they came: %s before %s", before.getValue(), caller);
		}
	}

	/** Checks that no caller runs while a result to replay is stored. */
	private void checkReplay(Holding granted) {
		SimulatedCaller caller = granted.caller();
		boolean exact = granted.epoch() == this.world.server().epoch() && Holding.isHeld(granted.lease());
		if (caller.kind() == Kind.REPLAY && exact && this.world.server().hasResult(caller.key(), caller.result().name())
				&& !mayOverlap(granted)) {
			this.world.violated("There is a result to be replayed, and %s runs", caller);
		}
	}

	/** Called when the lock is granted to a token. */
	void granted(SimulatedCaller caller, TokenLock lock) {
		SimulatedProcess process = caller.process();
		process.store().use().released(lock.token());
		Grant grant = process.store().use().grant(caller.key(), lock.fencingToken() >> PLACE_BITS);
		if (grant == null) {
			this.world.violated("The store has not given the fencing token of %s to %s", lock, caller);
			return;
		}
		long ttl = caller.options().ttl().toNanos();
		if (lock.remaining().toNanos() > ttl) {
			this.world.violated("A token holds the lock for %s, which is too long: %s", lock.remaining(), caller);
		}
		boolean certain = process.resumed() < caller.submitted() && !isReleased(lock.token());
		if (certain) {
			long remaining = lock.remaining().toNanos() - this.scenario.callbackDelay()
					- process.clock().margin(ttl, this.world.server().clock());
			this.tokenHoldings.add(new TokenHolding(caller.key(), lock.token(),
					this.world.now() + process.clock().toTime(remaining), ttl, grant.epoch()));
		}
	}

	boolean isReleased(String token) {
		return this.releasedTokens.contains(token);
	}

	/** Called just before the token is released, after which it is not used. */
	void releases(String token) {
		this.releasedTokens.add(token);
		this.tokenHoldings.removeIf((holding) -> holding.token.equals(token));
	}

	/** Called just before the caller releases its lease. */
	void releases(SimulatedCaller caller, Lease lease, @Nullable String result, Consumer<Holding> released) {
		if (result != null) {
			this.results.put(result, caller);
		}
		for (Holding holding : this.holdings) {
			if (holding.lease() == lease) {
				holding.setReleased();
				released.accept(holding);
				if (Holding.isHeld(lease) && result == null) {
					this.released.put(holding.owner(), holding);
				}
			}
		}
	}

	/** Called after the release, which is answered in time. */
	void awaitRelease(SimulatedCaller caller, Lease lease, CompletionStage<Void> released) {
		if (Holding.isHeld(lease)) {
			this.world.violated("A lease is held after its release: %s of %s", lease, caller);
		}
		checkKeptNoLonger(lease);
		SimulatedProcess process = caller.process();
		long bound = 2 * (this.scenario.commandTimeout() + Scenario.SLACK) + this.scenario.timerDelay()
				+ 2 * this.scenario.callbackDelay();
		boolean[] done = new boolean[1];
		released.whenComplete((nothing, failure) -> {
			done[0] = true;
			if (failure != null) {
				this.world.violated(new InvariantViolation("A release fails: " + caller, failure));
			}
		});
		long called = this.world.now();
		process.after(bound, () -> {
			if (!done[0] && process.resumed() < called && !process.isClosed()) {
				this.world.violated("A release is not answered: %s", caller);
			}
		});
	}

	/** Checks that hold-at-least counts from the grant. */
	private void checkKeptNoLonger(Lease lease) {
		for (Holding holding : this.holdings) {
			long kept = holding.caller().process().store().use().kept(holding.owner()).toMillis();
			long left = TimeUnit.NANOSECONDS.toMillis(Math.max(holding.holdAtLeast() - holding.age(), 0)) + 1;
			if (holding.lease() == lease && kept > left) {
				this.world.violated("A lock is kept from others for %d ms, which is longer than %d ms: %s", kept, left,
						holding.caller());
			}
		}
	}

	/** Called when the caller is notified that its lease is lost. */
	void lost(SimulatedCaller caller, Lease lease) {
		if (Holding.isHeld(lease)) {
			this.world.violated("A lease is held after its holder was notified of its loss: %s of %s", lease, caller);
		}
		for (Holding holding : this.holdings) {
			if (holding.lease() == lease && !holding.isReleased() && !holding.isWatched()) {
				checkAcknowledged(holding);
			}
		}
	}

	/** Checks that a renewal counts that had arrived when the lease was lost. */
	private void checkAcknowledged(Holding holding) {
		SimulatedProcess process = holding.caller().process();
		Long until = process.store().use().renewedUntil(holding.owner());
		boolean excused = process.lastClosed() >= holding.caller().submitted();
		if (until != null && !excused && until - process.nanoTime() > 0) {
			this.world.violated("A lease is lost although the store has renewed it for another %d ms: %s of %s",
					TimeUnit.NANOSECONDS.toMillis(until - process.nanoTime()), holding.lease(), holding.caller());
		}
	}

	/** Called when the caller has got a result instead of the lock. */
	void given(SimulatedCaller caller, StoredResult result) {
		SimulatedCaller holder = this.results.get(result.text());
		if (holder == null || !holder.key().equals(caller.key())
				|| !holder.result().name().equals(caller.result().name())) {
			this.world.violated("No holder has left the result '%s' for %s", result.text(), caller);
			return;
		}
		long stored = this.world.server().stored(result.text());
		boolean exact = this.world.server().epoch() == 0;
		long since = caller.submitted() - (caller.result().replayed() ? holder.result().keep().toNanos() : 0);
		long tolerance = TimeUnit.MICROSECONDS.toNanos(2) + (this.scenario.has(Fault.DRIFT)
				? (this.world.now() - since) / 1_000_000 * 2 * Scenario.MAX_DRIFT : 0);
		if (exact && stored < since - tolerance) {
			this.world.violated("The result '%s' is too old for %s", result.text(), caller);
		}
	}

	private record TokenHolding(LockKey key, String token, long until, long ttl, int epoch) {
	}

	private record Grants(@Nullable SimulatedProcess process, LockKey key, int epoch) {
	}

}
