package io.github.lockstarter.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Hears of released locks. There is one subscription, made when somebody waits for the
 * first time, and kept by the driver over reconnects. Whoever watches is woken, too, each
 * time it has been made, for what happened before, and repeatedly while it cannot be.
 * <p>
 * A server that is frozen, or cut off, sends nothing and breaks no connection. So who
 * waits and looks again has a sign of life asked for, and if the last one has not come,
 * the subscription is made anew, wherever the driver then finds a server.
 */
final class ReleaseChannel extends RedisPubSubAdapter<byte[], byte[]> {

	private static final Log logger = LogFactory.getLog(ReleaseChannel.class);

	private static final long TRY_AGAIN_MILLIS = 100;

	/** After which time a message that was published must have arrived. */
	private static final long ECHO_MILLIS = 1000;

	private static final byte[] NOTHING = {};

	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

	private final Map<ByteBuffer, Runnable> watchers = new ConcurrentHashMap<>();

	private final AtomicBoolean subscribing = new AtomicBoolean();

	private final RedisConnections connections;

	private final LettuceConnector connector;

	private final Executor threads;

	private final byte[] name;

	private final byte[] instance = bytes(UUID.randomUUID().toString());

	private volatile boolean open = true;

	/** Whether a message of this instance has come back to it. */
	private volatile boolean heard;

	/**
	 * Whether messages of releases do not arrive, so that those who wait have to look.
	 */
	private volatile boolean deaf;

	/** Whether the next wake-up of the waiters is planned for that reason. */
	private final AtomicBoolean looking = new AtomicBoolean();

	/** Whether the subscription is to be tried out once there is a connection. */
	private final AtomicBoolean tryingOut = new AtomicBoolean();

	/** Whether to try once to subscribe, although nobody watches yet. */
	private volatile boolean expected;

	/** So that one failure after the other is logged once. */
	private volatile boolean failed;

	private volatile @Nullable StatefulRedisPubSubConnection<byte[], byte[]> subscription;

	private volatile @Nullable RedisFuture<String> signOfLife;

	private volatile long askedForIt;

	ReleaseChannel(RedisConnections connections, LettuceConnector connector, String name) {
		this(connections, connector, name, ReleaseChannel::onOwnThread);
	}

	/**
	 * Creates a channel.
	 * @param connector the connection to publish over
	 * @param threads where to block
	 */
	ReleaseChannel(RedisConnections connections, LettuceConnector connector, String name, Executor threads) {
		this.connections = connections;
		this.connector = connector;
		this.name = bytes(name);
		this.threads = threads;
	}

	byte[] name() {
		return this.name;
	}

	/** Returns what this instance of the application is called in the channel. */
	byte[] instance() {
		return this.instance;
	}

	/** Runs the action whenever the lock is released for others. */
	void watch(byte[] lock, Runnable action) {
		this.watchers.put(ByteBuffer.wrap(lock), action);
	}

	void unwatch(byte[] lock, Runnable action) {
		this.watchers.remove(ByteBuffer.wrap(lock), action);
	}

	/** Subscribes when it is opened. */
	void expectWatchers() {
		this.expected = true;
	}

	/**
	 * Sees to it that there is a subscription. Connecting blocks, so a thread does it.
	 */
	void subscribe() {
		StatefulRedisPubSubConnection<byte[], byte[]> current = this.subscription;
		if ((current == null || isSilent(current)) && this.subscribing.compareAndSet(false, true)) {
			try {
				this.threads.execute(() -> replace(current));
			}
			catch (Throwable ex) {
				this.subscribing.set(false);
				logger.warn("No thread for the subscription to channel %s: who waits for a lock looks for it by itself"
					.formatted(text(this.name)), ex);
			}
		}
	}

	private static void onOwnThread(Runnable task) {
		Thread thread = new Thread(task, "lock-redis-subscribe");
		thread.setDaemon(true);
		thread.start();
	}

	private boolean isSilent(StatefulRedisPubSubConnection<byte[], byte[]> current) {
		long now = System.nanoTime();
		RedisFuture<String> last = this.signOfLife;
		if (last != null && now - this.askedForIt < PATIENCE_NANOS) {
			return false;
		}
		if (last != null && !last.isDone()) {
			return true;
		}
		this.askedForIt = now;
		this.signOfLife = current.async().ping();
		return false;
	}

	private void replace(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> old) {
		try {
			subscribeInPlaceOf(old);
		}
		finally {
			this.subscribing.set(false);
		}
		if (!this.open) {
			close();
		}
		else if (isNeeded() && this.subscription == null) {
			subscribe();
		}
	}

	private void subscribeInPlaceOf(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> old) {
		while (this.open && this.subscription == old && isNeeded()) {
			this.expected = false;
			StatefulRedisPubSubConnection<byte[], byte[]> connection = null;
			try {
				connection = this.connections.connectPubSub();
				connection.addListener(this);
				connection.sync().subscribe(this.name);
				this.signOfLife = null;
				this.subscription = connection;
				this.failed = false;
				close(old);
			}
			catch (RuntimeException ex) {
				if (!this.failed) {
					logger.warn("No subscription to channel %s: who waits for a lock looks for it every %d ms meanwhile"
						.formatted(text(this.name), TRY_AGAIN_MILLIS), ex);
				}
				this.failed = true;
				close(connection);
				pause();
				wakeAll();
			}
		}
	}

