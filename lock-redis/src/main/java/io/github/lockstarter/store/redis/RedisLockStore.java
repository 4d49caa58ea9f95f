package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.DroppedResults;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.StoredResults;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Stores locks in Redis, with one key per held lock, which has a time to live and whose
 * value begins with the owner. Acquiring, renewing and releasing a lock is one round trip
 * each, plus one for the first release for which another instance waits, and plus one
 * more round trip if replicas have to acknowledge a grant.
 * <p>
 * The pattern is the single-instance lock of the Redis documentation, "Distributed Locks
 * with Redis": {@code SET NX PX} with a random value, and a delete that compares it. The
 * fencing token is a counter that grows with every grant. Waiters are notified of a
 * release by {@code PUBLISH}, which is sent only if there are any.
 */
public final class RedisLockStore implements GroupLockStore, SmartLifecycle, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private static final Set<Capability> CAPABILITIES = Set.of(Capability.NOTIFIES, Capability.HANDS_OVER,
			Capability.KEEPS_RESULTS, Capability.HOLDS_FOR_TOKENS, Capability.ACQUIRES_ALL);

	/**
	 * A grant that waits for replicas must not delay the release at the end of a turn, so
	 * the two are separate commands.
	 */
	private static final Set<Capability> CAPABILITIES_WITH_REPLICAS = Set.of(Capability.NOTIFIES,
			Capability.KEEPS_RESULTS, Capability.HOLDS_FOR_TOKENS, Capability.ACQUIRES_ALL);

	private final Set<Capability> capabilities;

	private final RedisConnections connections;

	private final WatchedConnection shared;

	/** The same connection, unless replicas have to acknowledge grants. */
	private final WatchedConnection grants;

	private final LockPubSub pubSub;

	private final RedisAccess access;

	private final GroupGrants groups;

	private volatile boolean running;

	/**
	 * Creates a store.
	 * @param connections the connections for its commands
	 * @param keyPrefix the prefix of all keys in Redis
	 * @param commandTimeout the longest time to wait for an answer, including the time to
	 * connect but not the time to load the driver; rounded up to the next tick of the
	 * driver's timer, which is 100 ms
	 * @param replicasToAck the number of replicas that must acknowledge a grant within
	 * half of that time, and at most 8 s; otherwise the grant is undone. 0 for no
	 * acknowledgements. Not for Redis Cluster.
	 * @throws IllegalArgumentException if acknowledgements are required of a Redis
	 * Cluster
	 */
	public RedisLockStore(RedisConnections connections, String keyPrefix, Duration commandTimeout, int replicasToAck) {
		this(connections, keyPrefix, commandTimeout, replicasToAck, new DroppedResults((lockName) -> {
		}));
	}

	/**
	 * Creates a store that reports results for which Redis had no memory.
	 * @param connections the connections for its commands
	 * @param keyPrefix the prefix of all keys in Redis
	 * @param commandTimeout the longest time to wait for an answer
	 * @param replicasToAck the number of replicas that must acknowledge a grant
	 * @param dropped counts and logs such results
	 * @see #RedisLockStore(RedisConnections, String, Duration, int)
	 */
	public RedisLockStore(RedisConnections connections, String keyPrefix, Duration commandTimeout, int replicasToAck,
			DroppedResults dropped) {
		// In a cluster, all keys of one script have to be in one slot.
		boolean clustered = connections.isClustered();
		Assert.isTrue(replicasToAck == 0 || !clustered, "Redis Cluster does not support acknowledgements by replicas");
		this.connections = connections;
		this.capabilities = (replicasToAck > 0) ? CAPABILITIES_WITH_REPLICAS : CAPABILITIES;
		Duration longestWait = (replicasToAck > 0) ? ReplicatedGrants.longestWait(commandTimeout) : Duration.ZERO;
		this.shared = WatchedConnection.of(connections, connections::commands, commandTimeout, longestWait);
		this.grants = (replicasToAck > 0)
				? WatchedConnection.of(connections, connections::grantCommands, commandTimeout, longestWait)
				: this.shared;
		this.pubSub = new LockPubSub(connections, this.shared.connector(), this.shared.timer(),
				keyPrefix + ":released");
		connectors().forEach((each) -> each.onReplaced(this.pubSub::resubscribe));
		RedisCalls calls = new RedisCalls(this.shared, this.grants,
				(replicasToAck > 0) ? new ReplicatedGrants(this.grants.connector(), replicasToAck, longestWait) : null);
		Batches batches = new Batches(!clustered);
		this.groups = new GroupGrants(calls, clustered);
		this.access = new RedisAccess(new RedisKeys(keyPrefix), this.grants.connector(), calls, batches,
				(replicasToAck > 0) ? new Batches(!clustered) : batches, this.shared.connector().compareAndDelete(),
				new RedisRenewals(calls, !clustered), this.pubSub, dropped);
	}

	private Stream<LettuceConnector> connectors() {
		return Stream.of(this.shared.connector(), this.grants.connector()).distinct();
	}

	/**
	 * Connects on another thread, before the first lock is acquired.
	 * @return completes when Redis is connected
	 */
	public CompletionStage<?> connect() {
		return CompletableFuture.allOf(this.shared.connector().connect(), this.grants.connector().connect());
	}

	/** Connects in the background. Logs a warning if Redis is unavailable. */
	@Override
	public void start() {
		this.running = true;
		this.pubSub.open();
		connect().whenComplete((connected, failure) -> {
			if (failure != null && this.running) {
				logger.warn("No connection to Redis: calls that need a lock fail until there is one", failure);
			}
		});
	}

	/** Disconnects until the store is started again. */
	@Override
	public void stop() {
		this.running = false;
		this.pubSub.close();
		this.connections.disconnect();
	}

	/** Disconnects permanently. */
	@Override
	public void close() {
		stop();
		this.connections.shutdown();
		this.shared.threads().interrupt();
		this.grants.threads().interrupt();
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
	public TokenStoredLock lock(LockKey key) {
		return new RedisLock(this.access, key);
	}

	@Override
	public Optional<StoredResults> results() {
		return Optional.of(new RedisResults(this.access.keys(), this.shared.connector()));
	}

	@Override
	public Set<Capability> capabilities() {
		return this.capabilities;
	}

	@Override
	public CompletionStage<AcquireAllResult> acquireAll(List<Claim> acquisitions) {
		return this.groups.acquireAll(acquisitions);
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		return this.access.renewals().renewAll(renewals);
	}

	@Override
	public void onReconnect(Runnable action) {
		connectors().forEach((each) -> each.onReconnect(action));
	}

	@Override
	public void expectWaiters() {
		this.pubSub.expectWatchers();
		if (this.running) {
			this.pubSub.subscribe();
		}
	}

}
