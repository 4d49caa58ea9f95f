package io.github.lockstarter.registry.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.registry.simulation.SimulatedCaller.Kind;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;

/**
 * The callers of all processes. They arrive at random times, acquire locks in every
 * supported way, give up, hold briefly or indefinitely, and release late, twice or never.
 */
final class Workload {

	private final SimulatedWorld world;

	private final List<SimulatedProcess> processes;

	private final Invariants invariants;

	private final RandomGenerator random;

	private final List<LockKey> keys = new ArrayList<>();

	/**
	 * The kinds of acquisitions besides leases. With few kinds per schedule, callers of
	 * the same kind meet more often.
	 */
	private final List<Kind> others;

	private final Map<LockKey, String> sharedTokens = new HashMap<>();

	/** The leases that are held until no caller arrives any more. */
	private final Map<Lease, SimulatedCaller> unreleased = new LinkedHashMap<>();

	private final long ttl;

	private final long longestWait;

	private final long longestHold;

	private int callers;

	private int tokens;

	private boolean over;

	/**
	 * Creates callers.
	 * @param processes the live processes
	 */
	Workload(SimulatedWorld world, List<SimulatedProcess> processes, Invariants invariants) {
		this.world = world;
		this.processes = processes;
		this.invariants = invariants;
		this.random = world.random();
		for (int i = 0; i < world.scenario().keys(); i++) {
			this.keys.add(new LockKey("lock", "k" + i));
		}
		this.others = Stream.of(Kind.GROUP, Kind.SHARE, Kind.REPLAY, Kind.TOKEN, Kind.SHARED_TOKEN)
			.filter((kind) -> this.random.nextBoolean())
			.toList();
		this.ttl = world.scenario().ttl();
		this.longestWait = between(10, 8000);
		this.longestHold = between(1, 300);
	}

	List<LockKey> keys() {
		return this.keys;
	}

	/**
	 * Schedules the arrival of callers: alone, or many at once for one lock or process.
	 */
	void plan() {
		long duration = this.world.scenario().duration();
		long largest = between(1, 40);
		for (int left = this.world.scenario().acquisitions(); left > 0;) {
			int size = (int) Math.min(left, between(1, largest));
			long spread = 1000 * between(10, 20_000);
			long time = this.random.nextLong(duration);
			int process = this.random.nextBoolean() ? this.random.nextInt(Integer.MAX_VALUE) : -1;
			LockKey key = this.random.nextBoolean() ? anyKey() : null;
			for (int i = 0; i < size; i++) {
				this.world.events().at(time + this.random.nextLong(spread), () -> come(process, key));
			}
			left -= size;
		}
		int regulars = (this.random.nextInt(3) > 0) ? 0 : 1 + this.random.nextInt(12);
		LockKey key = anyKey();
		int pause = 1 + this.random.nextInt(3_000_000);
		for (int i = 0; i < regulars; i++) {
			int process = this.random.nextInt(this.world.scenario().processes());
			this.world.events().at(this.random.nextLong(duration / 2), () -> {
				SimulatedProcess visited = this.processes.get(process % this.processes.size());
				visited.run(() -> visit(visited, key, pause, 100));
			});
		}
	}

	/** A caller that acquires again when it is done, so that others always wait. */
	private void visit(SimulatedProcess process, LockKey key, int pause, int times) {
		if (this.over || times == 0) {
			return;
		}
		SimulatedCaller caller = new SimulatedCaller(++this.callers, process, Kind.LEASE, key,
				LockOptions.of(Duration.ofMillis(this.ttl))
					.withWaitTime(Duration.ofMillis(this.longestWait))
					.withHoldAtLeast(nextHoldAtLeast(this.ttl)),
				null, this.world.events().now());
		this.world.trace().add(process.name(), () -> caller + " asks again");
		this.invariants.callers().arrives(caller);
		Runnable again = () -> process.after(this.random.nextInt(pause), () -> visit(process, key, pause, times - 1));
		await(caller, process.registry().tryAcquireAsync(key, caller.options()), (lease) -> {
			if (lease.isEmpty()) {
				again.run();
				return;
			}
			this.invariants.leases().granted(caller, lease.get());
			process.after(this.random.nextInt(pause), () -> {
				release(caller, lease.get());
				again.run();
			});
		});
	}

