package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.ClassUtils;

/**
 * Lets the customizers of the application's connections change the settings of the
 * library's client, too. Loaded only with Spring Data Redis.
 */
final class CustomizedRedisClient {

	private static final boolean POOLS = ClassUtils.isPresent("org.apache.commons.pool2.ObjectPool",
			CustomizedRedisClient.class.getClassLoader());

	private final DataRedisProperties properties;

	private final DataRedisConnectionDetails details;

	CustomizedRedisClient(DataRedisProperties properties, DataRedisConnectionDetails details) {
		this.properties = properties;
		this.details = details;
	}

	/**
	 * Applies the customizers to a builder like that of the application. Of what they
	 * set, the library leaves what is about commands of the application: their timeout,
	 * {@code readFrom}, the pool, and the time for which a shutdown waits.
	 */
	RedisClientSettings customize(RedisClientSettings settings,
			List<LettuceClientConfigurationBuilderCustomizer> customizers) {
		LettuceClientConfigurationBuilder builder = builder().apply(settings.server())
			.clientOptions(settings.options());
		customizers.forEach((customizer) -> customizer.customize(builder));
		LettuceClientConfiguration customized = builder.build();
		RedisURI server = uri(settings.server(), customized);
		RedisURI sentinel = uri(settings.sentinel(), customized);
		customized.getRedisCredentialsProviderFactory()
			.ifPresent((credentials) -> authenticate(credentials, server, sentinel));
		return new RedisClientSettings(server, sentinel, customized.getClientOptions().orElse(settings.options()),
				resources(customized.getClientResources()).orElse(settings.resources()));
	}

	/** A customizer may expect the builder of a pool where Spring Boot uses one. */
	private LettuceClientConfigurationBuilder builder() {
		boolean pool = POOLS && !Boolean.FALSE.equals(this.properties.getLettuce().getPool().getEnabled());
		return pool ? LettucePoolingClientConfiguration.builder() : LettuceClientConfiguration.builder();
	}

	private static RedisURI uri(RedisURI original, LettuceClientConfiguration customized) {
		RedisURI uri = new RedisURI();
		uri.applyAuthentication(original);
		uri.setSsl(customized.isUseSsl());
		uri.setVerifyPeer(customized.getVerifyMode());
		uri.setStartTls(customized.isStartTls());
		customized.getClientName().ifPresent(uri::setClientName);
		return uri;
	}

	private static Optional<Supplier<ClientResources>> resources(Optional<ClientResources> customized) {
		return customized.map((resources) -> RedisClientSettings.like(resources)::build);
	}

	private void authenticate(RedisCredentialsProviderFactory credentials, RedisURI server, RedisURI sentinel) {
		RedisConfiguration configuration = DataRedisConnections.address(this::configuration);
		RedisCredentialsProvider provider = credentials.createCredentialsProvider(configuration);
		if (provider != null) {
			server.setCredentialsProvider(provider);
		}
		if (configuration instanceof RedisSentinelConfiguration sentinels) {
			sentinel.setCredentialsProvider(credentials.createSentinelCredentialsProvider(sentinels));
		}
	}

	/** Returns what Spring Boot tells the application's connections. */
	private RedisConfiguration configuration() {
		DataRedisConnectionDetails.Sentinel sentinel = this.details.getSentinel();
		if (sentinel != null) {
			return authenticated(configuration(sentinel));
		}
		DataRedisConnectionDetails.Cluster cluster = this.details.getCluster();
		if (cluster != null) {
			RedisClusterConfiguration configuration = new RedisClusterConfiguration();
			configuration.setClusterNodes(nodes(cluster.getNodes()));
			return authenticated(configuration);
		}
		DataRedisConnectionDetails.MasterReplica masterReplica = this.details.getMasterReplica();
		if (masterReplica != null) {
			Node first = masterReplica.getNodes().get(0);
			RedisStaticMasterReplicaConfiguration configuration = new RedisStaticMasterReplicaConfiguration(
					first.host(), first.port());
			masterReplica.getNodes()
				.stream()
				.skip(1)
				.forEach((node) -> configuration.addNode(node.host(), node.port()));
			return authenticated(configuration);
		}
		DataRedisConnectionDetails.Standalone server = Objects.requireNonNull(this.details.getStandalone());
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(server.getHost(),
				server.getPort());
		configuration.setDatabase(server.getDatabase());
		return authenticated(configuration);
	}

	private static RedisSentinelConfiguration configuration(DataRedisConnectionDetails.Sentinel sentinel) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.setMaster(sentinel.getMaster());
		configuration.setSentinels(nodes(sentinel.getNodes()));
		configuration.setDatabase(sentinel.getDatabase());
		configuration.setSentinelUsername(sentinel.getUsername());
		configuration.setSentinelPassword(RedisPassword.of(sentinel.getPassword()));
		return configuration;
	}

	private static List<RedisNode> nodes(List<Node> nodes) {
		return nodes.stream().map((node) -> new RedisNode(node.host(), node.port())).toList();
	}

	private <T extends RedisConfiguration & WithAuthentication> T authenticated(T configuration) {
		configuration.setUsername(this.details.getUsername());
		configuration.setPassword(RedisPassword.of(this.details.getPassword()));
		return configuration;
	}

}
