package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Replaces a connection that has fallen silent for good although Redis accepts others, as
 * when a firewall has forgotten it. The driver itself would notice nothing as long as the
 * connection is not closed.
 * <p>
 * When a call is not answered in time, a {@code PING} is sent. If that is not answered
 * either, another connection is opened, and takes the place of the silent one if that has
 * still not answered by then. Where Redis does not answer over a new connection either,
 * the old one stays.
 * <p>
 * A connection that cannot be replaced is logged once, and used on: what it is sent is
 * bounded by the driver alone.
 */
final class SilenceWatch {

	private static final AsyncLog logger = new AsyncLog(SilenceWatch.class);

	private static final long SHORTEST_PATIENCE_MILLIS = 2000;

	/** What the answer to a {@code PING} may take longer than the command before it. */
	private static final long MARGIN_MILLIS = 1000;

	private final RedisConnections connections;

	private final LettuceConnector connector;

	/** The time after which a {@code PING} must have been answered. */
	private final long patienceMillis;

	private final AtomicBoolean watching = new AtomicBoolean();

	private volatile boolean silent;

	/** A connection that was silent and cannot be replaced. */
	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> irreplaceable;

	/**
	 * Creates a watch.
	 * @param longestWait how long one {@code WAIT} may delay a {@code PING} after it
	 */
	SilenceWatch(RedisConnections connections, LettuceConnector connector, Duration longestWait) {
		this.connections = connections;
		this.connector = connector;
		this.patienceMillis = Math.max(SHORTEST_PATIENCE_MILLIS, longestWait.toMillis() + MARGIN_MILLIS);
	}

	/**
	 * Watches the connection from now on until it has answered or is replaced, unless it
	 * is known that it cannot be.
	 */
	void suspect(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		if (redis != this.irreplaceable && this.watching.compareAndSet(false, true)) {
			ask(redis);
		}
	}

	/** Returns whether there is no point in sending anything over the connection. */
	boolean isSilent() {
		return this.silent;
	}

	private void ask(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		try {
			RedisFuture<String> pong = redis.ping();
			pong.whenComplete((reply, failure) -> {
				if (isAnswer(failure)) {
					this.silent = false;
				}
			});
			judgeLater(redis, pong);
		}
		catch (Throwable ex) {
			// It has been closed.
			end();
		}
	}

	private void judgeLater(RedisClusterAsyncCommands<byte[], byte[]> redis, RedisFuture<String> pong) {
		if (!this.connector.after(this.patienceMillis, () -> judge(redis, pong))) {
			end();
		}
	}

	private void judge(RedisClusterAsyncCommands<byte[], byte[]> redis, RedisFuture<String> pong) {
		this.silent = true;
		if (isAnswered(pong) || !this.connector.isCurrent(redis)) {
			end();
			return;
		}
		try {
			this.connector.runOnThread(() -> replace(redis, pong));
		}
		catch (Throwable ex) {
			logger.debug("No thread to connect to Redis on", ex);
			judgeLater(redis, pong);
		}
	}

	private void replace(RedisClusterAsyncCommands<byte[], byte[]> redis, RedisFuture<String> pong) {
		try {
			if (this.connections.replace(redis, () -> !isAnswered(pong))) {
				logger.warn("A connection to Redis did not answer any more, so another has taken its place");
				this.connector.connect().whenComplete((another, failure) -> end());
				return;
			}
			if (!isAnswered(pong) && this.connector.isCurrent(redis)) {
				logger.warn("A connection to Redis did not answer any more, and cannot be replaced: requests are sent"
						+ " over it nevertheless, and fail until it answers or is closed."
						+ " Set SocketOptions.tcpUserTimeout in the options of its client,"
						+ " so that the operating system closes a connection that is silent");
				this.irreplaceable = redis;
				end();
				return;
			}
		}
		catch (Throwable ex) {
			// An Error, too: nobody else would judge the connection again.
			logger.debug("No other connection to Redis", ex);
		}
		if (pong.isDone()) {
			// Otherwise an answer would not be noticed.
			ask(redis);
		}
		else {
			judgeLater(redis, pong);
		}
	}

	private void end() {
		this.silent = false;
		this.watching.set(false);
	}

	private static boolean isAnswered(RedisFuture<String> pong) {
		return pong.isDone() && pong.handle((reply, failure) -> isAnswer(failure)).toCompletableFuture().join();
	}

	/** An error is an answer; that the driver does not expect one any more is none. */
	private static boolean isAnswer(@Nullable Throwable failure) {
		return !(failure instanceof RedisCommandTimeoutException);
	}

}
