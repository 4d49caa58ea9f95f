package io.github.lockstarter.registry.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.simulation.SimulatedServer.AllReply;
import io.github.lockstarter.registry.simulation.SimulatedServer.Reply;
import io.github.lockstarter.registry.simulation.SimulatedServer.Wanted;
import io.github.lockstarter.registry.simulation.StoreUse.Grant;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;

/**
 * The client of the store in a process. It keeps the promises of the SPI: an answer in
 * time, undo of failed commands as far as possible, and no missed release.
 */
final class SimulatedStore implements GroupLockStore {

	private static final long FIRST_PAUSE = Duration.ofMillis(50).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(1).toNanos();

	private final SimulatedProcess process;

	private final SimulatedWorld world;

	private final SimulatedServer server;

	private final SimulatedNetwork.Link link;

	private final Set<Call<?>> pending = new LinkedHashSet<>();

	private final Map<LockKey, Set<Handle>> watching = new HashMap<>();

	private final StoreUse use = new StoreUse();

	private final List<Runnable> reconnects = new ArrayList<>();

	/** Runs after each reconnect. */
	private Runnable whenReconnected = () -> {
	};

	/** Runs at the next command whose name has the prefix. */
	private @Nullable Runnable onCommand;

	private String awaited = "";

	private @Nullable Call<?> last;

	/** The wanted time of each owner, during which its release is repeated. */
	private final Map<String, Long> ttls = new HashMap<>();

	private boolean subscribed;

	private boolean subscribing;

	private boolean healed;

	SimulatedStore(SimulatedProcess process, SimulatedWorld world) {
		this.process = process;
		this.world = world;
		this.server = world.server();
		this.link = world.network().link(process);
	}

	SimulatedProcess process() {
		return this.process;
	}

	/** Returns how the engine has used this store. */
	StoreUse use() {
		return this.use;
	}

	SimulatedNetwork.Link link() {
		return this.link;
	}

	void whenReconnected(Runnable action) {
		this.whenReconnected = action;
	}

	/**
	 * Runs an action once, at the next command.
	 * @param name the prefix of the command's name
	 */
	void onCommand(String name, Runnable action) {
		this.awaited = name;
		this.onCommand = action;
	}

	/** Sends the last command again after a while. */
	void repeat(long delay) {
		Call<?> call = this.last;
		if (call != null) {
			call.repeated = true;
			this.world.events().at(this.world.events().now() + delay, () -> this.process.run(call::send));
		}
	}

	/** Ends all rejections. */
	void heal() {
		this.healed = true;
	}

	boolean isWatching() {
		return !this.watching.isEmpty() && !this.process.isDead();
	}

	@Override
	public Set<Capability> capabilities() {
		return this.world.scenario().capabilities();
	}

	@Override
	public TokenStoredLock lock(LockKey key) {
		return new Handle(key);
	}

	@Override
	public CompletionStage<AcquireAllResult> acquireAll(List<Claim> acquisitions) {
		List<Wanted> all = acquisitions.stream()
			.map((each) -> new Wanted(((Handle) each.lock()).key, each.owner(), each.ttl().toNanos()))
			.toList();
		check(all);
		LockKey first = all.get(0).key();
		CompletionStage<AcquireAllResult> refusal = refusal(first);
		if (refusal != null) {
			return refusal;
		}
		all.forEach((each) -> this.ttls.put(each.owner(), each.ttl()));
		acquisitions.forEach((each) -> ((Handle) each.lock()).uniqueOwner = each.owner());
		long asked = this.process.nanoTime();
		CompletableFuture<AcquireAllResult> answer = new CompletableFuture<>();
		all.forEach((each) -> this.use.counted(each.key(), answer));
		String names = all.stream()
			.map((each) -> each.key().key() + " for " + shortly(each.owner()))
			.collect(Collectors.joining(", "));
		new Call<>("acquire all of " + names, first, (server) -> server.acquireAll(this, all)).whenLate((reply) -> {
			if (reply.result() instanceof AllGranted && answer.isCompletedExceptionally()) {
				all.forEach((each) -> undo(each.key(), each.owner(), each.ttl()));
			}
		}).begin().whenComplete((reply, failure) -> {
			if (failure != null) {
				all.forEach((each) -> undo(each.key(), each.owner(), each.ttl()));
				answer.completeExceptionally(failure);
			}
			else {
				note(all, reply, asked);
				answer.complete(reply.result());
			}
		});
		return answer;
	}

