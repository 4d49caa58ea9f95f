package io.github.lockstarter.store.redis;

import java.util.function.Consumer;

import io.lettuce.core.RedisAsyncCommandsImpl;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.RedisCommand;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * A driver that hands over what it is to send.
 */
final class DriverStub {

	private DriverStub() {
	}

	@SuppressWarnings("unchecked")
	static RedisClusterAsyncCommands<byte[], byte[]> commands(Consumer<RedisCommand<byte[], byte[], ?>> sent) {
		StatefulRedisConnection<byte[], byte[]> connection = mock(StatefulRedisConnection.class, (call) -> {
			if (call.getArguments().length == 1 && call.getArgument(0) instanceof RedisCommand<?, ?, ?> command) {
				sent.accept((RedisCommand<byte[], byte[], ?>) command);
				return command;
			}
			return null;
		});
		RedisAsyncCommandsImpl<byte[], byte[]> commands = mock(RedisAsyncCommandsImpl.class);
		when(commands.getConnection()).thenReturn(connection);
		return commands;
	}

	/** Answers a command as a server does that has an error. */
	static void refuse(RedisCommand<byte[], byte[], ?> command, String error) {
		command.getOutput().setError(error);
		command.complete();
	}

	/** Answers a command as a server does that has a number. */
	static void answer(RedisCommand<byte[], byte[], ?> command, long number) {
		command.getOutput().set(number);
		command.complete();
	}

}
