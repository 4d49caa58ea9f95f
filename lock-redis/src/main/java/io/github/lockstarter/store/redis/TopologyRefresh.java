package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Makes the driver refresh its list of the masters of a cluster, at most once a second.
 * The driver does so itself only when a connection breaks. The connection to a server
 * that is unresponsive or cut off does not break, and the driver would wait for the reply
 * of that server, too, for the timeout of a command: 60 s.
 */
final class TopologyRefresh {

	private static final long BETWEEN_REFRESHES_MILLIS = 1000;

	private final RedisConnections connections;

	private final DriverTimer timer;

	private final Duration timeout;

	/** Whether the driver refreshes the list, or has done so within the last second. */
	private final AtomicBoolean refreshing = new AtomicBoolean();

	/**
	 * Creates a refresh.
	 * @param timeout the longest time to wait for the reply of a server
	 */
	TopologyRefresh(RedisConnections connections, DriverTimer timer, Duration timeout) {
		this.connections = connections;
		this.timer = timer;
		this.timeout = timeout;
	}

	/**
	 * Refreshes the list without waiting for it, unless it has just been refreshed. Runs
	 * on the driver's timer.
	 * @param connection an open connection: without one there is no list yet, and the
	 * client would block to create it
	 */
	void begin(StatefulRedisClusterConnection<byte[], byte[]> connection) {
		if (this.refreshing.compareAndSet(false, true)) {
			try {
				connection.getPartitions().forEach((node) -> node.getUri().setTimeout(this.timeout));
				((RedisClusterClient) this.connections.client()).refreshPartitionsAsync()
					.whenComplete((done, failure) -> allowLater());
			}
			catch (Throwable ex) {
				allowLater();
			}
		}
	}

	private void allowLater() {
		this.timer.afterOrNow(BETWEEN_REFRESHES_MILLIS, () -> this.refreshing.set(false));
	}

}
