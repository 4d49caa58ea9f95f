package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

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

	/**
	 * The default grows to 30 s: requests would be answered with 503 for that long after
	 * Redis has recovered.
	 */
	private static final Delay RECONNECT_DELAY = Delay.equalJitter(Duration.ofMillis(10), Duration.ofMillis(250), 10,
			TimeUnit.MILLISECONDS);

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
	 * @param resources the application's customizers for all clients of the driver
	 * @param options the application's customizers for all clients of the driver
	 */
	RedisConnections create(List<ClientResourcesBuilderCustomizer> resources,
			List<LettuceClientOptionsBuilderCustomizer> options) {
		DataRedisConnectionDetails.Sentinel sentinel = this.details.getSentinel();
		DataRedisConnectionDetails.Cluster cluster = (sentinel == null) ? this.details.getCluster() : null;
		if (cluster != null) {
			return LettuceConnections
				.toCluster(clusterClient(address(() -> uris(cluster.getNodes())), resources, options));
		}
		DataRedisConnectionDetails.MasterReplica masterReplica = (sentinel == null) ? this.details.getMasterReplica()
				: null;
		if (masterReplica != null) {
			return LettuceConnections.to(client(resources, options), address(() -> uris(masterReplica.getNodes())));
		}
		RedisURI server = address(
				() -> (sentinel != null) ? uri(sentinel) : uri(Objects.requireNonNull(this.details.getStandalone())));
		return LettuceConnections.to(client(resources, options), server);
	}

	/**
	 * Returns an address. The message of a failure to read it is dropped, because it may
	 * contain a password.
	 */
	private static <T> T address(Supplier<T> address) {
		try {
			return address.get();
		}
		catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException ex) {
			throw invalid(
					"a node is host:port, no host is empty, and sentinels have nodes and the name of their master");
		}
	}

	private Supplier<RedisClusterClient> clusterClient(List<RedisURI> servers,
			List<ClientResourcesBuilderCustomizer> resourcesCustomizers,
			List<LettuceClientOptionsBuilderCustomizer> customizers) {
		ClientResources.Builder resources = resources(resourcesCustomizers);
		ClusterClientOptions.Builder builder = clusterOptions();
		apply(customizers, builder);
		ClusterClientOptions options = builder.build();
		return () -> {
			RedisClusterClient client = RedisClusterClient.create(resources.build(), servers);
			client.setOptions(options);
			return client;
		};
	}

	private Supplier<RedisClient> client(List<ClientResourcesBuilderCustomizer> resourcesCustomizers,
			List<LettuceClientOptionsBuilderCustomizer> customizers) {
		ClientResources.Builder resources = resources(resourcesCustomizers);
		ClientOptions.Builder builder = ClientOptions.builder();
		apply(customizers, builder);
		ClientOptions options = builder.build();
		return () -> {
			RedisClient client = RedisClient.create(resources.build());
			client.setOptions(options);
			return client;
		};
	}

	private static ClientResources.Builder resources(List<ClientResourcesBuilderCustomizer> customizers) {
		ClientResources.Builder resources = ClientResources.builder().reconnectDelay(RECONNECT_DELAY);
		customizers.forEach((customizer) -> customizer.customize(resources));
		return resources;
	}

	private RedisURI uri(DataRedisConnectionDetails.Standalone server) {
		if (server.getDatabase() < 0) {
			throw invalid("the database must be at least 0, not %d".formatted(server.getDatabase()));
		}
		return authenticated(uri(server.getHost(), server.getPort())).withDatabase(server.getDatabase()).build();
	}

	private List<RedisURI> uris(List<Node> nodes) {
		return nodes.stream().map((node) -> authenticated(uri(node.host(), node.port())).build()).toList();
	}

	private RedisURI uri(DataRedisConnectionDetails.Sentinel sentinel) {
		RedisURI.Builder master = uri().withSentinelMasterId(sentinel.getMaster());
		for (Node node : sentinel.getNodes()) {
			RedisURI.Builder builder = uri(node.host(), node.port());
			master.withSentinel(authenticated(builder, sentinel::getUsername, sentinel::getPassword).build());
		}
		return authenticated(master).withDatabase(sentinel.getDatabase()).build();
	}

	/** A URL in place of a host would be printed as one, with its password. */
	private RedisURI.Builder uri(String host, int port) {
		boolean withPort = host.indexOf(':') >= 0 && host.indexOf(':') == host.lastIndexOf(':');
		if (withPort || host.indexOf('@') >= 0 || host.indexOf('/') >= 0) {
			throw invalid("a host is a name or an address without a port, and in a URL, a name has no underscore");
		}
		if (port < 1 || port > LARGEST_PORT) {
			throw invalid("the port must be from 1 to %d, not %d".formatted(LARGEST_PORT, port));
		}
		return uri().withHost(host).withPort(port);
	}

	/** An address is not part of the reason, because it may contain a password. */
	private static LockConfigurationException invalid(String reason) {
		return new LockConfigurationException(
				"spring.data.redis.* has no valid address of Redis: %s.".formatted(reason),
				"Correct spring.data.redis.*, or choose another lock.store.");
	}

	private RedisURI.Builder uri() {
		RedisURI.Builder uri = RedisURI.builder();
		if (this.properties.getClientName() != null) {
			uri.withClientName(this.properties.getClientName());
		}
		boolean secure = this.properties.getUrl() != null && this.properties.getUrl().startsWith("rediss:");
		// The time-out also bounds the handshake with a server that accepts the
		// connection and does not answer.
		uri.withTimeout((this.properties.getConnectTimeout() != null) ? this.properties.getConnectTimeout()
				: SocketOptions.DEFAULT_CONNECT_TIMEOUT_DURATION);
		return uri.withSsl(secure || this.details.getSslBundle() != null);
	}

	private RedisURI.Builder authenticated(RedisURI.Builder uri) {
		return authenticated(uri, this.details::getUsername, this.details::getPassword);
	}

	/** The credentials are read for each connection, because they may change. */
	private static RedisURI.Builder authenticated(RedisURI.Builder uri, Supplier<@Nullable String> username,
			Supplier<@Nullable String> password) {
		ImmediateRedisCredentialsProvider provider = () -> {
			String text = password.get();
			return RedisCredentials.just(StringUtils.hasText(username.get()) ? username.get() : null,
					(text != null) ? text.toCharArray() : null);
		};
		return uri.withAuthentication(provider);
	}

	private void apply(List<LettuceClientOptionsBuilderCustomizer> customizers, ClientOptions.Builder options) {
		options.timeoutOptions(TimeoutOptions.enabled());
		if (this.properties.getConnectTimeout() != null) {
			options.socketOptions(SocketOptions.builder().connectTimeout(this.properties.getConnectTimeout()).build());
		}
		SslBundle bundle = this.details.getSslBundle();
		if (bundle != null) {
			options.sslOptions(sslOptions(bundle));
		}
		customizers.forEach((customizer) -> customizer.customize(options));
	}

	private static SslOptions sslOptions(SslBundle bundle) {
		SslOptions.Builder options = SslOptions.builder()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		if (bundle.getOptions().getCiphers() != null) {
			options.cipherSuites(bundle.getOptions().getCiphers());
		}
		if (bundle.getOptions().getEnabledProtocols() != null) {
			options.protocols(bundle.getOptions().getEnabledProtocols());
		}
		return options.build();
	}

	private ClusterClientOptions.Builder clusterOptions() {
		DataRedisProperties.Lettuce.Cluster.Refresh refresh = this.properties.getLettuce().getCluster().getRefresh();
		ClusterTopologyRefreshOptions.Builder topology = ClusterTopologyRefreshOptions.builder()
			.dynamicRefreshSources(refresh.isDynamicRefreshSources());
		if (refresh.getPeriod() != null) {
			topology.enablePeriodicRefresh(refresh.getPeriod());
		}
		ClusterClientOptions.Builder options = ClusterClientOptions.builder().topologyRefreshOptions(topology.build());
		DataRedisProperties.Cluster cluster = this.properties.getCluster();
		if (cluster != null && cluster.getMaxRedirects() != null) {
			options.maxRedirects(cluster.getMaxRedirects());
		}
		return options;
	}

}