	private void check(List<Wanted> all) {
		List<LockKey> keys = all.stream().map(Wanted::key).toList();
		if (!this.world.scenario().can(Capability.ACQUIRES_ALL)) {
			this.world.violated("A store that grants one lock at a time is asked for several");
		}
		if (keys.size() < 2 || !keys.equals(List.copyOf(new TreeSet<>(keys)))) {
			this.world.violated("A store is asked for several locks: %s", keys.stream().map(LockKey::key).toList());
		}
	}

	private void note(List<Wanted> all, AllReply reply, long asked) {
		if (reply.result() instanceof AllGranted granted) {
			for (int i = 0; i < all.size(); i++) {
				Wanted each = all.get(i);
				this.use.granted(each.key(), each.owner());
				this.use.note(each.key(), granted.grants().get(i).fencingToken(),
						new Grant(each.owner(), reply.epoch(), asked, true));
			}
		}
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		renewals.forEach((each) -> this.use.renews(each.owner(), this.process.nanoTime()));
		LockKey any = ((Handle) renewals.get(0).lock()).key;
		CompletionStage<Boolean> refusal = refusal(any);
		if (refusal != null) {
			return renewals.stream().map((each) -> refusal).toList();
		}
		List<CompletableFuture<Boolean>> answers = renewals.stream()
			.map((renewal) -> new CompletableFuture<Boolean>())
			.toList();
		String names = renewals.stream()
			.map((each) -> ((Handle) each.lock()).key.key() + " by " + shortly(each.owner()))
			.collect(Collectors.joining(", "));
		long asked = this.process.nanoTime();
		new Call<>("renewal of " + names, any,
				(server) -> renewals.stream()
					.map((each) -> server.renew(((Handle) each.lock()).key, each.owner(), each.ttl().toNanos()))
					.toList())
			.onArrival((renewed) -> {
				for (int i = 0; i < renewed.size(); i++) {
					Renewal each = renewals.get(i);
					this.use.renewed(each.owner(), renewed.get(i) ? asked + each.ttl().toNanos() : null);
				}
			})
			.begin()
			.whenComplete((renewed, failure) -> {
				for (int i = 0; i < answers.size(); i++) {
					if (failure != null) {
						answers.get(i).completeExceptionally(failure);
					}
					else {
						answers.get(i).complete(renewed.get(i));
					}
				}
			});
		return List.copyOf(answers);
	}

	/** Returns a failure without a command to the server, or {@code null}. */
	private <T> @Nullable CompletionStage<T> refusal(LockKey key) {
		if (!this.world.scenario().has(Fault.REFUSALS) || this.healed
				|| !this.world.chance(this.world.scenario().failing())) {
			return null;
		}
		LockStoreException failure = new LockStoreException(key, "no connection", null);
		if (this.world.chance(0.3)) {
			throw failure;
		}
		return CompletableFuture.failedFuture(failure);
	}

	@Override
	public void onReconnect(Runnable action) {
		this.reconnects.add(action);
	}

	@Override
	public void expectWaiters() {
		subscribe();
	}

	/** Called when the server notifies of a release. */
	void publish(LockKey key) {
		boolean lost = this.world.scenario().has(Fault.MUTENESS) && !this.healed && this.world.chance(0.2);
		if (!lost) {
			this.link.inform("notification of " + key.key(), () -> wake(key));
		}
	}

	private void wake(LockKey key) {
		Set<Handle> handles = this.watching.get(key);
		if (handles != null) {
			trace(() -> "is notified that " + key.key() + " was released");
			List.copyOf(handles).forEach(Handle::wake);
		}
	}

	private void wakeAll() {
		List.copyOf(this.watching.keySet()).forEach(this::wake);
	}

	/** All waiters repeat their command, to notice earlier releases. */
	private void subscribe() {
		if (this.subscribed || this.subscribing) {
			return;
		}
		this.subscribing = true;
		new Call<>("subscription", new LockKey("any", ""), (server) -> server.subscribe(this)).begin()
			.whenComplete((done, failure) -> {
				this.subscribing = false;
				if (failure == null) {
					this.subscribed = true;
					wakeAll();
				}
				else if (!this.watching.isEmpty()) {
					this.process.after(FIRST_PAUSE, () -> {
						wakeAll();
						subscribe();
					});
				}
			});
	}

