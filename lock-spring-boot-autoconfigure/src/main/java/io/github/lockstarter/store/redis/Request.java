package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Sends a command, and passes on its reply or its failure. Neither is required if the
 * command is abandoned before it is sent.
 *
 * @param <T> the type of the reply
 */
@FunctionalInterface
interface Request<T> {

	void send(RedisClusterAsyncCommands<byte[], byte[]> redis, BooleanSupplier abandoned,
			BiConsumer<@Nullable T, @Nullable Throwable> reply);

}
