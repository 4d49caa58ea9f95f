package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls at once while few commands are in flight, and combines calls that arrive in
 * the meantime into one command. So no call waits for others to join it, and under load
 * the driver, the sockets and the server have less work.
 */
final class Batches {

	private static final AsyncLog logger = new AsyncLog(Batches.class);

	/** Enough to keep a server busy while answers are processed. */
	private static final int MAX_COMMANDS = 8;

	/**
	 * Enough to keep it busy once they carry {@link #MANY_LOCKS} together: fewer commands
	 * then carry more locks each.
	 */
	private static final int ENOUGH_COMMANDS = 4;

	private static final int MANY_LOCKS = 16;

	/**
	 * So that no command occupies the server for long: about 100 µs to grant all locks.
	 */
	private static final int MAX_SIZE = 32;

	private static final byte[] NOTHING = {};

	private volatile @Nullable Pipeline pipeline;

	/** The connection that preceded the current one, if any. */
	private @Nullable RedisClusterAsyncCommands<byte[], byte[]> previous;

	/**
	 * Whether batches are allowed: in a cluster, all keys of one command have to be in
	 * one slot.
	 */
	private volatile boolean allowed;

	/**
	 * Creates a sender.
	 * @param allowed whether the keys of several locks can be in one command
	 */
	Batches(boolean allowed) {
		this.allowed = allowed;
	}

	/** Returns a call of a script that may be sent together with others. */
	StoreCommand<Long> with(Script script, byte[][] keys, byte[]... args) {
		return new ScriptCall(this, script, keys, args);
	}

	/** Sends the command alone and at once, or together with others. */
	void send(BatchableCommand command, RedisClusterAsyncCommands<byte[], byte[]> redis, BooleanSupplier abandoned,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
		if (this.allowed) {
			pipeline(redis).send(command, abandoned, reply);
		}
		else {
			command.sendAlone(redis, reply);
		}
	}

	/** Returns the number of queued calls. */
	int queued() {
		Pipeline current = this.pipeline;
		return (current != null) ? current.releases.size() + current.acquires.size() : 0;
	}

	private Pipeline pipeline(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		Pipeline current = this.pipeline;
		return (current != null && current.redis == redis) ? current : anotherPipeline(redis);
	}

	/** Calls that are queued for a replaced connection are not sent. */
	private Pipeline anotherPipeline(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		Pipeline another = new Pipeline(redis);
		Pipeline old;
		synchronized (this) {
			old = this.pipeline;
			if (old != null && old.redis == redis) {
				return old;
			}
			if (redis == this.previous) {
				// The caller has not noticed yet that the connection was replaced.
				return another;
			}
			this.previous = (old != null) ? old.redis : null;
			this.pipeline = another;
		}
		if (old != null) {
			old.close();
		}
		return another;
	}

	/**
	 * Returns whether Redis refuses commands for several locks. A proxy of a cluster may
	 * use an error message of its own, or refuse a script with a loop over its keys.
	 */
	static boolean isForSlots(@Nullable Throwable refusal) {
		String message = (refusal instanceof RedisCommandExecutionException)
				? String.valueOf(refusal.getMessage()).toLowerCase(Locale.ROOT) : "";
		return message.contains("slot") || message.contains("keys array");
	}

	/**
	 * The calls that are sent over one connection.
	 */
	private final class Pipeline {

		private final RedisClusterAsyncCommands<byte[], byte[]> redis;

		/** Sent first: a lock has to be free before it can be acquired. */
		private final Queue<QueuedCommand> releases = new ConcurrentLinkedQueue<>();

		/** The calls at the head are the first ones that their callers abandon. */
		private final Queue<QueuedCommand> acquires = new ConcurrentLinkedQueue<>();

		/** The number of commands in flight. */
		private final AtomicInteger commands = new AtomicInteger();

		/** The number of locks in these commands minus the number of commands. */
		private final AtomicInteger moreLocks = new AtomicInteger();

		/** The number of commands to send since the queues were last read. */
		private final AtomicInteger wanted = new AtomicInteger();

		private volatile boolean closed;

		Pipeline(RedisClusterAsyncCommands<byte[], byte[]> redis) {
			this.redis = redis;
		}

		/** Sends the command alone and at once if few commands are in flight. */
		void send(BatchableCommand command, BooleanSupplier abandoned,
				BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
			if (!hasQueue() && this.commands.get() < MAX_COMMANDS && hasRoom()) {
				if (this.commands.incrementAndGet() <= MAX_COMMANDS) {
					command.sendAlone(this.redis, alone(reply));
					return;
				}
				this.commands.decrementAndGet();
			}
			((command.script() == Script.RELEASE) ? this.releases : this.acquires)
				.add(new QueuedCommand(command, abandoned, reply));
			sendParts();
		}

		/** Fails the queued calls. Commands in flight are left to the driver. */
		void close() {
			this.closed = true;
			sendParts();
		}

		private boolean hasQueue() {
			return !this.releases.isEmpty() || !this.acquires.isEmpty();
		}

