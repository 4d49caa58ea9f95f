package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;

/**
 * A lock in Redis. Acquiring and renewing it is one script each, releasing it is a
 * {@link ReleaseCommand}. The remaining time is one {@code PTTL}.
 */
final class RedisLock implements TokenStoredLock {

	private static final byte[] NO_INSTANCE = {};

	private final RedisAccess redis;

	private final LockKey key;

	/**
	 * The key of the owner. The other keys are derived on demand, because there may be
	 * many locks.
	 */
	private final byte[] redisKey;

	/** The action that runs after a release, if any. Guarded by this. */
	private @Nullable Runnable watch;

	/**
	 * Whether other instances probably wait: they waited for the same holder as this
	 * handle. They may wait for a result although Redis no longer lists them, until they
	 * send another command.
	 */
	private volatile boolean metHolder;

	/**
	 * The owner of the last acquisition through this handle, unless applications share
	 * its token. They may acquire the lock again while a release is under way, which has
	 * to be a single command then.
	 */
	private volatile @Nullable String uniqueOwner;

	RedisLock(RedisAccess redis, LockKey key) {
		this.redis = redis;
		this.key = key;
		this.redisKey = redis.keys().lock(key);
	}

	LockKey key() {
		return this.key;
	}

	/** Returns the key of the owner. */
	byte[] redisKey() {
		return this.redisKey;
	}

