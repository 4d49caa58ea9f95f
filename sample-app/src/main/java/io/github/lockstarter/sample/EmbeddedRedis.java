package io.github.lockstarter.sample;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.core.RedisServerBuilder;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

import io.github.lockstarter.LockConfigurationException;

/**
 * Finds the Redis that an instance of the sample has started on this machine, or starts
 * one, if the application is configured for a Redis here. So the first instance needs no
 * installation, and the next ones share its Redis. The start of the application fails if
 * a server at the address does not answer like Redis. Nothing is started during AOT
 * processing.
 * <p>
 * That Redis has the configured password, or else one that is generated at startup and
 * kept in the {@link SampleFolder}. Another user's program at the address may learn a
 * generated password, but then no Redis has it. The Redis lacks the commands by which a
 * client can write files or load code.
 */
final class EmbeddedRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	private static final Set<String> HERE = Set.of("localhost", "127.0.0.1");

	/** Settings of an external Redis, which the embedded one cannot replace. */
	private static final Set<String> OWN = Set.of("url", "username", "sentinel", "cluster", "masterreplica", "ssl");

	/** All of them are in Redis 5, too, which does not start if it lacks one. */
	static final List<String> DANGEROUS = List.of("BGREWRITEAOF", "BGSAVE", "CONFIG", "DEBUG", "MIGRATE", "MODULE",
			"REPLICAOF", "RESTORE", "RESTORE-ASKING", "SAVE", "SHUTDOWN", "SLAVEOF");

	private static final String PASSWORD = "spring.data.redis.password";

	/** A configured password may contain any character. */
	private static final HexFormat ESCAPED = HexFormat.of().withPrefix("\\x");

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final String OTHERWISE = " Or add --spring.data.redis.port=6390, where the sample starts a Redis of"
			+ " its own, or --lock.store=memory, which needs none.";

	private final SampleFolder folder;

	private final boolean starts;

	private EmbeddedRedis(SampleFolder folder, boolean starts) {
		this.folder = folder;
		this.starts = starts;
	}

	/** Uses the Redis of another instance, or starts one. */
	static EmbeddedRedis startedIfMissing(SampleFolder folder) {
		return new EmbeddedRedis(folder, true);
	}

	/** Uses the Redis of another instance, if there is one. */
	static EmbeddedRedis ofOtherInstance(SampleFolder folder) {
		return new EmbeddedRedis(folder, false);
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
		String configured = environment.getProperty(PASSWORD, "");
		if (configured.isEmpty() && ping(redis) == null) {
			// It needs no password, so the folder need not have one.
			return;
		}
		try (PasswordFile file = this.folder.passwordFile("redis-%d-password".formatted(redis.getPort()))) {
			if (!configured.isEmpty()) {
				if (!isFound(authenticated(redis, configured)) && this.starts) {
					start(redis, configured);
				}
			}
			else if (isFoundWithPassword(redis, file)) {
				use(redis, file, context);
			}
			else if (!isFound(redis) && this.starts) {
				start(redis, file.generate());
				use(redis, file, context);
			}
		}
		catch (IOException ex) {
			throw this.folder.unusable(ex);
		}
	}

	private static RedisURI authenticated(RedisURI redis, String password) {
		return RedisURI.builder(redis).withPassword(password.toCharArray()).build();
	}

	private static boolean isWanted(Environment environment) {
		Map<String, Object> settings = Binder.get(environment)
			.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of());
		return "redis".equalsIgnoreCase(environment.getProperty("lock.store", "redis"))
				&& HERE.contains(settings.getOrDefault("host", "localhost"))
				&& OWN.stream().noneMatch(settings::containsKey);
	}

	private static void start(RedisURI redis, String password) {
		try {
			// The server stops when the JVM ends.
			newServer(executable(), redis.getPort(), password).start();
			logger.info(
					"No Redis on %s:%d, so an embedded one was started there; it ends with this process, unless this process is killed"
						.formatted(redis.getHost(), redis.getPort()));
		}
		catch (IOException ex) {
			throw new LockConfigurationException(
					"Nothing listened on %s:%d, but the embedded Redis does not start there: %s.".formatted(
							redis.getHost(), redis.getPort(), ex.getMessage()),
					"Start a Redis there." + OTHERWISE);
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

	static RedisServer newServer(ExecutableProvider executable, int port, String password) throws IOException {
		RedisServerBuilder server = RedisServer.newRedisServer()
			.executableProvider(executable)
			.port(port)
			.bind("127.0.0.1")
			.setting("requirepass \"%s\"".formatted(ESCAPED.formatHex(password.getBytes(StandardCharsets.UTF_8))))
			.setting("save \"\"")
			.setting("appendonly no")
			.soutListener(logger::debug);
		DANGEROUS.forEach((command) -> server.setting("rename-command %s \"\"".formatted(command)));
		return server.build();
	}

	/**
	 * Lets the application use a Redis with the password of the file. The password is
	 * read for each connection, because another instance may start the next Redis.
	 */
	private static void use(RedisURI redis, PasswordFile file, ConfigurableApplicationContext context) {
		int database = context.getEnvironment().getProperty("spring.data.redis.database", Integer.class, 0);
		context.getBeanFactory().registerSingleton("embeddedRedisDetails", new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(redis.getHost(), redis.getPort(), database);
			}

			@Override
			public String getPassword() {
				return file.readAgain();
			}

		});
	}

	/** Returns whether a Redis answers that another instance has started. */
	private static boolean isFoundWithPassword(RedisURI redis, PasswordFile file) throws IOException {
		String password = file.read();
		return !password.isEmpty() && needsPassword(ping(redis)) && ping(authenticated(redis, password)) == null;
	}

	/**
	 * Returns whether a Redis answers.
	 * @return {@code false} if nothing listens
	 * @throws LockConfigurationException if another program listens, or Redis refuses the
	 * connection
	 */
	private static boolean isFound(RedisURI redis) {
		Throwable failure = ping(redis);
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
					"Set it for the sample, in the environment variable SPRING_DATA_REDIS_PASSWORD." + OTHERWISE);
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