	/** Ends the arrivals, and releases indefinitely held leases. */
	void end() {
		this.over = true;
		this.unreleased.forEach((lease, caller) -> caller.process()
			.after(this.random.nextLong(1_000_000_000), () -> release(caller, lease)));
	}

	private void come(int number, @Nullable LockKey key) {
		if (!this.over && !this.processes.isEmpty()) {
			int any = (number >= 0) ? number : this.random.nextInt(Integer.MAX_VALUE);
			SimulatedProcess process = this.processes.get(any % this.processes.size());
			process.run(() -> submit(process, (key != null) ? key : anyKey()));
		}
	}

	private LockKey anyKey() {
		return this.keys.get(this.random.nextInt(this.keys.size()));
	}

	private void submit(SimulatedProcess process, LockKey key) {
		Kind kind = nextKind();
		if (kind == Kind.GROUP) {
			submitGroup(process);
			return;
		}
		SimulatedCaller caller = new SimulatedCaller(++this.callers, process, kind, key, nextOptions(),
				nextResult(kind), this.world.events().now());
		this.world.trace().add(process.name(), () -> caller + " asks");
		this.invariants.callers().arrives(caller);
		switch (kind) {
			case LEASE, GROUP -> askForLease(caller);
			case SHARE, REPLAY -> askForResult(caller);
			case TOKEN ->
				await(caller, process.tokenLocks().acquireAsync(key, caller.options()), (lock) -> hold(caller, lock));
			case SHARED_TOKEN -> askForToken(caller, this.sharedTokens.computeIfAbsent(key, (k) -> newToken()));
		}
		loseInterest(List.of(caller));
	}

	/** Giving up has the most effect while a command is in flight. */
	private void loseInterest(List<SimulatedCaller> group) {
		if (this.random.nextInt(8) == 0) {
			SimulatedCaller caller = group.get(0);
			long patience = this.random.nextLong(this.random.nextBoolean() ? 8 * this.world.scenario().latency()
					: caller.options().waitTime().toNanos() + 3_000_000);
			caller.process().after(patience, () -> giveUp(group));
		}
	}

	/** Acquires some locks in random order, possibly one of them twice. */
	private void submitGroup(SimulatedProcess process) {
		List<LockKey> wanted = new ArrayList<>();
		wanted.add(anyKey());
		this.keys.stream().filter((key) -> this.random.nextInt(3) > 0).forEach(wanted::add);
		Collections.swap(wanted, 0, this.random.nextInt(wanted.size()));
		LockOptions options = nextOptions();
		List<SimulatedCaller> group = new TreeSet<>(wanted).stream()
			.map((key) -> new SimulatedCaller(++this.callers, process, Kind.GROUP, key, options, null,
					this.world.events().now()))
			.toList();
		this.world.trace().add(process.name(), () -> "a group asks: " + group);
		this.invariants.callers().arrives(group);
		CompletableFuture<List<Lease>> answer = process.registry()
			.acquireAllAsync(wanted, options, executor(process))
			.toCompletableFuture();
		group.forEach((caller) -> caller.awaits(answer));
		answer.whenComplete((leases, failure) -> {
			if (!group.get(0).isAnswered()) {
				this.world.trace()
					.add(process.name(), () -> "the group of caller %d is answered: %s".formatted(group.get(0).number(),
							(failure != null) ? failure.toString() : String.valueOf(leases)));
				group.forEach(SimulatedCaller::setAnswered);
				group.forEach((caller) -> this.invariants.callers().answered(caller, failure));
				if (failure == null) {
					this.invariants.guard(() -> holdAll(group, leases));
				}
			}
		});
		loseInterest(group);
	}

	private void holdAll(List<SimulatedCaller> group, List<Lease> leases) {
		if (!leases.stream().map(Lease::key).toList().equals(group.stream().map(SimulatedCaller::key).toList())) {
			this.world.violated("A group gets %s: %s", leases, group);
			return;
		}
		this.invariants.leases().granted(group, leases);
		for (int i = 0; i < leases.size(); i++) {
			hold(group.get(i), leases.get(i));
		}
	}

