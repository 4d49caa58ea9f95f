package io.github.lockstarter.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;

import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisDeployment;
import io.github.lockstarter.testing.TestRedis;

/**
 * New connections, with the settings of the auto-configuration.
 */
public final class TestConnections {

	private TestConnections() {
	}

	/** Returns connections to the shared Redis. */
	public static RedisConnections create() {
		return to(TestRedis.host(), TestRedis.port());
	}

	/** Returns connections to a server. */
	public static RedisConnections to(String host, int port) {
		return to(RedisURI.create(host, port));
	}

	/** Returns connections to a server. */
	public static RedisConnections to(RedisURI server) {
		RedisClient client = RedisClient.create(TestRedis.newResources());
		client.setOptions(ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).build());
		return LettuceConnections.to(client, server);
	}

	/** Returns connections to servers that replace each other. */
	public static RedisConnections to(RedisDeployment servers) {
		return (servers instanceof LocalCluster cluster) ? LettuceConnections.to(cluster.newClient())
				: to(((LocalSentinel) servers).uri());
	}

}
