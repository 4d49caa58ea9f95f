package io.github.lockstarter.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Hears of released locks. There is one subscription, made when somebody waits for the
 * first time, and kept by the driver over reconnects. Whoever watches is woken, too, each
 * time it has been made, for what happened before, and repeatedly while it cannot be.
 */
final class ReleaseChannel implements MessageListener, SubscriptionListener {

	private static final Log logger = LogFactory.getLog(ReleaseChannel.class);

	private static final long TRY_AGAIN_MILLIS = 100;

	private final Map<ByteBuffer, Runnable> watchers = new ConcurrentHashMap<>();

	private final AtomicBoolean subscribing = new AtomicBoolean();

	private final RedisConnectionFactory factory;

	private final byte[] name;

	private final byte[] instance = bytes(UUID.randomUUID().toString());

	private volatile boolean open = true;

	/** Whether to try once to subscribe, although nobody watches yet. */
	private volatile boolean expected;

	/** So that one failure after the other is logged once. */
	private volatile boolean failed;

	private volatile @Nullable RedisConnection subscription;

	ReleaseChannel(RedisConnectionFactory factory, String name) {
		this.factory = factory;
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
		if (this.subscription == null && this.subscribing.compareAndSet(false, true)) {
			Thread thread = new Thread(this::subscribeWhileWatched, "lock-redis-subscribe");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private void subscribeWhileWatched() {
		while (this.open && this.subscription == null && isNeeded()) {
			this.expected = false;
			RedisConnection connection = null;
			try {
				connection = this.factory.getConnection();
				connection.subscribe(this, this.name);
				this.subscription = connection;
				this.failed = false;
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
		else if (isNeeded()) {
			subscribe();
		}
	}

	private boolean isNeeded() {
		return this.expected || !this.watchers.isEmpty();
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		String text = text(message.getBody());
		if (!text.startsWith(text(this.instance))) {
			byte[] lock = bytes(text.substring(text.indexOf(' ') + 1));
			Runnable action = this.watchers.get(ByteBuffer.wrap(lock));
			if (action != null) {
				action.run();
			}
		}
	}

	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
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

	private static void close(@Nullable RedisConnection connection) {
		if (connection != null) {
			connection.close();
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