	/**
	 * Called when the connection is reset. The driver reconnects and repeats its
	 * commands.
	 */
	void reset() {
		this.link.reset();
		this.server.unsubscribe(this);
		trace(() -> "loses its connection");
		this.process.after(this.world.random().nextLong(50_000_000), () -> {
			trace(() -> "is connected again");
			this.subscribed = false;
			if (!this.watching.isEmpty()) {
				subscribe();
			}
			List.copyOf(this.pending).forEach(Call::sendAgain);
			this.reconnects.forEach(Runnable::run);
			this.whenReconnected.run();
		});
	}

	private void trace(Supplier<String> what) {
		this.world.trace().add(this.process.name(), what);
	}

	private void undo(LockKey key, String owner, long ttl) {
		Release release = new Release(key, owner, this.process.nanoTime() + ttl, false,
				(server) -> server.release(key, owner, null), new CompletableFuture<>());
		release.mayCome = true;
		release.attempt();
	}

	static String shortly(String owner) {
		return owner.substring(0, Math.min(6, owner.length()));
	}

	/**
	 * A command that is answered in time, whatever its outcome.
	 */
	private final class Call<T> {

		private final String name;

		private final LockKey key;

		private final Function<SimulatedServer, T> operation;

		private final CompletableFuture<T> answer = new CompletableFuture<>();

		private Consumer<T> late = (reply) -> {
		};

		/** Runs when the reply arrives, even if the process stands still. */
		private Consumer<T> onArrival = (reply) -> {
		};

		/** Whether the server may have got the command twice. */
		private boolean repeated;

		Call(String name, LockKey key, Function<SimulatedServer, T> operation) {
			this.name = name;
			this.key = key;
			this.operation = operation;
		}

		Call<T> whenLate(Consumer<T> late) {
			this.late = late;
			return this;
		}

		Call<T> onArrival(Consumer<T> onArrival) {
			this.onArrival = onArrival;
			return this;
		}

		CompletableFuture<T> begin() {
			trace(() -> "asks: " + this.name);
			SimulatedStore.this.pending.add(this);
			send();
			SimulatedStore.this.last = this;
			Runnable action = SimulatedStore.this.onCommand;
			if (action != null && this.name.startsWith(SimulatedStore.this.awaited)) {
				SimulatedStore.this.onCommand = null;
				action.run();
			}
			SimulatedStore.this.process.after(SimulatedStore.this.world.scenario().commandTimeout(), this::timeOut);
			return this.answer;
		}

		private void send() {
			SimulatedStore.this.link.command(this.name, () -> this.repeated = true, () -> {
				T reply = this.operation.apply(SimulatedStore.this.server);
				SimulatedStore.this.world.trace()
					.add("server", () -> SimulatedStore.this.process + ", " + this.name + ": " + reply);
				SimulatedStore.this.link.reply(this.name, () -> arrived(reply), () -> replied(reply));
			});
		}

		private void sendAgain() {
			this.repeated = true;
			send();
		}

		private void arrived(T reply) {
			if (SimulatedStore.this.pending.contains(this)) {
				this.onArrival.accept(reply);
			}
		}

		private void replied(T reply) {
			if (SimulatedStore.this.pending.remove(this)) {
				trace(() -> "hears: " + this.name + ": " + reply);
				this.answer.complete(reply);
			}
			else {
				this.late.accept(reply);
			}
		}

		/** Replies that have arrived are read before. */
		private void timeOut() {
			if (SimulatedStore.this.process.isWakingUp()) {
				SimulatedStore.this.process.after(SimulatedProcess.WAKING_UP, this::timeOut);
			}
			else if (SimulatedStore.this.pending.remove(this)) {
				trace(() -> "hears nothing: " + this.name);
				this.answer.completeExceptionally(new LockStoreException(this.key, "no answer in time", null));
			}
		}

	}

	/**
	 * A release that is repeated until the lock is known to be free.
	 */
	private final class Release {

		private final LockKey key;

		private final String owner;

		/** The time at which the lease has certainly ended. */
		private final long until;

		/**
		 * Whether the command to compare and delete is sent before the script. Not for a
		 * repetition.
		 */
		private boolean comparesFirst;

		private final Function<SimulatedServer, Boolean> script;

		/** Completes with the outcome, or after the timeout. */
		private final CompletableFuture<Boolean> answer;

		/**
		 * Whether a lock that was not found is released once more, because its grant may
		 * arrive later.
		 */
		private boolean mayCome;

		/** Whether an earlier command may have released the lock. */
		private boolean mayBeReleased;

		private long pause = FIRST_PAUSE;

