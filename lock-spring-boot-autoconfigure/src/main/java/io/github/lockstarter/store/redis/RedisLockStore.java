package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReconnectNotifications;
import io.github.lockstarter.store.ReleaseNotifications;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.ResultStore;
import io.github.lockstarter.store.TokenStore;
import io.github.lockstarter.store.WantedResults;
import io.github.lockstarter.store.redis.RedisCalls.Request;
import io.github.lockstarter.store.redis.RedisKeys.Keys;
import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Keeps locks in Redis: one key per held lock, with a time to live, whose value is the
 * owner. Every operation is one script in one round trip.
 * <p>
 * The pattern is the single-instance lock of the Redis documentation, "Distributed Locks
 * with Redis": {@code SET NX PX} with a random value, and a delete that compares it. The
 * fencing token is a counter that grows with every grant. Those who wait are told of a
 * release by {@code PUBLISH}, which is sent only when somebody waits.
 */
public final class RedisLockStore implements LockStore, ResultStore, TokenStore, ReleaseNotifications,
		ReconnectNotifications, SmartLifecycle, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * How long those get who wait elsewhere, until it is worth looking whether they came.
	 */
	private static final Duration HEAD_START = Duration.ofMillis(5);

	private static final byte[] NOBODY = {};

	private final RedisConnections connections;

	private final LettuceConnector connector;

	/** The connection that grants are sent over. */
	private final LettuceConnector grants;

	private final RedisCalls calls;

	private final ReleaseChannel channel;

	private final Batches batches;

	private final Batches grantBatches;

	private final RedisKeys keys;

	private final RedisRenewals renewals;

	private volatile boolean running;

	/**
	 * Creates a store.
	 * @param connections where it sends its commands
	 * @param keyPrefix what all keys in Redis begin with
	 * @param commandTimeout how long to wait for an answer, connecting included; to the
	 * next tick of the driver's timer, which is 100 ms
	 * @param replicasToAck how many replicas must have a grant within half of that time,
	 * or else it is taken back; 0 to ask none. Not for Redis Cluster.
	 */
	public RedisLockStore(RedisConnections connections, String keyPrefix, Duration commandTimeout, int replicasToAck) {
		// Keys of one script have to be in one slot of a cluster.
		boolean clustered = connections.isClustered();
		Assert.isTrue(replicasToAck == 0 || !clustered, "Redis Cluster cannot be asked for acknowledgements");
		this.connections = connections;
		this.connector = new LettuceConnector(connections);
		this.grants = (replicasToAck > 0) ? LettuceConnector.ofGrants(connections) : this.connector;
		this.calls = new RedisCalls(this.connector, this.grants, commandTimeout, replicasToAck);
		this.batches = new Batches(!clustered);
		this.grantBatches = (replicasToAck > 0) ? new Batches(!clustered) : this.batches;
		this.channel = new ReleaseChannel(connections, this.connector, keyPrefix + ":released");
		this.keys = new RedisKeys(keyPrefix);
		this.renewals = new RedisRenewals(this.calls, this.keys, !clustered);
	}

	/**
	 * Connects, so that the first lock need not, and waits for it for at most 5 s.
	 * Without Redis the application starts all the same, with a warning.
	 */
	@Override
	public void start() {
		this.running = true;
		this.channel.open();
		CompletableFuture.allOf(this.connector.connect(), this.grants.connect())
			.orTimeout(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
			.exceptionally((failure) -> {
				logger.warn("No connection to Redis: whatever needs a lock fails until there is one", failure);
				return null;
			})
			.join();
	}

	/** Disconnects, until it is started again. */
	@Override
	public void stop() {
		this.channel.close();
		this.connections.disconnect();
		this.running = false;
	}

	/** Disconnects for good. */
	@Override
	public void close() {
		stop();
		this.connections.shutdown();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Returns a phase after that of the application's connection factories at start, and
	 * before it at the end.
	 */
	@Override
	public int getPhase() {
		return 1;
	}

	@Override
	public CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl) {
		Keys keys = this.keys.of(key);
		byte[][] needed = { keys.lock(), keys.fence() };
		return this.calls.grant(key, owner, ttl,
				this.grantBatches.with(Script.ACQUIRE, needed, bytes(owner), millis(ttl)), (number) -> number > 0,
				Replies::acquired, () -> taking(key, owner));
	}

	@Override
	public CompletionStage<AcquireResult> acquireOrWatch(LockKey key, String owner, Duration ttl, Runnable onRelease) {
		return acquire(key, owner, ttl, onRelease, () -> taking(key, owner));
	}

	@Override
	public CompletionStage<AcquireResult> claim(LockKey key, String owner, Duration ttl, @Nullable Runnable onRelease) {
		this.calls.keep(key, owner);
		return acquire(key, owner, ttl, onRelease, null);
	}

	private CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl,
			@Nullable Runnable onRelease, @Nullable Supplier<Request<Long>> undo) {
		Keys keys = this.keys.of(key);
		Request<Long> script = this.grantBatches.with(Script.ACQUIRE, keys.all(), bytes(owner), millis(ttl),
				watcher(keys, onRelease));
		return this.calls.grant(key, owner, ttl, script, (number) -> number > 0, Replies::acquired, undo)
			.whenComplete((result, failure) -> hear((onRelease != null) ? result : null));
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining(LockKey key) {
		return this.calls.call(key, RedisCalls.millisLeft(this.keys.of(key).lock()),
				(millis) -> (millis == -2) ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(millis, 0))));
	}

	@Override
	public void expectWaiting() {
		this.channel.expectWatchers();
		if (this.running) {
			this.channel.subscribe();
		}
	}

	@Override
	public void onReconnect(Runnable action) {
		this.connector.onReconnect(action);
	}

	@Override
	public void unwatch(LockKey key, Runnable onRelease) {
		this.channel.unwatch(this.keys.of(key).lock(), onRelease);
	}

	@Override
	public CompletionStage<AcquireResult> acquireOrResult(LockKey key, String owner, Duration ttl, WantedResults wanted,
			@Nullable Runnable onRelease) {
		Keys keys = this.keys.of(key);
		Request<List<Object>> script = Script.ACQUIRE_OR_RESULT.forEachOf(
				new byte[][] { keys.lock(), keys.fence(), keys.waiting(), keys.result(wanted.slot().name()) },
				bytes(owner), millis(ttl), watcher(keys, onRelease),
				bytes(wanted.mayBeThere() ? Long.toString(wanted.since()) : ""),
				bytes(Long.toString(TimeUnit.NANOSECONDS.toMicros(wanted.maxAge().toNanos()))));
		return this.calls
			.grant(key, owner, ttl, script, (reply) -> (long) reply.get(0) > 0,
					(reply) -> Replies.acquiredOrFound(reply, wanted.slot()), () -> taking(key, owner))
			.whenComplete((result, failure) -> hear((onRelease != null) ? result : null));
	}

	/** Returns who is to hear of a release: this instance, or nobody. */
	private byte[] watcher(Keys keys, @Nullable Runnable onRelease) {
		if (onRelease == null) {
			return NOBODY;
		}
		this.channel.watch(keys.lock(), onRelease);
		return this.channel.instance();
	}

	/** Who was refused, and watches, is to hear of the release. */
	private void hear(@Nullable AcquireResult result) {
		if (result instanceof Busy) {
			this.channel.subscribe();
		}
	}

	@Override
	public CompletionStage<Optional<AcquireResult>> handOver(LockKey key, String owner, String successor, Duration ttl,
			Runnable onRelease) {
		int reconnects = this.connector.reconnects();
		Keys keys = this.keys.of(key);
		this.channel.watch(keys.lock(), onRelease);
		byte[] message = this.channel.messageToOthers(keys.lock());
		return this.calls
			.grant(key, successor, ttl,
					this.channel.published(Script.HAND_OVER.with(keys.all(), bytes(owner), bytes(successor),
							millis(ttl), this.channel.instance(), this.channel.name(), message), message),
					(number) -> number > 0, Function.identity(), () -> taking(key, successor))
			.whenComplete((number, failure) -> {
				if (failure != null) {
					// If it was never sent, the owner still holds the lock.
					release(key, owner);
					release(key, successor);
				}
				else if (number == 0) {
					this.channel.subscribe();
				}
			})
			.thenApply((number) -> {
				if (number < 0 && reconnects == this.connector.reconnects()) {
					return Optional.empty();
				}
				// Repeated by the driver, it may not find its owner any more.
				return Optional.of((number > 0) ? new Granted(number) : new Busy(HEAD_START));
			});
	}

	@Override
	public CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
		return renewAll(List.of(new Renewal(key, owner, ttl))).get(0);
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		return this.renewals.renewAll(renewals);
	}

	/**
	 * Frees the lock. While Redis cannot be reached the request is kept and repeated, so
	 * that the lock does not have to wait for its time to live once Redis is back.
	 */
	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner) {
		return this.calls.takeAway(key, owner, taking(key, owner));
	}

	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner, LeftResult result, boolean awaited) {
		Keys keys = this.keys.of(key);
		ResultSlot slot = result.slot();
		byte[][] needed = { keys.lock(), keys.fence(), keys.waiting(), keys.result(slot.name()) };
		byte[] message = this.channel.message(keys.lock());
		return this.calls.takeAway(key, owner,
				this.channel.published(Script.RELEASE_WITH_RESULT.with(needed, bytes(owner), this.channel.name(),
						message, result.text().getBytes(StandardCharsets.UTF_8), millis(slot.keep()),
						bytes((slot.replayed() || awaited) ? "1" : "0")), message));
	}

	private Request<Long> taking(LockKey key, String owner) {
		Keys keys = this.keys.of(key);
		byte[] lock = keys.lock();
		byte[] message = this.channel.message(lock);
		return this.channel.published(this.batches.with(Script.RELEASE, new byte[][] { lock, keys.waiting() },
				bytes(owner), this.channel.name(), message), message);
	}

	private static byte[] millis(Duration duration) {
		return bytes(Long.toString(duration.toMillis()));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
