package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * The subscription to messages about released locks. It is created for the first waiter,
 * and restored by the driver after reconnections. While it cannot be created, waiters
 * poll.
 * <p>
 * A server that is unresponsive or cut off sends nothing, but the connection does not
 * break. So each poll of a waiter sends a {@code PING} over the subscription. If the
 * previous one has not been answered, the subscription is replaced by one to a server
 * that the driver finds then. A lost subscription is replaced as well, if the driver does
 * not reconnect.
 */
final class ReleaseSubscription {

	private static final AsyncLog logger = new AsyncLog(ReleaseSubscription.class);

	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

	/**
	 * The looks for an answer when the patience is over. In a process that stood still,
	 * the first one lets the {@code PING} be sent, and the others give the server time to
	 * answer. A process that stands still again misses one look.
	 */
	private static final int LAST_LOOKS = 3;

	private static final long LOOK_MILLIS = 100;

	private final Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connect;

	private final DriverTimer timer;

	private final String channel;

	private final ReleaseWatchers watchers;

	private final Executor threads;

	private final AtomicBoolean subscribing = new AtomicBoolean();

	private volatile boolean open = true;

	/** Whether to replace the subscription once more. */
	private volatile boolean again;

	/** Whether to subscribe although there is no watcher yet. */
	private volatile boolean expected;

	/** Whether the last attempt failed, so that consecutive failures are logged once. */
	private volatile boolean failed;

	private volatile @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection;

	private volatile @Nullable RedisFuture<String> pong;

	private volatile long pingedAt;

	/** A {@code PING} whose answer is late, until it is decided whether there is one. */
	private volatile @Nullable RedisFuture<String> judged;

	/**
	 * Creates an instance, which subscribes later.
	 * @param connect opens a connection that passes on the messages, which blocks
	 * @param timer schedules further attempts
	 * @param threads runs blocking tasks
	 */
	ReleaseSubscription(Supplier<StatefulRedisPubSubConnection<byte[], byte[]>> connect, DriverTimer timer,
			String channel, ReleaseWatchers watchers, Executor threads) {
		this.connect = connect;
		this.timer = timer;
		this.channel = channel;
		this.watchers = watchers;
		this.threads = threads;
	}

	/** Subscribes when the channel is opened. */
	void expectWatchers() {
		this.expected = true;
	}

	/**
	 * Subscribes unless there is a working subscription. Connecting blocks, so it is done
	 * on another thread.
	 */
	void subscribe() {
		StatefulRedisPubSubConnection<byte[], byte[]> current = this.connection;
		if (current == null || isLost(current)) {
			beginToReplace(current);
		}
		else {
			ask(current);
		}
	}

	private void beginToReplace(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> old) {
		if (this.subscribing.compareAndSet(false, true)) {
			replaceOnThread(old);
		}
	}

	/** Replaces the subscription if there is one. */
	void resubscribe() {
		StatefulRedisPubSubConnection<byte[], byte[]> current = this.connection;
		if (current != null && this.subscribing.compareAndSet(false, true)) {
			this.expected = true;
			replaceOnThread(current);
		}
		else if (current != null) {
			this.again = true;
		}
	}

	/** Returns whether the driver will not reopen the connection. */
	private static boolean isLost(StatefulRedisPubSubConnection<byte[], byte[]> current) {
		boolean closed = current instanceof RedisChannelHandler<?, ?> connection && connection.isClosed();
		return closed || (!current.isOpen() && !current.getOptions().isAutoReconnect());
	}

	/**
	 * Sends a {@code PING}, unless there was one shortly before. Replaces the
	 * subscription if that one has not been answered.
	 */
	private void ask(StatefulRedisPubSubConnection<byte[], byte[]> current) {
		long now = System.nanoTime();
		RedisFuture<String> last = this.pong;
		if (last != null && now - this.pingedAt < PATIENCE_NANOS) {
			return;
		}
		if (last == null || SilenceWatch.isAnswered(last)) {
			this.pingedAt = now;
			this.pong = current.async().ping();
			return;
		}
		if (this.judged != last) {
			this.judged = last;
			judge(current, last, LAST_LOOKS);
		}
	}

	private void judge(StatefulRedisPubSubConnection<byte[], byte[]> current, RedisFuture<String> last, int looks) {
		if (SilenceWatch.isAnswered(last)) {
			return;
		}
		if (looks == 0) {
			this.judged = null;
			beginToReplace(current);
		}
		else if (!this.timer.afterReading(LOOK_MILLIS, () -> judge(current, last, looks - 1))) {
			this.judged = null;
		}
	}

	private void replaceOnThread(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> old) {
		try {
			this.threads.execute(() -> replace(old));
		}
		catch (Throwable ex) {
			this.subscribing.set(false);
			logger.warn("No thread for the subscription to channel %s: waiters poll meanwhile".formatted(this.channel),
					ex);
		}
	}

	private void replace(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> old) {
		if (this.open && this.connection == old && isNeeded()) {
			this.expected = false;
			try {
				connectInPlaceOf(old);
			}
			catch (Throwable ex) {
				if (!this.failed && this.open) {
					logger.warn("No subscription to channel %s: waiters poll every %d ms meanwhile"
						.formatted(this.channel, ReleasePolling.INTERVAL_MILLIS), ex);
				}
				this.failed = true;
				retryLater(old);
				return;
			}
		}
		this.subscribing.set(false);
		if (!this.open) {
			close();
		}
		else if (this.again) {
			this.again = false;
			resubscribe();
		}
		else if (isNeeded() && this.connection == null) {
			subscribe();
		}
	}

	private void connectInPlaceOf(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> old) {
		StatefulRedisPubSubConnection<byte[], byte[]> another = this.connect.get();
		try {
			another.sync().subscribe(this.channel.getBytes(StandardCharsets.UTF_8));
		}
		catch (Throwable ex) {
			another.closeAsync();
			throw ex;
		}
		this.pong = null;
		this.connection = another;
		this.failed = false;
		close(old);
	}

	private void retryLater(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> old) {
		boolean scheduled = this.timer.after(ReleasePolling.INTERVAL_MILLIS, () -> {
			replaceOnThread(old);
			this.watchers.wakeAll();
		});
		if (!scheduled) {
			this.subscribing.set(false);
		}
	}

	private boolean isNeeded() {
		return this.expected || !this.watchers.isEmpty();
	}

	/**
	 * Sends a {@code PING} over the subscription, if there is one. Messages that Redis
	 * sent before the answer are received before it.
	 */
	@Nullable RedisFuture<String> ping() {
		StatefulRedisPubSubConnection<byte[], byte[]> current = this.connection;
		return (current != null) ? current.async().ping() : null;
	}

	boolean isOpen() {
		return this.open;
	}

	void open() {
		this.open = true;
		if (this.expected) {
			subscribe();
		}
	}

	void close() {
		this.open = false;
		close(this.connection);
		this.connection = null;
	}

	private static void close(@Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection) {
		if (connection != null) {
			connection.closeAsync();
		}
	}

}
