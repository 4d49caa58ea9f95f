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
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisChannelHandler;
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
 * Notifies waiters of released locks. There is one subscription, made for the first
 * waiter, and kept by the driver over reconnects. Watchers are also woken each time it
 * has been made, since a message may have been published before, and repeatedly while it
 * cannot be.
 * <p>
 * A server that is frozen, or cut off, sends nothing and breaks no connection. So each
 * waiter that polls has a {@code PING} sent over the subscription. If the last one has
 * not been answered, the subscription is replaced, to wherever the driver then finds a
 * server. So is one that was lost, if the driver does not reconnect.
 */
final class LockPubSub extends RedisPubSubAdapter<byte[], byte[]> {

	private static final Log logger = LogFactory.getLog(LockPubSub.class);

	private static final long TRY_AGAIN_MILLIS = 100;

	/** How many wake-ups follow until it is tried whether messages are received. */
	private static final int WAKE_UPS_PER_PROBE = 100;

	/** The time after which a message that was published must have been received. */
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

	/** Whether a message of this instance has come back to it since the last probe. */
	private volatile boolean received;

	/** Whether messages are not received, so that waiters have to poll. */
	private final AtomicBoolean notReceiving = new AtomicBoolean();

	/** Whether the next wake-up of the waiters is planned for that reason. */
	private final AtomicBoolean polling = new AtomicBoolean();

	/** How often the waiters were woken for that reason. */
	private final AtomicInteger wakeUps = new AtomicInteger();

	/** Whether the next probe is planned, for when there is a connection. */
	private final AtomicBoolean probing = new AtomicBoolean();

	/** Whether to try once to subscribe, although there is no watcher yet. */
	private volatile boolean expected;

	/** So that failures in a row are logged once. */
	private volatile boolean failed;

	private volatile @Nullable StatefulRedisPubSubConnection<byte[], byte[]> subscription;

	private volatile @Nullable RedisFuture<String> pong;

	private volatile long pingedAt;

	LockPubSub(RedisConnections connections, LettuceConnector connector, String name) {
		this(connections, connector, name, LockPubSub::onOwnThread);
	}

	/**
	 * Creates a channel.
	 * @param connector the connection to publish over
	 * @param threads where to block
	 */
	LockPubSub(RedisConnections connections, LettuceConnector connector, String name, Executor threads) {
		this.connections = connections;
		this.connector = connector;
		this.name = bytes(name);
		this.threads = threads;
	}

	byte[] name() {
		return this.name;
	}

	/** Returns the name of this instance of the application in the channel. */
	byte[] instance() {
		return this.instance;
	}

	/** Runs the action whenever the lock is released for others. */
	void watch(byte[] lock, Runnable action) {
		this.watchers.put(ByteBuffer.wrap(lock), action);
		poll();
	}

	void unwatch(byte[] lock, Runnable action) {
		this.watchers.remove(ByteBuffer.wrap(lock), action);
	}

	/** Subscribes when it is opened. */
	void expectWatchers() {
		this.expected = true;
	}

	/**
	 * Subscribes unless there is a subscription that works. Connecting blocks, so another
	 * thread does it.
	 */
	void subscribe() {
		StatefulRedisPubSubConnection<byte[], byte[]> current = this.subscription;
		if ((current == null || isLost(current) || isSilent(current)) && this.subscribing.compareAndSet(false, true)) {
			try {
				this.threads.execute(() -> replace(current));
			}
			catch (Throwable ex) {
				this.subscribing.set(false);
				logger.warn("No thread for the subscription to channel %s: waiters poll meanwhile"
					.formatted(text(this.name)), ex);
			}
		}
	}

	private static void onOwnThread(Runnable task) {
		Thread thread = new Thread(task, "lock-redis-subscribe");
		thread.setDaemon(true);
		thread.start();
	}

	/** Returns whether the driver will not open the connection again. */
	private static boolean isLost(StatefulRedisPubSubConnection<byte[], byte[]> current) {
		boolean closed = current instanceof RedisChannelHandler<?, ?> connection && connection.isClosed();
		return closed || (!current.isOpen() && !current.getOptions().isAutoReconnect());
	}

	private boolean isSilent(StatefulRedisPubSubConnection<byte[], byte[]> current) {
		long now = System.nanoTime();
		RedisFuture<String> last = this.pong;
		if (last != null && now - this.pingedAt < PATIENCE_NANOS) {
			return false;
		}
		if (last != null && !last.isDone()) {
			return true;
		}
		this.pingedAt = now;
		this.pong = current.async().ping();
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
				this.pong = null;
				this.subscription = connection;
				this.failed = false;
				close(old);
			}
			catch (RuntimeException ex) {
				if (!this.failed) {
					logger.warn("No subscription to channel %s: waiters poll every %d ms meanwhile"
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
			this.received = true;
			this.notReceiving.set(false);
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
		probe();
	}

	/**
	 * Publishes a message that only this instance takes. Where publishing is forbidden,
	 * or where messages go to another shard than the subscription is on, no instance
	 * would be notified of a release.
	 */
	private void probe() {
		RedisClusterAsyncCommands<byte[], byte[]> redis = this.connector.openOrConnect();
		if (redis == null) {
			probeLater();
		}
		else {
			this.received = false;
			publish(redis, join(this.instance, NOTHING), () -> this.connector.after(ECHO_MILLIS, this::checkReceived));
		}
	}

	private void probeLater() {
		if (this.open && this.probing.compareAndSet(false, true)) {
			boolean planned = this.connector.after(TRY_AGAIN_MILLIS, () -> {
				this.probing.set(false);
				if (this.open) {
					probe();
				}
			});
			if (!planned) {
				this.probing.set(false);
			}
		}
	}

	/**
	 * A machine that stood still may not have read the message yet. It is read before the
	 * answer to a {@code PING} over the same connection. A subscription that does not
	 * answer is replaced, and the next one probed.
	 */
	private void checkReceived() {
		StatefulRedisPubSubConnection<byte[], byte[]> current = this.subscription;
		if (!this.received && current != null) {
			current.async().ping().whenComplete((pong, failure) -> {
				if (!this.received && failure == null) {
					notReceiving("a message did not arrive", null);
				}
			});
		}
	}

	private void publish(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[] message, Runnable published) {
		try {
			redis.publish(this.name, message).whenComplete((receivers, failure) -> {
				if (failure == null) {
					published.run();
				}
				else if (failure instanceof RedisCommandExecutionException) {
					notReceiving("publishing is refused", failure);
				}
			});
		}
		catch (RuntimeException ex) {
			logger.debug("Not published", ex);
		}
	}

	private void notReceiving(String why, @Nullable Throwable failure) {
		if (this.notReceiving.compareAndSet(false, true)) {
			logger.warn(
					"No message about released locks is received through channel %s, since %s: waiters poll every %d ms"
						.formatted(text(this.name), why, TRY_AGAIN_MILLIS),
					failure);
		}
		poll();
	}

	/**
	 * If a wake-up is planned already it does nothing, so that there is one loop. It ends
	 * without waiters, and begins again with the next one.
	 */
	private void poll() {
		if (this.notReceiving.get() && this.open && !this.watchers.isEmpty()
				&& this.polling.compareAndSet(false, true)) {
			boolean planned = this.connector.after(TRY_AGAIN_MILLIS, () -> {
				this.polling.set(false);
				wakeAll();
				if (this.wakeUps.incrementAndGet() % WAKE_UPS_PER_PROBE == 0) {
					probe();
				}
				poll();
			});
			if (!planned) {
				this.polling.set(false);
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
