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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.RedisCalls.Request;

/**
 * Sends what is asked for at once as long as few requests are under way, and puts what
 * comes meanwhile together into one request. So nothing ever waits for company, and under
 * load the driver, the sockets and the server have less to do.
 */
final class Batches {

	private static final Log logger = LogFactory.getLog(Batches.class);

	/** Enough to keep a server busy while answers are being dealt with. */
	private static final int MAX_REQUESTS = 8;

	/**
	 * Enough to keep it busy once they carry {@link #MANY_LOCKS} together: fewer requests
	 * then carry more locks each.
	 */
	private static final int ENOUGH_REQUESTS = 4;

	private static final int MANY_LOCKS = 16;

	/** So that no request occupies the server for long: some 100 µs to grant all. */
	private static final int MAX_SIZE = 32;

	private static final byte[] NOTHING = {};

	private final Queue<Part> parts = new ConcurrentLinkedQueue<>();

	/** How many requests are under way. */
	private final AtomicInteger requests = new AtomicInteger();

	/** How many locks they are for. */
	private final AtomicInteger locks = new AtomicInteger();

	/** How often it was asked to send since it last looked. */
	private final AtomicInteger wanted = new AtomicInteger();

	/** Keys of one request have to be in one slot of a cluster. */
	private volatile boolean allowed;

	/**
	 * Creates a sender.
	 * @param allowed whether the keys of several locks can be in one request
	 */
	Batches(boolean allowed) {
		this.allowed = allowed;
	}

	/** Returns a call of a script that may be sent together with others. */
	Request<Long> with(Script script, byte[][] keys, byte[]... args) {
		return (redis, abandoned, reply) -> {
			Part part = new Part(redis, script, keys, args, abandoned, reply);
			if (this.allowed) {
				this.parts.add(part);
				sendParts();
			}
			else {
				part.send(reply);
			}
		};
	}

	/**
	 * Everybody calls this who has added a part or got a reply, so that no part stays.
	 * One at a time sends, for all: a driver may reply at once, and must not be called
	 * again and again from within its own reply.
	 */
	private void sendParts() {
		if (this.wanted.getAndIncrement() > 0) {
			return;
		}
		boolean sent = false;
		try {
			int seen = 1;
			while (seen > 0) {
				while (!this.parts.isEmpty() && hasRoom()) {
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
		int max = (this.locks.get() < MANY_LOCKS) ? MAX_REQUESTS : ENOUGH_REQUESTS;
		return this.requests.get() < max;
	}

	/** While the server does not answer, those at the head are the first to give up. */
	private void dropAbandoned() {
		for (Part head = this.parts.peek(); head != null && head.abandoned.getAsBoolean(); head = this.parts.peek()) {
			this.parts.remove();
		}
	}

	private void sendBatch() {
		List<Part> batch = new ArrayList<>(1);
		for (Part next = this.parts.poll(); next != null; next = (batch.size() < MAX_SIZE) ? this.parts.poll() : null) {
			if (!batch.isEmpty() && next.redis != batch.get(0).redis) {
				// The connection has been replaced.
				next.send(next.reply);
			}
			else if (!next.abandoned.getAsBoolean()) {
				batch.add(next);
			}
		}
		if (batch.isEmpty()) {
			return;
		}
		this.requests.incrementAndGet();
		this.locks.addAndGet(batch.size());
		if (batch.size() == 1) {
			Part only = batch.get(0);
			only.send((number, failure) -> {
				replied(batch);
				only.reply.accept(number, failure);
			});
		}
		else {
			sendTogether(batch);
		}
	}

	private void replied(List<Part> batch) {
		this.locks.addAndGet(-batch.size());
		this.requests.decrementAndGet();
		sendParts();
	}

	private void sendTogether(List<Part> batch) {
		byte[][] keys = new byte[batch.size() * Script.BATCH_KEYS][];
		byte[][] args = new byte[batch.size() * Script.BATCH_ARGS][];
		Arrays.fill(args, NOTHING);
		for (int i = 0; i < batch.size(); i++) {
			batch.get(i).copyTo(keys, i * Script.BATCH_KEYS, args, i * Script.BATCH_ARGS);
		}
		Script.BATCH.<Object>forEachOf(keys, args).send(batch.get(0).redis, () -> false, (replies, failure) -> {
			replied(batch);
			if (failure instanceof RedisCommandExecutionException) {
				// Refused before any of it was done.
				if (this.allowed && isForSlots(failure)) {
					logger.info("Redis takes no request for several locks, so each is sent by itself. " + failure);
					this.allowed = false;
				}
				batch.forEach((part) -> part.send(part.reply));
			}
			else {
				for (int i = 0; i < batch.size(); i++) {
					batch.get(i).accept((replies != null) ? replies.get(i) : null, failure);
				}
			}
		});
	}

	/** A proxy before a cluster words it in its own way. */
	private static boolean isForSlots(Throwable refusal) {
		return String.valueOf(refusal.getMessage()).toLowerCase(Locale.ROOT).contains("slot");
	}

	/**
	 * A call of a script on behalf of one lock.
	 */
	private static final class Part {

		private final RedisClusterAsyncCommands<byte[], byte[]> redis;

		private final Script script;

		private final byte[][] keys;

		private final byte[][] args;

		/** Whether nobody waits for it any more, and it need not be sent. */
		private final BooleanSupplier abandoned;

		private final BiConsumer<@Nullable Long, @Nullable Throwable> reply;

		Part(RedisClusterAsyncCommands<byte[], byte[]> redis, Script script, byte[][] keys, byte[][] args,
				BooleanSupplier abandoned, BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
			this.redis = redis;
			this.script = script;
			this.keys = keys;
			this.args = args;
			this.abandoned = abandoned;
			this.reply = reply;
		}

		void copyTo(byte[][] keys, int key, byte[][] args, int arg) {
			// Those that a script has no use for are keys all the same, to an ACL and a
			// cluster.
			Arrays.fill(keys, key, key + Script.BATCH_KEYS, this.keys[0]);
			System.arraycopy(this.keys, 0, keys, key, this.keys.length);
			args[arg] = this.script.nameInBatch();
			System.arraycopy(this.args, 0, args, arg + 1, this.args.length);
		}

		void send(BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
			this.script.with(this.keys, this.args).send(this.redis, this.abandoned, reply);
		}

		/** Takes its part of the reply to a batch: a number, or why there is none. */
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

}
