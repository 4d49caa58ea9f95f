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
 * A connection that belongs to the library and is opened on first use.
 */
final class OwnConnection {

	/**
	 * The time for which the driver keeps a command, including reconnections. If the
	 * options of its client disable timeouts of commands, it keeps a command until Redis
	 * answers or the connection is closed. The store has a timeout of its own for the
	 * answer, and repeats commands that must reach Redis.
	 */
	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

	private final Supplier<StatefulConnection<byte[], byte[]>> connect;

	private final AtomicReference<@Nullable StatefulConnection<byte[], byte[]>> connection = new AtomicReference<>();

	OwnConnection(Supplier<StatefulConnection<byte[], byte[]>> connect) {
		this.connect = connect;
	}

	/** Returns the commands of the connection, and opens it first if necessary. */
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

	/** Replaces the connection, as described in {@link RedisConnections#replace}. */
	boolean replace(RedisClusterAsyncCommands<byte[], byte[]> suspect, BooleanSupplier stillSuspect) {
		StatefulConnection<byte[], byte[]> old = this.connection.get();
		if (old == null || commands(old) != suspect) {
			return false;
		}
		StatefulConnection<byte[], byte[]> another = open();
		if (stillSuspect.getAsBoolean() && this.connection.compareAndSet(old, another)) {
			old.closeAsync();
			return true;
		}
		another.closeAsync();
		return false;
	}

	/** Returns whether the commands belong to the current connection. */
	boolean has(RedisClusterAsyncCommands<byte[], byte[]> commands) {
		StatefulConnection<byte[], byte[]> current = this.connection.get();
		return current != null && commands(current) == commands;
	}

	/** Closes the connection. It is opened again when its commands are asked for. */
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