	@Override
	public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
		if (command.onRelease() != null) {
			watch(command.onRelease());
		}
		this.uniqueOwner = command.undoneOnFailure() ? command.owner() : null;
		if (!command.undoneOnFailure()) {
			this.redis.calls().cancelReleases(this.key, command.owner());
		}
		if (command.predecessor() != null) {
			return handOver(command, command.predecessor());
		}
		return (command.query() != null) ? acquireOrResult(command, command.query()) : acquireLock(command);
	}

	private CompletionStage<AcquireResult> acquireLock(AcquireCommand command) {
		boolean waits = command.onRelease() != null;
		StoreCommand<Long> script = waits
				? this.redis.grantBatches()
					.with(Script.ACQUIRE, allKeys(), value(command.owner()), millis(command.ttl()), waiter(true))
				: this.redis.grantBatches()
					.with(Script.ACQUIRE, new byte[][] { this.redisKey, fence() }, value(command.owner()),
							millis(command.ttl()));
		return grant(command,
				GrantCommand.ofToken(script.orWithoutMemory(() -> Script.ACQUIRE_WITHOUT_MEMORY.with(allKeys(),
						value(command.owner()), millis(command.ttl()), waiter(waits)))),
				(number) -> noted(Replies.acquired(number), waits));
	}

	private CompletionStage<AcquireResult> acquireOrResult(AcquireCommand command, ResultQuery query) {
		boolean waits = command.onRelease() != null;
		byte[] since = bytes(query.canMatch() ? Long.toString(query.since()) : "");
		byte[] maxAge = bytes(Long.toString(TimeUnit.NANOSECONDS.toMicros(query.maxAge().toNanos())));
		byte[][] keys = keysWith(query.key());
		byte[][] args = { value(command.owner()), millis(command.ttl()), waiter(waits), since, maxAge };
		StoreCommand<List<Object>> script = Script.ACQUIRE_OR_RESULT.<Object>forEachOf(keys, args)
			.orWithoutMemory(() -> Script.ACQUIRE_OR_RESULT_WITHOUT_MEMORY.forEachOf(keys, args));
		return grant(command, new GrantCommand<>(script, (reply) -> (long) reply.get(0) > 0),
				(reply) -> noted(Replies.acquiredOrFound(reply, query.key()), waits));
	}

	private CompletionStage<AcquireResult> handOver(AcquireCommand command, String predecessor) {
		int reconnects = this.redis.grants().reconnects();
		LockPubSub pubSub = this.redis.pubSub();
		StoreCommand<Long> script = pubSub.publishedToOthers(Script.HAND_OVER.with(allKeys(), value(predecessor),
				value(command.owner()), millis(command.ttl()), waiter(true), pubSub.channel().name()), this.redisKey);
		return grant(command, GrantCommand.ofToken(script), Function.identity()).thenApply(
				(number) -> noted(Replies.handedOver(number, reconnects != this.redis.grants().reconnects()), true));
	}

	private <T, R> CompletionStage<R> grant(AcquireCommand command, GrantCommand<T> script, Function<T, R> result) {
		return this.redis.calls().grant(this.key, command.ttl(), script, result, (failure) -> {
			if (command.undoneOnFailure()) {
				undo(command.owner(), command.ttl(), failure);
			}
		});
	}

	/** Sets the action that runs after a release, which replaces the previous one. */
	private synchronized void watch(Runnable onRelease) {
		this.watch = onRelease;
		this.redis.pubSub().watch(this.redisKey, onRelease);
	}

	/** Subscribes for a waiter that was rejected. */
	private AcquireResult noted(AcquireResult result, boolean waits) {
		if (result instanceof Held) {
			this.metHolder = true;
			if (waits) {
				this.redis.pubSub().subscribe();
			}
		}
		return result;
	}

	@Override
	public CompletionStage<Boolean> renew(String owner, Duration ttl) {
		return this.redis.renewals().renewAll(List.of(new Renewal(this, owner, ttl))).get(0);
	}

	/**
	 * Releases the lock. While Redis is unavailable, the command is kept and repeated, so
	 * that the lock is free before its time to live has passed when Redis recovers.
	 */
	@Override
	public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
		boolean comparesFirst = owner.equals(this.uniqueOwner) && !this.metHolder;
		return this.redis.calls()
			.release(this.key, owner,
					(result != null) ? releaseCommand(owner, result) : releaseCommand(owner, comparesFirst));
	}

	/**
	 * Releases the lock if it was granted without the knowledge of its owner.
	 * @param failure the failure of the command, if it failed
	 */
	void undo(String owner, Duration ttl, @Nullable Throwable failure) {
		this.redis.calls().undo(this.key, owner, ttl, releaseCommand(owner, false), failure);
	}

	private StoreCommand<Long> releaseCommand(String owner, boolean comparesFirst) {
		return this.redis.pubSub()
			.published(new ReleaseCommand(this.redis, this.redisKey, value(owner), comparesFirst), this.redisKey);
	}

	@Override
	public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
		LockPubSub pubSub = this.redis.pubSub();
		return this.redis.calls()
			.release(this.key, owner,
					pubSub.published(
							Script.RELEASE_AFTER.with(new byte[][] { this.redisKey, waiting() }, value(owner),
									pubSub.channel().name(), value(StoredLock.ended(owner)), millis(time)),
							this.redisKey));
	}

	private StoreCommand<Long> releaseCommand(String owner, StoredResult result) {
		LockPubSub pubSub = this.redis.pubSub();
		boolean kept = result.key().replayed() || this.metHolder;
		this.metHolder = false;
		return pubSub.published(reportDropped(result.key(),
				Script.RELEASE_WITH_RESULT.with(keysWith(result.key()), value(owner), pubSub.channel().name(),
						result.text().getBytes(StandardCharsets.UTF_8), millis(result.key().keep()),
						bytes(kept ? "1" : "0"))),
				this.redisKey);
	}

	private StoreCommand<Long> reportDropped(ResultKey result, StoreCommand<Long> release) {
		return (redis, abandoned, reply) -> release.send(redis, abandoned, (number, failure) -> {
			boolean dropped = number != null && number > Script.RESULT_DROPPED;
			if (dropped && result.replayed()) {
				this.redis.dropped().add(this.key.name(), "Redis has no memory left (maxmemory)");
			}
			reply.accept(dropped ? Long.valueOf(number - Script.RESULT_DROPPED) : number, failure);
		});
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining() {
		return this.redis.calls()
			.call(this.key, RedisCalls.millisLeft(this.redisKey), (millis) -> (millis == -2) ? Optional.empty()
					: Optional.of(Duration.ofMillis(Math.max(millis, 0))));
	}

	@Override
	public synchronized void close() {
		if (this.watch != null) {
			this.redis.pubSub().unwatch(this.redisKey, this.watch);
			this.watch = null;
		}
	}

	/** Notes the owner that acquires the lock together with others. */
	void acquiredTogether(String owner) {
		this.uniqueOwner = owner;
	}

	byte[] fence() {
		return this.redis.keys().fence(this.redisKey);
	}

	private byte[] waiting() {
		return this.redis.keys().waiting(this.redisKey);
	}

	private byte[][] allKeys() {
		return new byte[][] { this.redisKey, fence(), waiting() };
	}

	private byte[][] keysWith(ResultKey result) {
		return new byte[][] { this.redisKey, fence(), waiting(),
				this.redis.keys().result(this.redisKey, result.name()) };
	}

	/** Returns this instance if it waits from now on; otherwise an empty name. */
	private byte[] waiter(boolean waits) {
		return waits ? this.redis.pubSub().channel().instance() : NO_INSTANCE;
	}

	static byte[] millis(Duration duration) {
		return bytes(Long.toString(duration.toMillis()));
	}

	/** Returns the value of a lock that nobody waits for: see {@link Script}. */
	static byte[] value(String owner) {
		// Without a second array, because each command for the lock needs it.
		int length = owner.length();
		byte[] value = new byte[length + 1];
		for (int i = 0; i < length; i++) {
			value[i] = (byte) owner.charAt(i);
		}
		value[length] = '!';
		return value;
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
