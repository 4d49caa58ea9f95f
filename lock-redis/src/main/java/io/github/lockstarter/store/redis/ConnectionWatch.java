package io.github.lockstarter.store.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * Decides what a call that has timed out, or a command that has failed, says about the
 * connection.
 */
final class ConnectionWatch {

	private final LettuceConnector connector;

	private final SilenceWatch silence;

	private final RefusalWatch refusals;

	private final TopologyRefresh topology;

	ConnectionWatch(LettuceConnector connector, SilenceWatch silence, RefusalWatch refusals, TopologyRefresh topology) {
		this.connector = connector;
		this.silence = silence;
		this.refusals = refusals;
		this.topology = topology;
	}

	/** Considers a call that has timed out: the server may be silent. */
	void timedOut() {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.connector.current();
		if (current == null) {
			return;
		}
		StatefulConnection<byte[], byte[]> connection = LettuceConnector.connection(current);
		if (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			this.topology.begin(cluster);
		}
		else if (connection.isOpen()) {
			this.silence.suspect(current);
		}
	}

	/**
	 * Considers the failure of a command: the server may no longer serve this client.
	 */
	void failed(Throwable failure) {
		RedisClusterAsyncCommands<byte[], byte[]> current = this.connector.current();
		if (current != null && this.refusals.consider(current, failure) && LettuceConnector
			.connection(current) instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			this.topology.begin(cluster);
		}
	}

}
