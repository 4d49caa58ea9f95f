package io.github.lockstarter.sample;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.api.StatefulRedisConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.core.RedisServerBuilder;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

import io.github.lockstarter.LockConfigurationException;

/**
 * Finds the Redis that an instance of the sample has started on this machine, or starts
 * one, if the application is configured for a Redis here. So the first instance needs no
 * installation, and the next ones share its Redis. The start of the application fails if
 * a server at the address does not answer like Redis. Nothing is started during AOT
 * processing.
 * <p>
 * That Redis has the password of the {@link SampleFolder}. It lacks the commands by which
 * a client can write files or load code.
 */
final class EmbeddedRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	private static final Set<String> HERE = Set.of("localhost", "127.0.0.1");

	/** Settings of an external Redis, which the embedded one cannot replace. */
	private static final Set<String> OWN = Set.of("url", "sentinel", "cluster", "masterreplica", "ssl");

	private static final List<String> DANGEROUS = List.of("ACL", "BGREWRITEAOF", "BGSAVE", "CONFIG", "DEBUG", "MIGRATE",
			"MODULE", "REPLICAOF", "RESTORE", "SAVE", "SHUTDOWN", "SLAVEOF");

	private static final String PASSWORD = "spring.data.redis.password";

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final String OTHERWISE = " Or add --spring.data.redis.port=6390, where the sample starts a Redis of"
			+ " its own, or --lock.store=memory, which needs none.";

	private final boolean starts;

	private EmbeddedRedis(boolean starts) {
		this.starts = starts;
	}

	/** Uses the Redis of another instance, or starts one. */
	static EmbeddedRedis startedIfMissing() {
		return new EmbeddedRedis(true);
	}

	/** Uses the Redis of another instance, if there is one. */
	static EmbeddedRedis ofOtherInstance() {
		return new EmbeddedRedis(false);
	}

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		ConfigurableEnvironment environment = context.getEnvironment();
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING) || !isWanted(environment)) {
			return;
		}
		RedisURI redis = RedisURI.builder()
			.withHost(environment.getProperty("spring.data.redis.host", "localhost"))
			.withPort(environment.getProperty("spring.data.redis.port", Integer.class, 6379))
			.withTimeout(PATIENCE)
			.build();
		if (environment.containsProperty(PASSWORD)) {
			authenticate(redis, environment.getProperty("spring.data.redis.username"),
					environment.getRequiredProperty(PASSWORD));
		}
		if (!isFound(redis, environment) && this.starts) {
			start(redis, environment);
		}
	}

	private static void authenticate(RedisURI redis, @Nullable String username, String password) {
		redis.setCredentialsProvider(new StaticCredentialsProvider(username, password.toCharArray()));
	}

	private static boolean isWanted(Environment environment) {
		Map<String, Object> settings = Binder.get(environment)
			.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of());
		return "redis".equalsIgnoreCase(environment.getProperty("lock.store", "redis"))
				&& HERE.contains(settings.getOrDefault("host", "localhost"))
				&& OWN.stream().noneMatch(settings::containsKey);
	}

	private static void start(RedisURI redis, ConfigurableEnvironment environment) {
		try {
			RedisServerBuilder server = RedisServer.newRedisServer()
				.executableProvider(executable())
				.port(redis.getPort())
				.bind("127.0.0.1")
				.setting("requirepass " + environment.getRequiredProperty(SampleFolder.PASSWORD))
				.setting("save \"\"")
				.setting("appendonly no")
				.soutListener(logger::debug);
			DANGEROUS.forEach((command) -> server.setting("rename-command %s \"\"".formatted(command)));
			// The server stops when the JVM ends.
			server.build().start();
			usePasswordOfFolder(environment);
			logger.info(
					"No Redis on %s:%d, so an embedded one was started there; it ends with this process, unless this process is killed"
						.formatted(redis.getHost(), redis.getPort()));
		}
		catch (IOException ex) {
			// Another instance may have started one in the meantime.
			if (!isFound(redis, environment)) {
				throw new LockConfigurationException(
						"Nothing listens on %s:%d, and the embedded Redis does not start there: %s.".formatted(
								redis.getHost(), redis.getPort(), ex.getMessage()),
						"Start a Redis there." + OTHERWISE);
			}
		}
	}

	/**
	 * Returns the server that is installed on this machine, or else the older one that
	 * the sample contains.
	 */
	private static ExecutableProvider executable() {
		try {
			return ExecutableProvider.newExecutableInPath("redis-server");
		}
		catch (FileNotFoundException ex) {
			return ExecutableProvider.newJarResourceProvider();
		}
	}

	private static void usePasswordOfFolder(ConfigurableEnvironment environment) {
		environment.getPropertySources()
			.addFirst(new MapPropertySource("embeddedRedis",
					Map.of(PASSWORD, environment.getRequiredProperty(SampleFolder.PASSWORD))));
	}

	/**
	 * Returns whether a Redis answers. If it was started by another instance, the
	 * application uses its password.
	 * @return {@code false} if nothing listens
	 * @throws LockConfigurationException if another program listens, or Redis refuses the
	 * connection
	 */
	private static boolean isFound(RedisURI redis, ConfigurableEnvironment environment) {
		Throwable failure = ping(redis);
		if (needsPassword(failure) && !environment.containsProperty(PASSWORD)) {
			RedisURI own = RedisURI.builder(redis).build();
			authenticate(own, null, environment.getRequiredProperty(SampleFolder.PASSWORD));
			if (ping(own) == null) {
				usePasswordOfFolder(environment);
				return true;
			}
		}
		if (failure == null || failure instanceof ConnectException) {
			return failure == null;
		}
		throw refusal("%s:%d".formatted(redis.getHost(), redis.getPort()), failure);
	}

	/** Returns why a Redis does not answer; {@code null} if it does. */
	private static @Nullable Throwable ping(RedisURI redis) {
		try (RedisClient client = RedisClient.create(redis);
				StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().ping();
			return null;
		}
		catch (RedisException ex) {
			logger.debug("No answer to PING", ex);
			return NestedExceptionUtils.getMostSpecificCause(ex);
		}
	}

	private static boolean needsPassword(@Nullable Throwable failure) {
		return failure instanceof RedisCommandExecutionException
				&& String.valueOf(failure.getMessage()).startsWith("NOAUTH");
	}

	private static LockConfigurationException refusal(String place, Throwable failure) {
		if (needsPassword(failure)) {
			return new LockConfigurationException("The Redis on %s requires a password.".formatted(place),
					"Set it for the sample: --spring.data.redis.password=<password>." + OTHERWISE);
		}
		return (failure instanceof RedisCommandExecutionException)
				? new LockConfigurationException("The Redis on %s refuses: %s".formatted(place, failure.getMessage()),
						"Correct the refused setting, such as spring.data.redis.username and .password." + OTHERWISE)
				: new LockConfigurationException(
						"The server on %s does not answer as Redis does: it is another program, or a Redis that is unresponsive."
							.formatted(place),
						"Stop it." + OTHERWISE);
	}

}
