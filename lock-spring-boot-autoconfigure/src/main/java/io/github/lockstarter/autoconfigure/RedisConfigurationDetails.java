package io.github.lockstarter.autoconfigure;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/**
 * The address and the credentials of a {@link RedisConfiguration} bean, which Spring Boot
 * prefers to its properties. Loaded only with Spring Data Redis.
 */
final class RedisConfigurationDetails implements DataRedisConnectionDetails {

	private final RedisConfiguration configuration;

	private final DataRedisConnectionDetails details;

	private RedisConfigurationDetails(RedisConfiguration configuration, DataRedisConnectionDetails details) {
		this.configuration = configuration;
		this.details = details;
	}

	/**
	 * Returns the details of the bean that Spring Boot uses; if there is none, those that
	 * are given.
	 */
	static DataRedisConnectionDetails orElse(DataRedisConnectionDetails details, BeanFactory beans) {
		RedisConfiguration configuration = find(details, beans);
		return (configuration != null) ? new RedisConfigurationDetails(configuration, details) : details;
	}

	/** Sentinels come first, and one server comes last, as in Spring Boot. */
	private static @Nullable RedisConfiguration find(DataRedisConnectionDetails details, BeanFactory beans) {
		RedisConfiguration sentinel = bean(RedisSentinelConfiguration.class, beans);
		if (sentinel != null || details.getSentinel() != null) {
			return sentinel;
		}
		RedisConfiguration cluster = bean(RedisClusterConfiguration.class, beans);
		if (cluster != null || details.getCluster() != null) {
			return cluster;
		}
		RedisConfiguration masterReplica = bean(RedisStaticMasterReplicaConfiguration.class, beans);
		return (masterReplica != null || details.getMasterReplica() != null) ? masterReplica
				: bean(RedisStandaloneConfiguration.class, beans);
	}

	private static @Nullable RedisConfiguration bean(Class<? extends RedisConfiguration> type, BeanFactory beans) {
		return beans.getBeanProvider(type).getIfAvailable();
	}

	@Override
	public @Nullable String getUsername() {
		return ((WithAuthentication) this.configuration).getUsername();
	}

	@Override
	public @Nullable String getPassword() {
		return text(((WithAuthentication) this.configuration).getPassword());
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return this.details.getSslBundle();
	}

	@Override
	public @Nullable Standalone getStandalone() {
		return (this.configuration instanceof RedisStandaloneConfiguration server)
				? Standalone.of(server.getHostName(), server.getPort(), server.getDatabase()) : null;
	}

	@Override
	public @Nullable Sentinel getSentinel() {
		return (this.configuration instanceof RedisSentinelConfiguration sentinels) ? new ConfiguredSentinel(sentinels)
				: null;
	}

	@Override
	public @Nullable Cluster getCluster() {
		return (this.configuration instanceof RedisClusterConfiguration cluster)
				? () -> nodes(cluster.getClusterNodes()) : null;
	}

	@Override
	public @Nullable MasterReplica getMasterReplica() {
		return (this.configuration instanceof RedisStaticMasterReplicaConfiguration servers)
				? () -> servers.getNodes().stream().map((node) -> new Node(node.getHostName(), node.getPort())).toList()
				: null;
	}

	private static List<Node> nodes(Collection<RedisNode> nodes) {
		return nodes.stream().map((node) -> new Node(node.getRequiredHost(), node.getRequiredPort())).toList();
	}

	private static @Nullable String text(RedisPassword password) {
		return password.toOptional().map(String::new).orElse(null);
	}

	private record ConfiguredSentinel(RedisSentinelConfiguration configuration) implements Sentinel {

		@Override
		public int getDatabase() {
			return this.configuration.getDatabase();
		}

		@Override
		public String getMaster() {
			var master = this.configuration.getMaster();
			if (master == null || master.getName() == null) {
				throw new IllegalStateException("The RedisSentinelConfiguration has no master");
			}
			return master.getName();
		}

		@Override
		public List<Node> getNodes() {
			return nodes(this.configuration.getSentinels());
		}

		@Override
		public @Nullable String getUsername() {
			return this.configuration.getSentinelUsername();
		}

		@Override
		public @Nullable String getPassword() {
			return text(this.configuration.getSentinelPassword());
		}

	}

}
