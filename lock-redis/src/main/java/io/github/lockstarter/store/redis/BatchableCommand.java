package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A command for one lock, which is sent alone while few commands are in flight. Otherwise
 * it is sent together with others, as a script.
 */
abstract class BatchableCommand implements StoreCommand<Long> {

	private final Batches batches;

	private final Script script;

	BatchableCommand(Batches batches, Script script) {
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

	/** Sends it alone. */
	void sendAlone(RedisClusterAsyncCommands<byte[], byte[]> redis,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
		this.script.send(redis, keys(), args(), reply);
	}

}
