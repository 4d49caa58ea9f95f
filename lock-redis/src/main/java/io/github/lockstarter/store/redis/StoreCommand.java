package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Sends a command, and passes on its reply or its failure. Neither is required if the
 * command is abandoned before it is sent.
 *
 * @param <T> the type of the reply
 */
@FunctionalInterface
interface StoreCommand<T> {

	/** The error of a server that has no memory left. */
	String OUT_OF_MEMORY = "OOM ";

	void send(RedisClusterAsyncCommands<byte[], byte[]> redis, BooleanSupplier abandoned,
			BiConsumer<@Nullable T, @Nullable Throwable> reply);

	/**
	 * Returns a command that is sent in another form if the server has no memory left for
	 * this one.
	 */
	default StoreCommand<T> orWithoutMemory(Supplier<StoreCommand<T>> other) {
		return (redis, abandoned, reply) -> send(redis, abandoned, (value, failure) -> {
			if (failure instanceof RedisCommandExecutionException && failure.getMessage() != null
					&& failure.getMessage().startsWith(OUT_OF_MEMORY)) {
				other.get().send(redis, abandoned, reply);
			}
			else {
				reply.accept(value, failure);
			}
		});
	}

}