		/**
		 * Called after each added part, and after each reply while parts are queued, so
		 * that no part remains unsent. One thread at a time sends for all: a driver may
		 * reply at once, and must not be called again from within its own reply.
		 */
		private void sendParts() {
			if (this.wanted.getAndIncrement() > 0) {
				return;
			}
			boolean sent = false;
			try {
				int seen = 1;
				while (seen > 0) {
					while (hasQueue() && (hasRoom() || this.closed)) {
						sendBatch();
					}
					dropAbandoned();
					seen = this.wanted.addAndGet(-seen);
				}
				sent = true;
			}
			finally {
				if (!sent) {
					this.wanted.set(0);
				}
			}
		}

		private boolean hasRoom() {
			int commands = this.commands.get();
			return commands < ((commands + this.moreLocks.get() < MANY_LOCKS) ? MAX_COMMANDS : ENOUGH_COMMANDS);
		}

		/**
		 * Only acquires: releases are never abandoned, and their number is bounded by the
		 * number of leases.
		 */
		private void dropAbandoned() {
			for (QueuedCommand head = this.acquires.peek(); head != null
					&& head.abandoned().getAsBoolean(); head = this.acquires.peek()) {
				this.acquires.remove();
			}
		}

		private @Nullable QueuedCommand next() {
			QueuedCommand release = this.releases.poll();
			return (release != null) ? release : this.acquires.poll();
		}

		private void sendBatch() {
			List<QueuedCommand> batch = new ArrayList<>(1);
			for (QueuedCommand next = next(); next != null; next = (batch.size() < MAX_SIZE) ? next() : null) {
				if (!next.abandoned().getAsBoolean()) {
					batch.add(next);
				}
			}
			if (this.closed || LettuceConnector.isClosed(this.redis)) {
				batch.forEach((part) -> part.reply().accept(null, new NotSentException()));
			}
			else if (batch.size() == 1) {
				this.commands.incrementAndGet();
				QueuedCommand part = batch.get(0);
				part.command().sendAlone(this.redis, alone(part.reply()));
			}
			else if (!batch.isEmpty()) {
				this.commands.incrementAndGet();
				this.moreLocks.addAndGet(batch.size() - 1);
				sendTogether(batch);
			}
		}

		private BiConsumer<@Nullable Long, @Nullable Throwable> alone(
				BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
			return (number, failure) -> {
				replied();
				reply.accept(number, failure);
			};
		}

		private void replied() {
			this.commands.decrementAndGet();
			if (hasQueue()) {
				sendParts();
			}
		}

		private void sendTogether(List<QueuedCommand> batch) {
			byte[][] keys = new byte[batch.size() * Script.BATCH_KEYS][];
			byte[][] args = new byte[batch.size() * Script.BATCH_ARGS][];
			Arrays.fill(args, NOTHING);
			for (int i = 0; i < batch.size(); i++) {
				batch.get(i).copyTo(keys, i * Script.BATCH_KEYS, args, i * Script.BATCH_ARGS);
			}
			Script.BATCH.<Object>forEachOf(keys, args).send(this.redis, () -> false, (replies, failure) -> {
				this.moreLocks.addAndGet(1 - batch.size());
				replied();
				if (failure instanceof RedisCommandExecutionException) {
					// The command was refused before any part of it was executed.
					if (Batches.this.allowed && isForSlots(failure)) {
						logger.info(
								"Redis refuses commands for locks in several hash slots, so each lock is acquired separately. "
										+ failure);
						Batches.this.allowed = false;
					}
					batch.forEach((part) -> part.command().sendAlone(this.redis, part.reply()));
				}
				else {
					for (int i = 0; i < batch.size(); i++) {
						batch.get(i).accept((replies != null) ? replies.get(i) : null, failure);
					}
				}
			});
		}

	}

	/**
	 * A command that waits to be sent together with others.
	 *
	 * @param abandoned whether its caller has given up, so that it need not be sent
	 */
	private record QueuedCommand(BatchableCommand command, BooleanSupplier abandoned,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {

		void copyTo(byte[][] keys, int key, byte[][] args, int arg) {
			byte[][] ownKeys = this.command.keys();
			byte[][] ownArgs = this.command.args();
			// Unused keys have to be valid keys of the lock, too, for an ACL and a
			// cluster.
			Arrays.fill(keys, key, key + Script.BATCH_KEYS, ownKeys[0]);
			System.arraycopy(ownKeys, 0, keys, key, ownKeys.length);
			args[arg] = this.command.script().nameInBatch();
			System.arraycopy(ownArgs, 0, args, arg + 1, ownArgs.length);
		}

		/** Processes its part of the reply to a batch: a number, or an error. */
		void accept(@Nullable Object part, @Nullable Throwable failure) {
			if (part instanceof Long number) {
				this.reply.accept(number, null);
			}
			else if (part instanceof byte[] message) {
				this.reply.accept(null,
						new RedisCommandExecutionException(new String(message, StandardCharsets.UTF_8)));
			}
			else {
				this.reply.accept(null,
						(failure != null) ? failure : new RedisException("No answer for a part of a batch"));
			}
		}

	}

	/**
	 * A call of a script with given keys and arguments.
	 */
	private static final class ScriptCall extends BatchableCommand {

		private final byte[][] keys;

		private final byte[][] args;

		ScriptCall(Batches batches, Script script, byte[][] keys, byte[][] args) {
			super(batches, script);
			this.keys = keys;
			this.args = args;
		}

		@Override
		byte[][] keys() {
			return this.keys;
		}

		@Override
		byte[][] args() {
			return this.args;
		}

	}

}
