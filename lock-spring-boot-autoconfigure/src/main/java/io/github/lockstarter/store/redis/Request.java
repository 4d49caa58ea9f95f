package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Sends a command, and passes on its reply, or why there is none. It need not do so when
 * the command has been abandoned before it is sent.
 *
 * @param <T> what the reply is
 */
@FunctionalInterface
interface Request<T> {

	void send(RedisClusterAsyncCommands<byte[], byte[]> redis, BooleanSupplier abandoned,
			BiConsumer<@Nullable T, @Nullable Throwable> reply);

}
