package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.function.Supplier;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * A connection that many calls share, and what keeps it usable.
 *
 * @param connector opens the connection
 * @param timer schedules further attempts
 * @param threads run what blocks
 * @param timeouts end the calls that take too long
 * @param watch replaces the connection when calls time out or commands fail
 */
record WatchedConnection(LettuceConnector connector, DriverTimer timer, ConnectingThreads threads,
		CallTimeouts timeouts, ConnectionWatch watch) {

	/**
	 * Creates a connection, which is opened on first use.
	 * @param opened returns the commands of the connection, and connects first if
	 * necessary, which blocks
	 * @param timeout the timeout of a call
	 * @param longestWait the longest time for which one {@code WAIT} may delay the
	 * commands after it
	 */
	static WatchedConnection of(RedisConnections connections,
			Supplier<RedisClusterAsyncCommands<byte[], byte[]>> opened, Duration timeout, Duration longestWait) {
		DriverTimer timer = new DriverTimer(connections);
		ConnectingThreads threads = new ConnectingThreads();
		LettuceConnector connector = new LettuceConnector(connections, opened, timer, threads);
		ConnectionWatch watch = new ConnectionWatch(connector,
				new SilenceWatch(connections, connector, timer, threads, longestWait),
				new RefusalWatch(connections, connector, timer, threads),
				new TopologyRefresh(connections, timer, timeout));
		CallTimeouts timeouts = new CallTimeouts(timeout, timer, connector.firstAttempt(), watch::timedOut);
		return new WatchedConnection(connector, timer, threads, timeouts, watch);
	}

}