	private boolean isNeeded() {
		return this.expected || !this.watchers.isEmpty();
	}

	@Override
	public void message(byte[] channel, byte[] message) {
		String text = text(message);
		if (text.startsWith(text(this.instance))) {
			this.heard = true;
			this.deaf = false;
			return;
		}
		byte[] lock = bytes(text.substring(text.indexOf(' ') + 1));
		Runnable action = this.watchers.get(ByteBuffer.wrap(lock));
		if (action != null) {
			action.run();
		}
	}

	@Override
	public void subscribed(byte[] channel, long count) {
		wakeAll();
		tryOut();
	}

	/**
	 * Publishes what only this instance is to hear. Where publishing is forbidden, or
	 * where messages go to another shard than the subscription is on, nobody would hear
	 * of a release.
	 */
	private void tryOut() {
		RedisClusterAsyncCommands<byte[], byte[]> redis = this.connector.openOrConnect();
		if (redis == null) {
			tryOutLater();
		}
		else {
			this.heard = false;
			publish(redis, join(this.instance, NOTHING), () -> this.connector.after(ECHO_MILLIS, () -> {
				if (!this.heard) {
					beDeaf("a message did not arrive", null);
				}
			}));
		}
	}

	private void tryOutLater() {
		if (this.open && this.tryingOut.compareAndSet(false, true)) {
			boolean planned = this.connector.after(TRY_AGAIN_MILLIS, () -> {
				this.tryingOut.set(false);
				if (this.open) {
					tryOut();
				}
			});
			if (!planned) {
				this.tryingOut.set(false);
			}
		}
	}

	private void publish(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[] message, Runnable published) {
		try {
			redis.publish(this.name, message).whenComplete((receivers, failure) -> {
				if (failure == null) {
					published.run();
				}
				else if (failure instanceof RedisCommandExecutionException) {
					beDeaf("publishing is refused", failure);
				}
			});
		}
		catch (RuntimeException ex) {
			logger.debug("Not published", ex);
		}
	}

	private void beDeaf(String why, @Nullable Throwable failure) {
		if (!this.deaf) {
			this.deaf = true;
			logger.warn(
					"Nobody hears of released locks through channel %s, since %s: who waits for a lock looks for it every %d ms"
						.formatted(text(this.name), why, TRY_AGAIN_MILLIS),
					failure);
		}
		lookRepeatedly();
	}

	/** Whoever finds no wake-up planned plans the next, so that there is one loop. */
	private void lookRepeatedly() {
		if (this.open && this.deaf && this.looking.compareAndSet(false, true)) {
			boolean planned = this.connector.after(TRY_AGAIN_MILLIS, () -> {
				this.looking.set(false);
				wakeAll();
				lookRepeatedly();
			});
			if (!planned) {
				this.looking.set(false);
			}
		}
	}

	/** Returns what to publish when the lock is released for others. */
	byte[] message(byte[] lock) {
		return join(NOTHING, lock);
	}

	/**
	 * Returns what to publish when the lock is released for others than this instance.
	 */
	byte[] messageToOthers(byte[] lock) {
		return join(this.instance, lock);
	}

	private static byte[] join(byte[] instance, byte[] lock) {
		byte[] message = Arrays.copyOf(instance, instance.length + 1 + lock.length);
		message[instance.length] = ' ';
		System.arraycopy(lock, 0, message, instance.length + 1, lock.length);
		return message;
	}

	/**
	 * Publishes after a script that releases a lock what it was not allowed to publish
	 * itself, and answers as if it had.
	 */
	Request<Long> published(Request<Long> release, byte[] message) {
		return published(release, message, Script.RELEASED_UNPUBLISHED, 1L);
	}

	/** The same after a script that ends a turn. */
	Request<Long> publishedToOthers(Request<Long> handOver, byte[] message) {
		return published(handOver, message, Script.HANDED_OVER_UNPUBLISHED, 0L);
	}

	private Request<Long> published(Request<Long> script, byte[] message, long unpublished, Long done) {
		return (redis, abandoned, reply) -> script.send(redis, abandoned, (number, failure) -> {
			boolean isUnpublished = number != null && number == unpublished;
			if (isUnpublished) {
				publish(redis, message, () -> {
				});
			}
			reply.accept(isUnpublished ? done : number, failure);
		});
	}

	private void wakeAll() {
		this.watchers.values().forEach(Runnable::run);
	}

	void open() {
		this.open = true;
		if (this.expected) {
			subscribe();
		}
	}

	void close() {
		this.open = false;
		close(this.subscription);
		this.subscription = null;
	}

	private static void close(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection) {
		if (connection != null) {
			connection.closeAsync();
		}
	}

	private static void pause() {
		try {
			TimeUnit.MILLISECONDS.sleep(TRY_AGAIN_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
