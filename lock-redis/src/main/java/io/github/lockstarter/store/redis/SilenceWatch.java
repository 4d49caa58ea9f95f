package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Replaces a connection that no longer receives answers although Redis accepts other
 * connections, for example after a firewall has dropped it. The driver itself does not
 * detect this as long as the connection is not closed.
 * <p>
 * When a call times out, a {@code PING} is sent. If it is not answered either, another
 * connection is opened. It replaces the silent one if that one has still not answered. If
 * Redis does not answer over the new connection either, the old one is kept.
 * <p>
 * A connection that cannot be replaced is logged once, and remains in use: only the
 * driver then bounds the commands that are queued for it.
 */
final class SilenceWatch {

	private static final AsyncLog logger = new AsyncLog(SilenceWatch.class);

	private static final long SHORTEST_PATIENCE_MILLIS = 2000;

	/**
	 * The additional time for the answer to a {@code PING} after that to the command
	 * before it.
	 */
	private static final long MARGIN_MILLIS = 1000;

	private final RedisConnections connections;

	private final LettuceConnector connector;

	private final DriverTimer timer;

	private final Executor threads;

	/** The time after which a {@code PING} must have been answered. */
	private final long patienceMillis;

	private final AtomicBoolean watching = new AtomicBoolean();

	/** A connection that was silent and cannot be replaced. */
	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> irreplaceable;

	/**
	 * Creates a watch.
	 * @param threads runs blocking tasks
	 * @param longestWait the longest time for which one {@code WAIT} may delay a
	 * {@code PING} after it
	 */
	SilenceWatch(RedisConnections connections, LettuceConnector connector, DriverTimer timer, Executor threads,
			Duration longestWait) {
		this.connections = connections;
		this.connector = connector;
		this.timer = timer;
		this.threads = threads;
		this.patienceMillis = Math.max(SHORTEST_PATIENCE_MILLIS, longestWait.toMillis() + MARGIN_MILLIS);
	}

	/**
	 * Watches the connection from now on until it has answered or is replaced, unless it
	 * is known that it cannot be replaced.
	 */
	void suspect(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		if (redis != this.irreplaceable && this.watching.compareAndSet(false, true)) {
			ask(redis);
		}
	}

	private void ask(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		try {
			RedisFuture<String> pong = redis.ping();
			pong.whenComplete((reply, failure) -> {
				if (isAnswer(failure)) {
					this.connector.resume();
				}
			});
			judgeLater(redis, pong);
		}
		catch (Throwable ex) {
			// The connection has been closed.
			end();
		}
	}

	private void judgeLater(RedisClusterAsyncCommands<byte[], byte[]> redis, RedisFuture<String> pong) {
		if (!this.timer.afterReading(this.patienceMillis, () -> judge(redis, pong))) {
			end();
		}
	}

	private void judge(RedisClusterAsyncCommands<byte[], byte[]> redis, RedisFuture<String> pong) {
		this.connector.pause();
		if (isAnswered(pong) || !this.connector.isCurrent(redis)) {
			end();
			return;
		}
		try {
			this.threads.execute(() -> replace(redis, pong));
		}
		catch (Throwable ex) {
			logger.debug("No thread could be started to connect to Redis", ex);
			judgeLater(redis, pong);
		}
	}

	private void replace(RedisClusterAsyncCommands<byte[], byte[]> redis, RedisFuture<String> pong) {
		try {
			if (this.connections.replace(redis, () -> !isAnswered(pong))) {
				logger.warn("A connection to Redis no longer answered, and was replaced");
				this.connector.replaced().whenComplete((another, failure) -> end());
				return;
			}
			if (!isAnswered(pong) && this.connector.isCurrent(redis)) {
				logger.warn("A connection to Redis no longer answers, and cannot be replaced: commands are sent"
						+ " over it nevertheless, and fail until it answers or is closed."
						+ " Set SocketOptions.tcpUserTimeout in the options of its client,"
						+ " so that the operating system closes a connection that is silent");
				this.irreplaceable = redis;
				end();
				return;
			}
		}
		catch (Throwable ex) {
			// Includes an Error: otherwise the connection would never be checked again.
			logger.debug("No other connection to Redis", ex);
		}
		if (pong.isDone()) {
			// Otherwise a late answer would not be noticed.
			ask(redis);
		}
		else {
			judgeLater(redis, pong);
		}
	}

	private void end() {
		this.connector.resume();
		this.watching.set(false);
	}

	/** Returns whether the server has answered, if only with an error. */
	static boolean isAnswered(RedisFuture<String> pong) {
		return pong.isDone() && pong.handle((reply, failure) -> isAnswer(failure)).toCompletableFuture().join();
	}

	/** An error is an answer. The end of the driver's wait for one is not. */
	private static boolean isAnswer(@Nullable Throwable failure) {
		return !(failure instanceof RedisCommandTimeoutException);
	}

}
