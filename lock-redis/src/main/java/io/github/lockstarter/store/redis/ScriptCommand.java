package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A command that calls a script by its digest, and sends the text of the script to a
 * server that has not loaded it.
 *
 * @param <T> the type of the reply
 */
final class ScriptCommand<T> extends DirectCommand<T> {

	private final ScriptArgs scriptArgs;

	private final Supplier<CommandOutput<byte[], byte[], T>> newOutput;

	ScriptCommand(StatefulConnection<byte[], byte[]> connection, ScriptArgs args,
			Supplier<CommandOutput<byte[], byte[], T>> newOutput, BiConsumer<@Nullable T, @Nullable Throwable> reply) {
		super(CommandType.EVALSHA, newOutput.get(), connection, reply);
		this.scriptArgs = args;
		this.newOutput = newOutput;
	}

	/** Creates a command that sends the text of the script. */
	private ScriptCommand(ScriptCommand<T> byDigest) {
		super(CommandType.EVAL, byDigest.newOutput.get(), byDigest);
		this.scriptArgs = byDigest.scriptArgs.withText();
		this.newOutput = byDigest.newOutput;
	}

	@Override
	byte[] firstKey() {
		return this.scriptArgs.firstKey();
	}

	@Override
	public void encode(ByteBuf buffer) {
		this.scriptArgs.encode(getType(), buffer);
	}

	@Override
	@Nullable DirectCommand<T> replacementAfter(Throwable failure) {
		return (failure instanceof RedisNoScriptException && getType() == CommandType.EVALSHA)
				? new ScriptCommand<>(this) : null;
	}

}