	private Kind nextKind() {
		Kind kind = (this.others.isEmpty() || this.world.chance(this.world.scenario().leases())) ? Kind.LEASE
				: this.others.get(this.random.nextInt(this.others.size()));
		boolean possible = switch (kind) {
			case LEASE, GROUP -> true;
			case SHARE, REPLAY -> this.world.scenario().can(Capability.KEEPS_RESULTS);
			case TOKEN, SHARED_TOKEN -> this.world.scenario().can(Capability.HOLDS_FOR_TOKENS);
		};
		return possible ? kind : Kind.LEASE;
	}

	private LockOptions nextOptions() {
		long ttl = (this.random.nextInt(8) == 0) ? Scenario.anyTtl(this.random) : this.ttl;
		long wait = this.world.chance(this.world.scenario().tries()) ? 0 : between(1, this.longestWait);
		long maxHold = switch (this.random.nextInt(4)) {
			case 0 -> ttl;
			case 1 -> ttl + this.random.nextLong(4 * ttl);
			default -> Math.max(ttl, 5000);
		};
		return LockOptions.of(Duration.ofMillis(ttl))
			.withMaxHold(Duration.ofMillis(maxHold))
			.withWaitTime(Duration.ofMillis(wait))
			.withHoldAtLeast(nextHoldAtLeast(ttl));
	}

	private Duration nextHoldAtLeast(long ttl) {
		if (!this.world.chance(this.world.scenario().keeping())) {
			return Duration.ZERO;
		}
		return Duration.ofMillis((this.random.nextInt(4) == 0) ? ttl : between(1, Math.min(ttl, 3 * this.longestHold)));
	}

	private @Nullable ResultKey nextResult(Kind kind) {
		Duration keep = Duration.ofMillis(between(20, 3000));
		return switch (kind) {
			case SHARE -> new ResultKey("share" + this.random.nextInt(2), keep, false);
			case REPLAY -> new ResultKey("replay" + this.random.nextInt(2), Duration.ofSeconds(2), true);
			default -> null;
		};
	}

	/** Small numbers are as frequent as large ones. */
	private long between(long min, long max) {
		return (max <= min) ? min : (long) (min * Math.pow((double) max / min, this.random.nextDouble()));
	}

	private void askForLease(SimulatedCaller caller) {
		SimulatedProcess process = caller.process();
		switch (this.random.nextInt(3)) {
			case 0 -> await(caller, process.registry().tryAcquireAsync(caller.key(), caller.options()),
					(lease) -> lease.ifPresent((granted) -> hold(caller, granted)));
			case 1 -> await(caller, process.registry().acquireAsync(caller.key(), caller.options()),
					(lease) -> hold(caller, lease));
			default -> await(caller, process.registry().acquireAsync(caller.key(), caller.options(), executor(process)),
					(lease) -> hold(caller, lease));
		}
	}

	private void askForResult(SimulatedCaller caller) {
		SimulatedProcess process = caller.process();
		ResultKey result = caller.result();
		long since = result.replayed() ? ResultQuery.ANY_TOKEN : ResultQuery.NO_TOKEN;
		await(caller,
				process.registry()
					.acquireAsync(caller.key(), caller.options(), result, since,
							this.random.nextBoolean() ? executor(process) : null),
				(acquisition) -> take(caller, acquisition));
	}

	/** An executor of the application, which may be overloaded. */
	private Executor executor(SimulatedProcess process) {
		int mood = this.random.nextInt(10);
		return (task) -> {
			if (mood != 0) {
				process.runtime().callbacks().execute(task);
			}
			if (mood < 2) {
				throw new RejectedExecutionException("overloaded");
			}
		};
	}

	private <T> void await(SimulatedCaller caller, CompletionStage<T> stage, Consumer<T> then) {
		CompletableFuture<T> answer = stage.toCompletableFuture();
		caller.awaits(answer);
		answer.whenComplete((value, failure) -> {
			if (!caller.isAnswered()) {
				this.world.trace()
					.add(caller.process().name(), () -> "caller %d is answered: %s".formatted(caller.number(),
							(failure != null) ? failure.toString() : String.valueOf(value)));
				caller.setAnswered();
				this.invariants.callers().answered(caller, failure);
				if (failure == null) {
					this.invariants.guard(() -> then.accept(value));
				}
			}
		});
	}

