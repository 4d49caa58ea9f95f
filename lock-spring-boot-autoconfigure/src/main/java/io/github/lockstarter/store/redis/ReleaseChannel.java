package io.github.lockstarter.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisFuture;
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

	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

	private final Map<ByteBuffer, Runnable> watchers = new ConcurrentHashMap<>();

	private final AtomicBoolean subscribing = new AtomicBoolean();

	private final RedisConnections connections;

	private final byte[] name;

	private final byte[] instance = bytes(UUID.randomUUID().toString());

	private volatile boolean open = true;

	/** Whether to try once to subscribe, although nobody watches yet. */
	private volatile boolean expected;

	/** So that one failure after the other is logged once. */
	private volatile boolean failed;

	private volatile @Nullable StatefulRedisPubSubConnection<byte[], byte[]> subscription;

	private volatile @Nullable RedisFuture<String> signOfLife;

	private volatile long askedForIt;

	ReleaseChannel(RedisConnections connections, String name) {
		this.connections = connections;
		this.name = bytes(name);
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
			Thread thread = new Thread(() -> replace(current), "lock-redis-subscribe");
			thread.setDaemon(true);
			thread.start();
		}
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
		this.subscribing.set(false);
		if (!this.open) {
			close();
		}
		else if (isNeeded() && this.subscription == null) {
			subscribe();
		}
	}

	private boolean isNeeded() {
		return this.expected || !this.watchers.isEmpty();
	}

	@Override
	public void message(byte[] channel, byte[] message) {
		String text = text(message);
		if (!text.startsWith(text(this.instance))) {
			byte[] lock = bytes(text.substring(text.indexOf(' ') + 1));
			Runnable action = this.watchers.get(ByteBuffer.wrap(lock));
			if (action != null) {
				action.run();
			}
		}
	}

	@Override
	public void subscribed(byte[] channel, long count) {
		wakeAll();
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
