package io.github.lockstarter.store.redis.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the library's own, which is opened when it is first used.
 */
final class OwnConnection {

	/**
	 * How long the driver keeps a command, over reconnects, too, unless the options of
	 * its client disable time-outs of commands: it then keeps a command until Redis
	 * answers or the connection is closed. The store has a time-out of its own for the
	 * answer, and repeats the requests that must reach Redis.
	 */
	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

	private final Supplier<StatefulConnection<byte[], byte[]>> connect;

	private final AtomicReference<@Nullable StatefulConnection<byte[], byte[]>> connection = new AtomicReference<>();

	OwnConnection(Supplier<StatefulConnection<byte[], byte[]>> connect) {
		this.connect = connect;
	}

	/** Returns its commands, and opens it first if need be. */
	RedisClusterAsyncCommands<byte[], byte[]> commands() {
		StatefulConnection<byte[], byte[]> current = this.connection.get();
		if (current == null) {
			current = open();
			StatefulConnection<byte[], byte[]> other = this.connection.compareAndExchange(null, current);
			if (other != null) {
				current.closeAsync();
				current = other;
			}
		}
		return commands(current);
	}

	/** Opens another in its place, as {@link RedisConnections#replace} says. */
	boolean replace(RedisClusterAsyncCommands<byte[], byte[]> silent, BooleanSupplier stillSilent) {
		StatefulConnection<byte[], byte[]> old = this.connection.get();
		if (old == null || commands(old) != silent) {
			return false;
		}
		StatefulConnection<byte[], byte[]> another = open();
		if (stillSilent.getAsBoolean() && this.connection.compareAndSet(old, another)) {
			old.closeAsync();
			return true;
		}
		another.closeAsync();
		return false;
	}

	/** Closes it, until its commands are asked for again. */
	void close() {
		StatefulConnection<byte[], byte[]> current = this.connection.getAndSet(null);
		if (current != null) {
			current.close();
		}
	}

	private StatefulConnection<byte[], byte[]> open() {
		StatefulConnection<byte[], byte[]> opened = this.connect.get();
		opened.setTimeout(COMMAND_TIMEOUT);
		return opened;
	}

	private static RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
		return (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) ? cluster.async()
				: ((StatefulRedisConnection<byte[], byte[]>) connection).async();
	}

}