	/** Interrupts or cancels the caller, or completes its answer. */
	private void giveUp(List<SimulatedCaller> group) {
		CompletableFuture<?> answer = group.get(0).answer();
		if (!answer.isDone()) {
			for (SimulatedCaller caller : group) {
				this.world.trace().add(caller.process().name(), () -> "caller %d gives up".formatted(caller.number()));
				caller.setAnswered();
				this.invariants.callers().gaveUp(caller);
			}
			switch (this.random.nextInt(3)) {
				case 0 -> answer.cancel(true);
				case 1 -> answer.complete(null);
				default -> answer.completeExceptionally(new IllegalStateException("not wanted any more"));
			}
		}
	}

	private void take(SimulatedCaller caller, LeaseOrResult acquisition) {
		if (acquisition.lease() != null) {
			hold(caller, acquisition.lease());
		}
		else {
			this.invariants.leases().given(caller, acquisition.result());
		}
	}

	private void hold(SimulatedCaller caller, Lease lease) {
		this.invariants.leases().granted(caller, lease);
		if (this.random.nextInt(3) == 0) {
			boolean fails = this.random.nextInt(4) == 0;
			lease.onLost(() -> {
				this.invariants.leases().lost(caller, lease);
				if (fails) {
					throw new IllegalStateException("what is done at a loss fails");
				}
			});
		}
		long time = switch (this.random.nextInt(16)) {
			case 0, 1, 2 -> 0;
			case 3 -> this.random.nextLong(caller.options().ttl().toNanos() + 1);
			case 4 -> this.random.nextLong(3 * caller.options().ttl().toNanos());
			case 5 -> caller.options().ttl().toNanos() - 200_000 + this.random.nextLong(400_000);
			case 6 -> -1;
			default -> between(1, 1000 * this.longestHold) * 1000;
		};
		if (time < 0) {
			this.unreleased.put(lease, caller);
		}
		else if (time == 0) {
			release(caller, lease);
		}
		else {
			caller.process().after(time, () -> release(caller, lease));
		}
	}

	private void release(SimulatedCaller caller, Lease lease) {
		this.world.trace().add(caller.process().name(), () -> "caller %d releases".formatted(caller.number()));
		String text = (caller.result() != null && this.random.nextInt(4) > 0) ? "result of " + caller.number() : null;
		this.invariants.releases(caller, lease, text);
		CompletionStage<Void> released = (text != null) ? ((SharedLease) lease).releaseAsync(text)
				: lease.releaseAsync();
		this.invariants.leases().awaitRelease(caller, lease, released);
		if (this.random.nextInt(8) == 0) {
			caller.process().after(this.random.nextLong(20_000_000), lease::releaseAsync);
		}
	}

	private void askForToken(SimulatedCaller caller, String token) {
		await(caller, caller.process().tokenLocks().acquireAsync(caller.key(), caller.options(), token),
				(lock) -> hold(caller, lock));
	}

	private void hold(SimulatedCaller caller, TokenLock lock) {
		this.invariants.leases().granted(caller, lock);
		SimulatedProcess process = caller.process();
		int choice = this.random.nextInt(8);
		long time = between(1, this.longestHold) * 1_000_000;
		if (choice == 0) {
			process.after(time, () -> process.tokenLocks().remainingAsync(caller.key()));
		}
		else if (choice == 1) {
			process.after(time, () -> extend(caller, lock.token()));
		}
		else if (choice > 2) {
			process.after(time, () -> release(caller, lock.token()));
		}
	}

	private void extend(SimulatedCaller caller, String token) {
		if (!this.over && !this.invariants.leases().isReleased(token)) {
			SimulatedCaller again = new SimulatedCaller(++this.callers, caller.process(), Kind.SHARED_TOKEN,
					caller.key(), caller.options(), null, this.world.events().now());
			this.world.trace().add(caller.process().name(), () -> again + " asks, and extends");
			this.invariants.callers().arrives(again);
			askForToken(again, token);
		}
	}

	private void release(SimulatedCaller caller, String token) {
		this.world.trace()
			.add(caller.process().name(), () -> "token of caller %d is released".formatted(caller.number()));
		this.invariants.leases().releases(token);
		this.sharedTokens.values().remove(token);
		caller.process().tokenLocks().releaseAsync(caller.key(), token);
	}

	private String newToken() {
		return "%06d-shared-token".formatted(++this.tokens);
	}

}
