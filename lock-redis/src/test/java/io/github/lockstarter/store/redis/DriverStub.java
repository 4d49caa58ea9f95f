package io.github.lockstarter.store.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisAsyncCommandsImpl;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.connection.RedisConnections;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * A connected driver that passes scripts to the test. Any other command gets an empty
 * answer.
 */
final class DriverStub {

	private DriverStub() {
	}

	static RedisClusterAsyncCommands<byte[], byte[]> commands(Consumer<RedisCommand<byte[], byte[], ?>> sent) {
		return commands(sent, null);
	}

	/**
	 * Returns the commands of a server that has the given one to compare and delete.
	 */
	@SuppressWarnings("unchecked")
	static RedisClusterAsyncCommands<byte[], byte[]> commands(Consumer<RedisCommand<byte[], byte[], ?>> sent,
			@Nullable String compareAndDelete) {
		StatefulRedisConnection<byte[], byte[]> connection = mock(StatefulRedisConnection.class, (call) -> {
			if (call.getArguments().length == 1 && call.getArgument(0) instanceof RedisCommand<?, ?, ?> command) {
				sent.accept((RedisCommand<byte[], byte[], ?>) command);
				return command;
			}
			return call.getMethod().getName().equals("isOpen") ? true : null;
		});
		RedisAsyncCommandsImpl<byte[], byte[]> commands = mock(RedisAsyncCommandsImpl.class, (call) -> {
			if (call.getMethod().getName().equals("commandInfo")) {
				return answered(Stream.of(call.getArguments())
					.map((name) -> name.toString().equalsIgnoreCase(compareAndDelete) ? List.of(compareAndDelete, 1L)
							: null)
					.toList());
			}
			return (call.getMethod().getReturnType() == RedisFuture.class) ? answered(null) : null;
		});
		when(commands.getConnection()).thenReturn(connection);
		return commands;
	}

	private static <T> RedisFuture<T> answered(@Nullable T answer) {
		AsyncCommand<byte[], byte[], T> answered = new AsyncCommand<>(
				new Command<>(CommandType.PING, new CommandOutput<>(ByteArrayCodec.INSTANCE, answer) {
				}));
		answered.complete();
		return answered;
	}

	/** Returns connections with these commands, of a client that is not connected. */
	static RedisConnections connections(AbstractRedisClient client,
			RedisClusterAsyncCommands<byte[], byte[]> commands) {
		return new Connections(client, commands);
	}

	/** Answers a command with a server error. */
	static void refuse(RedisCommand<byte[], byte[], ?> command, String error) {
		command.getOutput().setError(error);
		command.complete();
	}

	/** Answers a command with a number. */
	static void answer(RedisCommand<byte[], byte[], ?> command, long number) {
		command.getOutput().set(number);
		command.complete();
	}

	private record Connections(AbstractRedisClient client,
			RedisClusterAsyncCommands<byte[], byte[]> commands) implements RedisConnections {

		@Override
		public boolean isClustered() {
			return false;
		}

		@Override
		public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
			throw new UnsupportedOperationException();
		}

	}

}
