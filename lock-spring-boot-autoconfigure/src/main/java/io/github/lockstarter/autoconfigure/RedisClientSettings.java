package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/**
 * How a client of the driver connects, as the application's own client does: the settings
 * of Spring Boot, and after them the customizers of the application.
 *
 * @param server TLS, credentials and the client name of a connection to a server, without
 * its address
 * @param sentinel the same of a connection to a sentinel
 * @param options the options of the client
 * @param resources makes resources that belong to the client alone
 */
record RedisClientSettings(RedisURI server, RedisURI sentinel, ClientOptions options,
		Supplier<ClientResources> resources) {

	/**
	 * The default grows to 30 s: requests would get status 503 for that long after Redis
	 * has recovered.
	 */
	private static final Delay RECONNECT_DELAY = Delay.equalJitter(Duration.ofMillis(10), Duration.ofMillis(250), 10,
			TimeUnit.MILLISECONDS);

	static RedisClientSettings of(DataRedisProperties properties, DataRedisConnectionDetails details,
			RedisCustomizers customizers) {
		RedisURI server = uri(properties, details);
		server.setCredentialsProvider(credentials(details, details::getUsername, details::getPassword));
		RedisURI sentinel = uri(properties, details);
		sentinel.setCredentialsProvider(
				credentials(details, () -> sentinel(details).getUsername(), () -> sentinel(details).getPassword()));
		RedisClientSettings settings = new RedisClientSettings(server, sentinel,
				options(properties, details, customizers.options()), resources(customizers)::build);
		return customizers.connections().isEmpty() ? settings
				: new CustomizedRedisClient(properties, details).customize(settings, customizers.connections());
	}

	private static RedisURI uri(DataRedisProperties properties, DataRedisConnectionDetails details) {
		RedisURI uri = new RedisURI();
		boolean secure = properties.getUrl() != null && properties.getUrl().startsWith("rediss:");
		uri.setSsl(secure || details.getSslBundle() != null);
		if (StringUtils.hasText(properties.getClientName())) {
			uri.setClientName(properties.getClientName());
		}
		return uri;
	}

	/**
	 * The credentials are read for each connection, because they may change. Those of the
	 * application may come from a server, and are not read on a thread of the driver.
	 */
	private static RedisCredentialsProvider credentials(DataRedisConnectionDetails details,
			Supplier<@Nullable String> username, Supplier<@Nullable String> password) {
		ImmediateRedisCredentialsProvider current = () -> {
			String name = username.get();
			String text = password.get();
			return RedisCredentials.just(StringUtils.hasText(name) ? name : null,
					(text != null) ? text.toCharArray() : null);
		};
		return DataRedisPropertiesDetails.areProperties(details) ? current
				: () -> Mono.fromSupplier(current::resolveCredentialsNow).subscribeOn(Schedulers.boundedElastic());
	}

	private static DataRedisConnectionDetails.Sentinel sentinel(DataRedisConnectionDetails details) {
		return Objects.requireNonNull(details.getSentinel());
	}

	private static ClientResources.Builder resources(RedisCustomizers customizers) {
		if (customizers.ownResources() != null) {
			return like(customizers.ownResources());
		}
		ClientResources.Builder resources = ClientResources.builder().reconnectDelay(RECONNECT_DELAY);
		customizers.resources().forEach((customizer) -> customizer.customize(resources));
		return resources;
	}

	/**
	 * Returns resources that connect, trace and measure as those of the application do,
	 * on threads of their own: these end with the client, and no code of the application
	 * runs on them.
	 */
	static ClientResources.Builder like(ClientResources application) {
		return ClientResources.builder()
			.reconnectDelay(RECONNECT_DELAY)
			.addressResolverGroup(application.addressResolverGroup())
			.socketAddressResolver(application.socketAddressResolver())
			.nettyCustomizer(application.nettyCustomizer())
			.tracing(application.tracing())
			.eventBus(application.eventBus())
			.commandLatencyRecorder(application.commandLatencyRecorder())
			// The application publishes what its recorder has recorded, which resets it.
			.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled());
	}

	private static ClientOptions options(DataRedisProperties properties, DataRedisConnectionDetails details,
			List<LettuceClientOptionsBuilderCustomizer> customizers) {
		ClientOptions.Builder options = (details.getSentinel() == null && details.getCluster() != null)
				? clusterOptions(properties) : ClientOptions.builder();
		options.timeoutOptions(TimeoutOptions.enabled());
		if (properties.getConnectTimeout() != null) {
			options.socketOptions(SocketOptions.builder().connectTimeout(properties.getConnectTimeout()).build());
		}
		SslBundle bundle = details.getSslBundle();
		if (bundle != null) {
			options.sslOptions(sslOptions(bundle));
		}
		customizers.forEach((customizer) -> customizer.customize(options));
		return options.build();
	}

	private static ClusterClientOptions.Builder clusterOptions(DataRedisProperties properties) {
		DataRedisProperties.Lettuce.Cluster.Refresh refresh = properties.getLettuce().getCluster().getRefresh();
		ClusterTopologyRefreshOptions.Builder topology = ClusterTopologyRefreshOptions.builder()
			.dynamicRefreshSources(refresh.isDynamicRefreshSources());
		if (refresh.getPeriod() != null) {
			topology.enablePeriodicRefresh(refresh.getPeriod());
		}
		return ClusterClientOptions.builder().topologyRefreshOptions(topology.build());
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

	/** Returns an address with these settings, to which its host and port are added. */
	RedisURI.Builder toServer() {
		return to(this.server);
	}

	/** Returns the address of a sentinel, to which its host and port are added. */
	RedisURI.Builder toSentinel() {
		return to(this.sentinel);
	}

	/**
	 * The timeout also bounds the handshake with a server that accepts the connection and
	 * does not answer.
	 */
	private RedisURI.Builder to(RedisURI settings) {
		return RedisURI.builder(settings).withTimeout(this.options.getSocketOptions().getConnectTimeout());
	}

	/** Returns the options of a client of a Redis Cluster. */
	ClusterClientOptions clusterOptions(DataRedisProperties.@Nullable Cluster cluster) {
		ClusterClientOptions.Builder builder = ClusterClientOptions.builder(this.options);
		if (cluster != null && cluster.getMaxRedirects() != null) {
			builder.maxRedirects(cluster.getMaxRedirects());
		}
		return builder.build();
	}

}
