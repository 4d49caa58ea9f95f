package io.github.lockstarter.store.redis;

import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * Publishes messages about released locks, and probes whether they are received. If
 * publishing is forbidden, or messages go to another shard than the subscription, no
 * instance is notified of a release: waiters then poll.
 */
final class ReleasePublisher {

	private static final AsyncLog logger = new AsyncLog(ReleasePublisher.class);

	private static final long RETRY_MILLIS = 100;

	/** The time after which a message that was published must have been received. */
	private static final long ECHO_MILLIS = 1000;

	private final LettuceConnector connector;

	private final DriverTimer timer;

	private final ReleaseChannel channel;

	private final ReleaseSubscription subscription;

	private final ReleasePolling polling;

	/** Whether a message of this instance has been received since the last probe. */
	private volatile boolean received;

	/** Whether the next probe is scheduled, for when there is a connection. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Creates a publisher.
	 * @param connector the connection for publishing
	 * @param timer schedules probes
	 * @param polling is started and stopped as messages are received
	 */
	ReleasePublisher(LettuceConnector connector, DriverTimer timer, ReleaseChannel channel,
			ReleaseSubscription subscription, ReleasePolling polling) {
		this.connector = connector;
		this.timer = timer;
		this.channel = channel;
		this.subscription = subscription;
		this.polling = polling;
	}

	void publish(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[] message) {
		publish(redis, message, () -> {
		});
	}

	private void publish(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[] message, Runnable published) {
		try {
			redis.publish(this.channel.name(), message).whenComplete((receivers, failure) -> {
				if (failure == null) {
					published.run();
				}
				else if (failure instanceof RedisCommandExecutionException) {
					this.polling.start("Redis refuses PUBLISH", failure);
				}
			});
		}
		catch (Throwable ex) {
			logger.debug("Not published", ex);
		}
	}

	/** Publishes the echo, now or when there is a connection. */
	void probe() {
		RedisClusterAsyncCommands<byte[], byte[]> redis = this.connector.openOrConnect();
		if (redis == null) {
			probeLater();
		}
		else {
			this.received = false;
			publish(redis, this.channel.echo(), () -> this.timer.after(ECHO_MILLIS, this::checkReceived));
		}
	}

	private void probeLater() {
		if (this.subscription.isOpen() && this.scheduled.compareAndSet(false, true)
				&& !this.timer.after(RETRY_MILLIS, this::probeAgain)) {
			this.scheduled.set(false);
		}
	}

	private void probeAgain() {
		this.scheduled.set(false);
		if (this.subscription.isOpen()) {
			probe();
		}
	}

	/** Records that a message of this instance has been received. */
	void received() {
		this.received = true;
		this.polling.stop();
	}

	/**
	 * A machine that was suspended may not have read the message yet. The message is read
	 * before the answer to a {@code PING} over the same connection. A subscription that
	 * does not answer is replaced, and the next one is probed.
	 */
	private void checkReceived() {
		RedisFuture<String> pong = this.received ? null : this.subscription.ping();
		if (pong != null) {
			pong.whenComplete((reply, failure) -> {
				if (!this.received && failure == null) {
					this.polling.start("a test message did not arrive", null);
				}
			});
		}
	}

}
