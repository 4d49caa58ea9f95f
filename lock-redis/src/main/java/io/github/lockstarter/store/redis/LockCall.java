package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A call for one lock, which is sent alone while few commands are in flight. Otherwise it
 * is sent together with others, as a script.
 */
abstract class LockCall implements StoreCommand<Long> {

	private final Batches batches;

	private final Script script;

	LockCall(Batches batches, Script script) {
		this.batches = batches;
		this.script = script;
	}

	final Script script() {
		return this.script;
	}

	abstract byte[][] keys();

	abstract byte[][] args();

	@Override
	public final void send(RedisClusterAsyncCommands<byte[], byte[]> redis, BooleanSupplier abandoned,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
		this.batches.send(this, redis, abandoned, reply);
	}

	/** Sends the call in a command of its own. */
	void sendAlone(RedisClusterAsyncCommands<byte[], byte[]> redis,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
		this.script.send(redis, keys(), args(), reply);
	}

}
