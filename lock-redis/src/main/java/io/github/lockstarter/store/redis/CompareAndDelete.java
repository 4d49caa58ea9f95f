package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The server's own command that deletes a key if it has a certain value, which takes less
 * time of the server than a script. It is used if the server has it, and permits it.
 */
final class CompareAndDelete {

	private static final AsyncLog logger = new AsyncLog(CompareAndDelete.class);

	/** The command of the server; {@code null} if it has none, or has refused it. */
	private volatile @Nullable Form form;

	/** Asks the server which command it has. Until it has answered, none is used. */
	void detect(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		this.form = null;
		try {
			redis.commandInfo(Form.DELEX.toString(), Form.DELIFEQ.toString()).whenComplete((commands, failure) -> {
				if (commands != null) {
					this.form = Form.of(commands);
				}
			});
		}
		catch (RedisException ex) {
			logger.debug("The connection was closed before Redis was asked for its commands", ex);
		}
	}

	/**
	 * Deletes the key if it has the value.
	 * @param reply receives 1 if it had the value, otherwise 0; or the failure
	 * @return whether the command was sent
	 */
	boolean send(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[] key, byte[] value,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
		Form form = this.form;
		if (form == null) {
			return false;
		}
		new DeleteCommand(LettuceConnector.connection(redis), form, key, value, (number, failure) -> {
			if (failure instanceof RedisCommandExecutionException) {
				refused(form, failure);
			}
			reply.accept(number, failure);
		}).send();
		return true;
	}

	/**
	 * Does without a command that an ACL does not permit, or that another server of the
	 * same deployment, or a proxy, does not know.
	 */
	private synchronized void refused(Form refused, Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		boolean notPermitted = message.startsWith("NOPERM");
		if (this.form == refused && (notPermitted || message.startsWith("ERR")) && message.contains("command")) {
			this.form = null;
			logger.info("Redis refuses " + refused + ", so scripts release all locks until the next connection");
			// It may quote the key.
			logger.debug("The refusal of " + refused, failure);
		}
	}

	/** The name and the arguments of a command. */
	private static final class Form implements ProtocolKeyword {

		/** Of Redis, since 8.4. */
		static final Form DELEX = new Form("DELEX", "IFEQ");

		/** Of Valkey, since 9.0. */
		static final Form DELIFEQ = new Form("DELIFEQ", null);

		private final String name;

		private final byte[] bytes;

		/** The word before the value, if any. */
		private final byte @Nullable [] condition;

		private Form(String name, @Nullable String condition) {
			this.name = name;
			this.bytes = ascii(name);
			this.condition = (condition != null) ? ascii(condition) : null;
		}

		/** Returns the command that is in the reply of {@code COMMAND INFO}, if any. */
		static @Nullable Form of(List<Object> commands) {
			return Stream.of(DELEX, DELIFEQ)
				.filter((form) -> commands.stream().anyMatch(form::isDescribed))
				.findFirst()
				.orElse(null);
		}

		private boolean isDescribed(@Nullable Object command) {
			return command instanceof List<?> parts && !parts.isEmpty()
					&& this.name.equalsIgnoreCase(String.valueOf(parts.get(0)));
		}

		void encode(ByteBuf buffer, byte[] key, byte[] value) {
			byte[] condition = this.condition;
			CommandEncoder.begin(buffer, this, (condition != null) ? 3 : 2);
			CommandEncoder.write(buffer, key);
			if (condition != null) {
				CommandEncoder.write(buffer, condition);
			}
			CommandEncoder.write(buffer, value);
		}

		@Override
		public byte[] getBytes() {
			return this.bytes;
		}

		@Override
		public String toString() {
			return this.name;
		}

		private static byte[] ascii(String text) {
			return text.getBytes(StandardCharsets.US_ASCII);
		}

	}

	/**
	 * The command for one key.
	 */
	private static final class DeleteCommand extends DirectCommand<Long> {

		private final Form form;

		private final byte[] key;

		private final byte[] value;

		DeleteCommand(StatefulConnection<byte[], byte[]> connection, Form form, byte[] key, byte[] value,
				BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
			super(form, new IntegerOutput<>(ByteArrayCodec.INSTANCE), connection, reply);
			this.form = form;
			this.key = key;
			this.value = value;
		}

		@Override
		byte[] firstKey() {
			return this.key;
		}

		@Override
		public void encode(ByteBuf buffer) {
			this.form.encode(buffer, this.key, this.value);
		}

	}

}
