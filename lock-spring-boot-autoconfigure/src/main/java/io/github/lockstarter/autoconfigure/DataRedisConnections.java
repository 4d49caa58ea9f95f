package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Creates connections that belong to the library, to the address that
 * {@code spring.data.redis.*} or a service connection configures. Settings for the
 * commands of the application are ignored: {@code timeout}, {@code lettuce.read-from},
 * the pool and the client type.
 */
final class DataRedisConnections {

	private static final int LARGEST_PORT = 65_535;

	private final DataRedisProperties properties;

	private final DataRedisConnectionDetails details;

	DataRedisConnections(DataRedisProperties properties, DataRedisConnectionDetails details) {
		this.properties = properties;
		this.details = details;
	}

	/**
	 * Creates the connections. The client is created, and each connection is opened, on
	 * first use. Invalid settings fail here.
	 */
	RedisConnections create(RedisCustomizers customizers) {
		RedisClientSettings settings = RedisClientSettings.of(this.properties, this.details, customizers);
		DataRedisConnectionDetails.Sentinel sentinel = this.details.getSentinel();
		DataRedisConnectionDetails.Cluster cluster = (sentinel == null) ? this.details.getCluster() : null;
		if (cluster != null) {
			return LettuceConnections
				.toCluster(clusterClient(settings, address(() -> uris(settings, cluster.getNodes()))));
		}
		DataRedisConnectionDetails.MasterReplica masterReplica = (sentinel == null) ? this.details.getMasterReplica()
				: null;
		if (masterReplica != null) {
			return LettuceConnections.to(client(settings), address(() -> uris(settings, masterReplica.getNodes())));
		}
		RedisURI server = address(() -> (sentinel != null) ? uri(settings, sentinel)
				: uri(settings, Objects.requireNonNull(this.details.getStandalone())));
		return LettuceConnections.to(client(settings), server);
	}

	/**
	 * Returns an address. The message of a failure to read it is dropped, because it may
	 * contain a password.
	 */
	static <T> T address(Supplier<T> address) {
		try {
			return address.get();
		}
		catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException ex) {
			throw invalid(
					"a node is host:port, no host is empty, and sentinels have nodes and the name of their master");
		}
	}

	private Supplier<RedisClusterClient> clusterClient(RedisClientSettings settings, List<RedisURI> servers) {
		ClusterClientOptions options = settings.clusterOptions(this.properties.getCluster());
		return () -> {
			RedisClusterClient client = RedisClusterClient.create(settings.resources().get(), servers);
			client.setOptions(options);
			return client;
		};
	}

	private static Supplier<RedisClient> client(RedisClientSettings settings) {
		return () -> {
			RedisClient client = RedisClient.create(settings.resources().get());
			client.setOptions(settings.options());
			return client;
		};
	}

	private static RedisURI uri(RedisClientSettings settings, DataRedisConnectionDetails.Standalone server) {
		if (server.getDatabase() < 0) {
			throw invalid("the database must be at least 0, not %d".formatted(server.getDatabase()));
		}
		return at(settings.toServer(), server.getHost(), server.getPort()).withDatabase(server.getDatabase()).build();
	}

	private static List<RedisURI> uris(RedisClientSettings settings, List<Node> nodes) {
		return nodes.stream().map((node) -> at(settings.toServer(), node.host(), node.port()).build()).toList();
	}

	private static RedisURI uri(RedisClientSettings settings, DataRedisConnectionDetails.Sentinel sentinel) {
		RedisURI.Builder master = settings.toServer().withSentinelMasterId(sentinel.getMaster());
		for (Node node : sentinel.getNodes()) {
			master.withSentinel(at(settings.toSentinel(), node.host(), node.port()).build());
		}
		return master.withDatabase(sentinel.getDatabase()).build();
	}

	/** A URL in place of a host would be printed as one, with its password. */
	private static RedisURI.Builder at(RedisURI.Builder uri, String host, int port) {
		boolean withPort = host.indexOf(':') >= 0 && host.indexOf(':') == host.lastIndexOf(':');
		if (withPort || host.indexOf('@') >= 0 || host.indexOf('/') >= 0) {
			throw invalid("a host is a name or an address without a port, and in a URL, a name has no underscore");
		}
		if (port < 1 || port > LARGEST_PORT) {
			throw invalid("the port must be from 1 to %d, not %d".formatted(LARGEST_PORT, port));
		}
		return uri.withHost(host).withPort(port);
	}

	/** An address is not part of the reason, because it may contain a password. */
	private static LockConfigurationException invalid(String reason) {
		return new LockConfigurationException(
				"spring.data.redis.* has no valid address of Redis: %s.".formatted(reason),
				"Correct spring.data.redis.*, or choose another store.");
	}

}