		Release(LockKey key, String owner, long until, boolean comparesFirst, Function<SimulatedServer, Boolean> script,
				CompletableFuture<Boolean> answer) {
			this.key = key;
			this.owner = owner;
			this.until = until;
			this.comparesFirst = comparesFirst;
			this.script = script;
			this.answer = answer;
		}

		void attempt() {
			if (this.comparesFirst) {
				this.comparesFirst = false;
				call("deletion", (server) -> server.compareAndDelete(this.key, this.owner), this::callScript);
			}
			else {
				callScript();
			}
		}

		private void callScript() {
			call("release", this.script, () -> ended(false));
		}

		private void call(String name, Function<SimulatedServer, Boolean> operation, Runnable notFound) {
			Call<Boolean> call = new Call<>(name + " of " + this.key.key() + " by " + shortly(this.owner), this.key,
					operation);
			call.begin().whenComplete((released, failure) -> {
				this.mayBeReleased |= call.repeated || failure != null;
				if (failure != null) {
					this.answer.completeExceptionally(failure);
					again(this.mayCome);
				}
				else if (released) {
					ended(true);
				}
				else {
					notFound.run();
				}
			});
		}

		private void ended(boolean released) {
			if (!released && this.mayBeReleased) {
				this.answer
					.completeExceptionally(new LockStoreException(this.key, "it may have been released before", null));
			}
			else {
				this.answer.complete(released);
			}
			if (!released && this.mayCome) {
				again(false);
			}
		}

		private void again(boolean mayCome) {
			if (this.until - SimulatedStore.this.process.nanoTime() > 0) {
				this.mayCome = mayCome;
				SimulatedStore.this.process.after(this.pause, this::attempt);
				this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
			}
		}

		/** Replies that have arrived are read before. */
		void timeOut() {
			if (SimulatedStore.this.process.isWakingUp()) {
				SimulatedStore.this.process.after(SimulatedProcess.WAKING_UP, this::timeOut);
			}
			else {
				this.answer.completeExceptionally(new LockStoreException(this.key, "no answer in time", null));
			}
		}

	}

	private final class Handle implements TokenStoredLock {

		private final LockKey key;

		private @Nullable Runnable onRelease;

		private @Nullable String uniqueOwner;

		private boolean metHolder;

		Handle(LockKey key) {
			this.key = key;
		}

		private void wake() {
			if (this.onRelease != null) {
				this.onRelease.run();
			}
		}

		@Override
		public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
			check(command);
			Runnable onRelease = command.onRelease();
			if (onRelease != null) {
				this.onRelease = onRelease;
				SimulatedStore.this.watching.computeIfAbsent(this.key, (key) -> new LinkedHashSet<>()).add(this);
			}
			this.uniqueOwner = command.undoneOnFailure() ? command.owner() : null;
			long ttl = command.ttl().toNanos();
			CompletionStage<AcquireResult> refusal = SimulatedStore.this.refusal(this.key);
			if (refusal != null) {
				return refusal;
			}
			SimulatedStore.this.ttls.put(command.owner(), ttl);
			long asked = SimulatedStore.this.process.nanoTime();
			CompletableFuture<AcquireResult> answer = SimulatedStore.this.use.counted(this.key,
					new CompletableFuture<>());
			Call<Reply> call = call(command, ttl);
			call.whenLate((reply) -> {
				boolean unwanted = reply.result() instanceof Granted && answer.isCompletedExceptionally();
				if (unwanted && command.undoneOnFailure()) {
					SimulatedStore.this.undo(this.key, command.owner(), ttl);
				}
			}).begin().whenComplete((reply, failure) -> {
				if (failure != null) {
					if (command.undoneOnFailure()) {
						SimulatedStore.this.undo(this.key, command.owner(), ttl);
					}
					answer.completeExceptionally(failure);
				}
				else {
					answer.complete(answered(command, reply, asked, call.repeated));
				}
			});
			return answer;
		}

