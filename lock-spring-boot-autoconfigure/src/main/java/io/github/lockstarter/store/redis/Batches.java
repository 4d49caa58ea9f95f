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
 * Sends calls at once as long as few requests are under way, and puts those that arrive
 * meanwhile together into one request. So no call waits for others to join it, and under
 * load the driver, the sockets and the server have less to do.
 */
final class Batches {

	private static final AsyncLog logger = new AsyncLog(Batches.class);

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

	private volatile @Nullable Lane lane;

	/** The connection before the one that requests are sent over now, if any. */
	private @Nullable RedisClusterAsyncCommands<byte[], byte[]> previous;

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
			Part part = new Part(script, keys, args, abandoned, reply);
			if (this.allowed) {
				lane(redis).add(part);
			}
			else {
				part.send(redis, reply);
			}
		};
	}

	/** Returns how many wait to be sent. */
	int queued() {
		Lane current = this.lane;
		return (current != null) ? current.releases.size() + current.acquires.size() : 0;
	}

	private Lane lane(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		Lane current = this.lane;
		return (current != null && current.redis == redis) ? current : anotherLane(redis);
	}

	/** What is queued for a connection that has been replaced is not sent. */
	private Lane anotherLane(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		Lane another = new Lane(redis);
		Lane old;
		synchronized (this) {
			old = this.lane;
			if (old != null && old.redis == redis) {
				return old;
			}
			if (redis == this.previous) {
				// Its caller has not seen yet that it has been replaced.
				return another;
			}
			this.previous = (old != null) ? old.redis : null;
			this.lane = another;
		}
		if (old != null) {
			old.close();
		}
		return another;
	}

	/**
	 * Returns whether Redis takes no request for several locks. A proxy before a cluster
	 * words it in its own way, or objects to a script with a loop over its keys.
	 */
	static boolean isForSlots(@Nullable Throwable refusal) {
		String message = (refusal instanceof RedisCommandExecutionException)
				? String.valueOf(refusal.getMessage()).toLowerCase(Locale.ROOT) : "";
		return message.contains("slot") || message.contains("keys array");
	}

	/**
	 * What is sent over one connection.
	 */
	private final class Lane {

		private final RedisClusterAsyncCommands<byte[], byte[]> redis;

		/** They come first: a lock has to be free before it can be acquired. */
		private final Queue<Part> releases = new ConcurrentLinkedQueue<>();

		/** Those at the head are the first to be given up by their callers. */
		private final Queue<Part> acquires = new ConcurrentLinkedQueue<>();

		/** How many requests are under way. */
		private final AtomicInteger requests = new AtomicInteger();

		/** For how many more locks they are than there are requests. */
		private final AtomicInteger moreLocks = new AtomicInteger();

		/** How often sending was requested since the queues were last read. */
		private final AtomicInteger wanted = new AtomicInteger();

		private volatile boolean closed;

		Lane(RedisClusterAsyncCommands<byte[], byte[]> redis) {
			this.redis = redis;
		}

		void add(Part part) {
			if (!hasQueue() && this.requests.get() < MAX_REQUESTS && hasRoom()) {
				if (this.requests.incrementAndGet() <= MAX_REQUESTS) {
					sendAlone(part);
					return;
				}
				this.requests.decrementAndGet();
			}
			((part.script == Script.RELEASE) ? this.releases : this.acquires).add(part);
			sendParts();
		}

		/** Fails what is queued. What is under way is left to the driver. */
		void close() {
			this.closed = true;
			sendParts();
		}

		private boolean hasQueue() {
			return !this.releases.isEmpty() || !this.acquires.isEmpty();
		}

		/**
		 * Called after each part that was added, and after each reply while parts are
		 * queued, so that no part stays. One thread at a time sends, for all: a driver
		 * may reply at once, and must not be called again from within its own reply.
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
			int requests = this.requests.get();
			return requests < ((requests + this.moreLocks.get() < MANY_LOCKS) ? MAX_REQUESTS : ENOUGH_REQUESTS);
		}

		/**
		 * Releases are not given up, and are no more than there were leases.
		 */
		private void dropAbandoned() {
			for (Part head = this.acquires.peek(); head != null
					&& head.abandoned.getAsBoolean(); head = this.acquires.peek()) {
				this.acquires.remove();
			}
		}

		private @Nullable Part next() {
			Part release = this.releases.poll();
			return (release != null) ? release : this.acquires.poll();
		}

		private void sendBatch() {
			List<Part> batch = new ArrayList<>(1);
			for (Part next = next(); next != null; next = (batch.size() < MAX_SIZE) ? next() : null) {
				if (!next.abandoned.getAsBoolean()) {
					batch.add(next);
				}
			}
			if (this.closed || LettuceConnector.isClosed(this.redis)) {
				batch.forEach((part) -> part.reply.accept(null, new NotSentException()));
			}
			else if (batch.size() == 1) {
				this.requests.incrementAndGet();
				sendAlone(batch.get(0));
			}
			else if (!batch.isEmpty()) {
				this.requests.incrementAndGet();
				this.moreLocks.addAndGet(batch.size() - 1);
				sendTogether(batch);
			}
		}

		private void sendAlone(Part part) {
			part.send(this.redis, (number, failure) -> {
				replied();
				part.reply.accept(number, failure);
			});
		}

		private void replied() {
			this.requests.decrementAndGet();
			if (hasQueue()) {
				sendParts();
			}
		}

		private void sendTogether(List<Part> batch) {
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
					// Refused before any of it was done.
					if (Batches.this.allowed && isForSlots(failure)) {
						logger.info("Redis takes no request for several locks, so each is sent by itself. " + failure);
						Batches.this.allowed = false;
					}
					batch.forEach((part) -> part.send(this.redis, part.reply));
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
	 * A call of a script on behalf of one lock.
	 */
	private static final class Part {

		private final Script script;

		private final byte[][] keys;

		private final byte[][] args;

		/** Whether its caller has given up, so that it need not be sent. */
		private final BooleanSupplier abandoned;

		private final BiConsumer<@Nullable Long, @Nullable Throwable> reply;

		Part(Script script, byte[][] keys, byte[][] args, BooleanSupplier abandoned,
				BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
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

		void send(RedisClusterAsyncCommands<byte[], byte[]> redis,
				BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
			this.script.send(redis, this.keys, this.args, reply);
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
