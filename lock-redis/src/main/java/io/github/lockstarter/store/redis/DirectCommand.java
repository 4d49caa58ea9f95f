package io.github.lockstarter.store.redis;

import java.util.concurrent.CancellationException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A command that passes on its reply or its failure, and writes its arguments itself. The
 * driver's own command is a future, which needs several more objects for each of the two
 * commands per lock.
 *
 * @param <T> the type of the reply
 */
abstract class DirectCommand<T> extends Command<byte[], byte[], T> implements CompleteableCommand<T> {

	private static final AsyncLog logger = new AsyncLog(DirectCommand.class);

	private final StatefulConnection<byte[], byte[]> connection;

	private final BiConsumer<@Nullable T, @Nullable Throwable> reply;

	/**
	 * The callback of the driver at the end of the command, which cancels its timeout.
	 */
	private @Nullable BiConsumer<? super T, Throwable> callback;

	private boolean ended;

	DirectCommand(ProtocolKeyword type, CommandOutput<byte[], byte[], T> output,
			StatefulConnection<byte[], byte[]> connection, BiConsumer<@Nullable T, @Nullable Throwable> reply) {
		super(type, output);
		this.connection = connection;
		this.reply = reply;
	}

	/** Creates a command that takes the place of this one. */
	DirectCommand(ProtocolKeyword type, CommandOutput<byte[], byte[], T> output, DirectCommand<T> replaced) {
		this(type, output, replaced.connection, replaced.reply);
	}

	/** Returns the key by which the driver selects the server of a cluster. */
	abstract byte[] firstKey();

	/**
	 * Returns the command that takes the place of this one after the failure;
	 * {@code null} if the failure is passed on.
	 */
	@Nullable DirectCommand<T> replacementAfter(Throwable failure) {
		return null;
	}

	/** Created on demand: only a cluster and traces need them. */
	@Override
	public CommandArgs<byte[], byte[]> getArgs() {
		CommandArgs<byte[], byte[]> created = this.args;
		if (created == null) {
			created = new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(firstKey());
			this.args = created;
		}
		return created;
	}

	@Override
	public abstract void encode(ByteBuf buffer);

	void send() {
		try {
			this.connection.dispatch(this);
		}
		catch (Throwable ex) {
			// Includes an Error: a command that is never answered would count as in
			// flight.
			completeExceptionally(ex);
		}
	}

	@Override
	public void complete() {
		if (end()) {
			super.complete();
			pass(getOutput().get(), failure());
		}
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		boolean first = end();
		if (first) {
			super.completeExceptionally(failure);
			pass(null, failure);
		}
		return first;
	}

	@Override
	public void cancel() {
		if (end()) {
			super.cancel();
			pass(null, new CancellationException());
		}
	}

	private synchronized boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

	/** Returns the driver's exception for an error of the server. */
	private @Nullable Throwable failure() {
		if (this.exception != null || !getOutput().hasError()) {
			return this.exception;
		}
		AsyncCommand<byte[], byte[], T> refused = new AsyncCommand<>(new Command<>(getType(), getOutput()));
		refused.complete();
		return refused.handle((none, failure) -> failure).join();
	}

	/** Throws nothing to the driver, whose connection others may share. */
	private void pass(@Nullable T value, @Nullable Throwable failure) {
		try {
			BiConsumer<? super T, Throwable> callback = this.callback;
			if (callback != null) {
				callback.accept(value, failure);
			}
			DirectCommand<T> next = (failure != null) ? replacementAfter(failure) : null;
			if (next != null) {
				next.send();
			}
			else {
				this.reply.accept((failure != null) ? null : value, failure);
			}
		}
		catch (Throwable ex) {
			logger.error("The processing of a reply of Redis failed", ex);
		}
	}

	@Override
	public void onComplete(Consumer<? super T> action) {
		onComplete((value, failure) -> {
			if (failure == null) {
				action.accept(value);
			}
		});
	}

	@Override
	public void onComplete(BiConsumer<? super T, Throwable> action) {
		synchronized (this) {
			if (!this.ended) {
				BiConsumer<? super T, Throwable> earlier = this.callback;
				this.callback = (earlier == null) ? action : (value, failure) -> {
					earlier.accept(value, failure);
					action.accept(value, failure);
				};
				return;
			}
		}
		action.accept(getOutput().get(), failure());
	}

}