		private void check(AcquireCommand command) {
			if (command.onRelease() != null && !SimulatedStore.this.world.scenario().can(Capability.NOTIFIES)) {
				SimulatedStore.this.world.violated("A store that does not notify is asked to");
			}
			if (command.predecessor() != null && !SimulatedStore.this.world.scenario().can(Capability.HANDS_OVER)) {
				SimulatedStore.this.world.violated("A store that does not hand over is asked to");
			}
			if (command.query() != null && !SimulatedStore.this.world.scenario().can(Capability.KEEPS_RESULTS)) {
				SimulatedStore.this.world.violated("A store that keeps no results is asked for one");
			}
			if (!command.undoneOnFailure() && !SimulatedStore.this.world.scenario().can(Capability.HOLDS_FOR_TOKENS)) {
				SimulatedStore.this.world.violated("A store that knows no tokens is given one");
			}
			if (command.ttl().toMillis() < 1) {
				SimulatedStore.this.world.violated("A store is given a time to live of %s", command.ttl());
			}
		}

		private Call<Reply> call(AcquireCommand command, long ttl) {
			String owner = command.owner();
			String predecessor = command.predecessor();
			boolean waits = command.onRelease() != null;
			return (predecessor != null)
					? new Call<>(
							"hand-over of " + this.key.key() + " from " + shortly(predecessor) + " to "
									+ shortly(owner),
							this.key,
							(server) -> server.handOver(SimulatedStore.this, this.key, predecessor, owner, ttl))
					: new Call<>("acquire " + this.key.key() + " for " + shortly(owner), this.key, (server) -> server
						.acquire(SimulatedStore.this, this.key, owner, ttl, waits, command.query()));
		}

		private AcquireResult answered(AcquireCommand command, Reply reply, long asked, boolean repeated) {
			AcquireResult result = reply.result();
			if (command.predecessor() != null) {
				SimulatedStore.this.use.released(command.predecessor());
			}
			if (result instanceof Granted grant) {
				if (command.undoneOnFailure()) {
					SimulatedStore.this.use.granted(this.key, command.owner());
				}
				SimulatedStore.this.use.note(this.key, grant.fencingToken(),
						new Grant(command.owner(), reply.epoch(), asked, true));
			}
			if (result instanceof Held && command.onRelease() != null) {
				subscribe();
			}
			AcquireResult answer = (result instanceof PredecessorLost && repeated)
					? new Held(SimulatedServer.HEAD_START) : result;
			this.metHolder |= answer instanceof Held;
			return answer;
		}

		@Override
		public CompletionStage<Boolean> renew(String owner, Duration ttl) {
			CompletionStage<Boolean> refusal = SimulatedStore.this.refusal(this.key);
			if (refusal != null) {
				return refusal;
			}
			return SimulatedStore.this.use.counted(this.key,
					new Call<>("renewal of " + this.key.key() + " by " + shortly(owner), this.key,
							(server) -> server.renew(this.key, owner, ttl.toNanos()))
						.begin());
		}

		@Override
		public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
			boolean comparesFirst = SimulatedStore.this.world.scenario().comparesAndDeletes() && result == null
					&& owner.equals(this.uniqueOwner) && !this.metHolder;
			if (result != null) {
				this.metHolder = false;
			}
			return release(owner, comparesFirst, (server) -> server.release(this.key, owner, result));
		}

		@Override
		public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
			if (time.toMillis() < 1) {
				SimulatedStore.this.world.violated("A store is to keep a lock from others for %s", time);
			}
			SimulatedStore.this.use.keeps(owner, time);
			return release(owner, false, (server) -> server.releaseAfter(this.key, owner, time.toNanos()));
		}

		private CompletionStage<Boolean> release(String owner, boolean comparesFirst,
				Function<SimulatedServer, Boolean> operation) {
			SimulatedStore.this.use.released(owner);
			CompletableFuture<Boolean> answer = SimulatedStore.this.use.counted(this.key, new CompletableFuture<>());
			long until = SimulatedStore.this.process.nanoTime() + SimulatedStore.this.ttls.getOrDefault(owner, 0L);
			Release release = new Release(this.key, owner, until, comparesFirst, operation, answer);
			SimulatedStore.this.process.after(SimulatedStore.this.world.scenario().commandTimeout(), release::timeOut);
			release.attempt();
			return answer;
		}

		@Override
		public CompletionStage<Optional<Duration>> remaining() {
			CompletionStage<Optional<Duration>> refusal = SimulatedStore.this.refusal(this.key);
			if (refusal != null) {
				return refusal;
			}
			return new Call<>("remaining time of " + this.key.key(), this.key, (server) -> server.remaining(this.key))
				.begin();
		}

		@Override
		public void close() {
			this.onRelease = null;
			SimulatedStore.this.watching.computeIfPresent(this.key, (key, handles) -> {
				handles.remove(this);
				return handles.isEmpty() ? null : handles;
			});
		}

	}

}
