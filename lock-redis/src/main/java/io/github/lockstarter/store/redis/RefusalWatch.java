package io.github.lockstarter.store.redis;

import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Replaces a connection to a server that answers, but no longer serves this client: it
 * has become a replica, does not accept the credentials, or loads its data for long.
 * Another server may have taken over behind the same address, or the password may have
 * changed, while the connection remains open. For the new connection, the address is
 * resolved and the credentials are read again.
 * <p>
 * A connection is replaced at most once a second. The commands in flight on it fail.
 */
final class RefusalWatch {

	private static final AsyncLog logger = new AsyncLog(RefusalWatch.class);

	/**
	 * A script may precede the error code with the place of the error. A master without
	 * enough replicas may have been replaced by one of them.
	 */
	private static final Pattern REFUSAL = Pattern
		.compile("(?:^|[ -])(READONLY|NOAUTH|WRONGPASS|MASTERDOWN|MOVED|NOREPLICAS|LOADING) ");

	/**
	 * The errors that concern the connection itself. The driver follows the masters of a
	 * cluster, so the other errors do not call for another connection to all of them.
	 */
	private static final Set<String> OF_CONNECTION = Set.of("READONLY", "NOAUTH", "WRONGPASS");

	/** A server that restarts normally is not left for this time. */
	private static final long LONG_LOADING_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final long BETWEEN_REPLACEMENTS_MILLIS = 1000;

	/** After a time without refusals, the next one is logged again. */
	private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final RedisConnections connections;

	private final LettuceConnector connector;

	private final DriverTimer timer;

	private final Executor threads;

	/** Whether a connection is being replaced, or was within the last second. */
	private final AtomicBoolean replacing = new AtomicBoolean();

	/** The last refusals, if there were any. */
	private @Nullable Refusals refusals;

	/**
	 * Creates a watch.
	 * @param threads runs blocking tasks
	 */
	RefusalWatch(RedisConnections connections, LettuceConnector connector, DriverTimer timer, Executor threads) {
		this.connections = connections;
		this.connector = connector;
		this.timer = timer;
		this.threads = threads;
	}

	/**
	 * Considers the failure of a command.
	 * @param redis the current connection
	 * @return whether the server refuses to serve this client
	 */
	boolean consider(RedisClusterAsyncCommands<byte[], byte[]> redis, Throwable failure) {
		Matcher refusal = (failure instanceof RedisCommandExecutionException)
				? REFUSAL.matcher(String.valueOf(failure.getMessage())) : null;
		if (refusal == null || !refusal.find()) {
			return false;
		}
		String code = refusal.group(1);
		if (this.connections.isClustered() && !OF_CONNECTION.contains(code)) {
			return true;
		}
		Refusals known = add(code);
		boolean patient = code.equals("LOADING") && known.loadingNanos() < LONG_LOADING_NANOS;
		if (!patient && this.replacing.compareAndSet(false, true)) {
			try {
				this.threads.execute(() -> replace(redis, known, failure));
			}
			catch (Throwable ex) {
				logger.debug("No thread could be started to connect to Redis", ex);
				allowLater();
			}
		}
		return true;
	}

	private synchronized Refusals add(String code) {
		long now = System.nanoTime();
		Refusals known = this.refusals;
		if (known == null || now - known.last > QUIET_NANOS) {
			known = new Refusals();
			this.refusals = known;
		}
		known.last = now;
		if (code.equals("LOADING") && known.loadingSince == 0) {
			known.loadingSince = now;
		}
		return known;
	}

	private void replace(RedisClusterAsyncCommands<byte[], byte[]> redis, Refusals refusals, Throwable failure) {
		try {
			boolean replaced = this.connections.replace(redis, () -> true);
			if (refusals.logged.compareAndSet(false, true)) {
				logger.warn(replaced
						? "Redis answered '%s'. The connection was replaced, and will be until commands succeed: the address is resolved and the credentials are read again each time"
							.formatted(failure.getMessage())
						: "Redis answers '%s', and the connection cannot be replaced because it belongs to the application, whose client does not know the current master: locks are unavailable until the application replaces it"
							.formatted(failure.getMessage()));
			}
			if (replaced) {
				this.connector.replaced();
			}
		}
		catch (Throwable ex) {
			// Includes an Error: otherwise no connection would ever be replaced again.
			if (refusals.logged.compareAndSet(false, true)) {
				logger.warn(
						"Redis answers '%s', and no other connection can be opened yet".formatted(failure.getMessage()),
						ex);
			}
		}
		finally {
			allowLater();
		}
	}

	private void allowLater() {
		this.timer.afterOrNow(BETWEEN_REPLACEMENTS_MILLIS, () -> this.replacing.set(false));
	}

	/**
	 * Refusals without a long time between two of them.
	 */
	private static final class Refusals {

		private volatile long last;

		/** The time of the first answer that the server loads its data, or 0. */
		private volatile long loadingSince;

		private final AtomicBoolean logged = new AtomicBoolean();

		long loadingNanos() {
			return this.last - this.loadingSince;
		}

	}

}
