package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

import io.github.lockstarter.LockConfigurationException;

/**
 * The address of Redis from {@code spring.data.redis.*}. Spring Boot creates such a bean
 * only with Spring Data Redis, which an application that uses Redis only for locks need
 * not have.
 */
final class DataRedisPropertiesDetails implements DataRedisConnectionDetails {

	private final Supplier<DataRedisProperties> current;

	private final DataRedisProperties properties;

	private final @Nullable RedisURI url;

	private final @Nullable SslBundle sslBundle;

	/**
	 * Creates the details.
	 * @param current the properties as they are now: credentials may change
	 * @param sslBundles the bundles for TLS; {@code null} if there are none
	 */
	DataRedisPropertiesDetails(Supplier<DataRedisProperties> current, @Nullable SslBundles sslBundles) {
		this.current = current;
		this.properties = current.get();
		this.url = url(this.properties);
		this.sslBundle = this.properties.getSsl().isEnabled() ? bundle(this.properties.getSsl().getBundle(), sslBundles)
				: null;
	}

	/**
	 * Returns whether the details are {@code spring.data.redis.*}: ours, or those that
	 * Spring Boot creates.
	 */
	static boolean areProperties(DataRedisConnectionDetails details) {
		return details instanceof DataRedisPropertiesDetails
				|| details.getClass().getPackage() == DataRedisConnectionDetails.class.getPackage();
	}

	private static @Nullable RedisURI url(DataRedisProperties properties) {
		return StringUtils.hasText(properties.getUrl()) ? parse(properties.getUrl()) : null;
	}

	/** The text is not part of the message, because it may contain a password. */
	private static RedisURI parse(String url) {
		try {
			Assert.isTrue(url.startsWith("redis://") || url.startsWith("rediss://"),
					"The scheme must be redis or rediss");
			return RedisURI.create(url);
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException("spring.data.redis.url is not a valid address of Redis.",
					"Write it as redis://[[username:]password@]host[:port][/database], or with rediss:// for TLS.");
		}
	}

	private static SslBundle bundle(@Nullable String name, @Nullable SslBundles bundles) {
		if (!StringUtils.hasLength(name)) {
			return SslBundle.systemDefault();
		}
		Assert.state(bundles != null, "spring.data.redis.ssl.bundle is set, but there are no SslBundles");
		return bundles.getBundle(name);
	}

	@Override
	public @Nullable String getUsername() {
		DataRedisProperties now = this.current.get();
		RedisURI url = url(now);
		return (url != null) ? credentials(url).getUsername() : now.getUsername();
	}

	@Override
	public @Nullable String getPassword() {
		DataRedisProperties now = this.current.get();
		RedisURI url = url(now);
		if (url == null) {
			return now.getPassword();
		}
		char[] password = credentials(url).getPassword();
		return (password != null) ? new String(password) : null;
	}

	/** The credentials of a text are available without blocking. */
	private static RedisCredentials credentials(RedisURI url) {
		return Objects.requireNonNull(url.getCredentialsProvider().resolveCredentials().block());
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return this.sslBundle;
	}

	@Override
	public Standalone getStandalone() {
		return (this.url != null) ? Standalone.of(this.url.getHost(), this.url.getPort(), this.url.getDatabase())
				: Standalone.of(this.properties.getHost(), this.properties.getPort(), this.properties.getDatabase());
	}

	@Override
	public @Nullable Sentinel getSentinel() {
		DataRedisProperties.Sentinel sentinel = this.current.get().getSentinel();
		return (sentinel != null) ? new PropertiesSentinel(getStandalone().getDatabase(), sentinel) : null;
	}

	@Override
	public @Nullable Cluster getCluster() {
		DataRedisProperties.Cluster cluster = this.properties.getCluster();
		return (cluster != null) ? () -> nodes(cluster.getNodes()) : null;
	}

	@Override
	public @Nullable MasterReplica getMasterReplica() {
		DataRedisProperties.Masterreplica masterReplica = this.properties.getMasterreplica();
		return (masterReplica != null) ? () -> nodes(masterReplica.getNodes()) : null;
	}

	private static List<Node> nodes(@Nullable List<String> nodes) {
		return (nodes != null) ? nodes.stream().map(DataRedisPropertiesDetails::node).toList() : List.of();
	}

	/** An IPv6 address contains colons. */
	private static Node node(String text) {
		int colon = text.lastIndexOf(':');
		return new Node(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
	}

	private record PropertiesSentinel(int database, DataRedisProperties.Sentinel properties) implements Sentinel {

		@Override
		public int getDatabase() {
			return this.database;
		}

		@Override
		public String getMaster() {
			String master = this.properties.getMaster();
			if (!StringUtils.hasText(master)) {
				throw new InvalidConfigurationPropertyValueException("spring.data.redis.sentinel.master", master,
						"It must be the name of the master that the sentinels monitor");
			}
			return master;
		}

		@Override
		public List<Node> getNodes() {
			return nodes(this.properties.getNodes());
		}

		@Override
		public @Nullable String getUsername() {
			return this.properties.getUsername();
		}

		@Override
		public @Nullable String getPassword() {
			return this.properties.getPassword();
		}

	}

}
