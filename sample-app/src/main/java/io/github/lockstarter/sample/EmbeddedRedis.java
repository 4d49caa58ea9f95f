package io.github.lockstarter.sample;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
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
import redis.embedded.RedisServer;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;

import io.github.lockstarter.LockConfigurationException;

/**
 * Starts a Redis on this machine if the application is configured for one here and
 * nothing listens at its address. So the first instance needs no installation, and the
 * next ones share its Redis. The start of the application fails if a server at the
 * address does not answer like Redis. Nothing is started during AOT processing.
 */
class EmbeddedRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	private static final Set<String> HERE = Set.of("localhost", "127.0.0.1");

	/** Settings of an external Redis, which the embedded one cannot replace. */
	private static final Set<String> OWN = Set.of("url", "sentinel", "cluster", "masterreplica", "ssl");

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final String OTHERWISE = " Or add --spring.data.redis.port=6390, where the sample starts a Redis of"
			+ " its own, or --lock.store=memory, which needs none.";

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		Environment environment = context.getEnvironment();
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING) || !isWanted(environment)) {
			return;
		}
		String host = environment.getProperty("spring.data.redis.host", "localhost");
		int port = environment.getProperty("spring.data.redis.port", Integer.class, 6379);
		RedisURI redis = RedisURI.builder().withHost(host).withPort(port).withTimeout(PATIENCE).build();
		String password = environment.getProperty("spring.data.redis.password");
		if (password != null) {
			redis.setCredentialsProvider(new StaticCredentialsProvider(
					environment.getProperty("spring.data.redis.username"), password.toCharArray()));
		}
		if (!answers(redis)) {
			start(redis);
		}
	}

	private static boolean isWanted(Environment environment) {
		Map<String, Object> settings = Binder.get(environment)
			.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of());
		return "redis".equalsIgnoreCase(environment.getProperty("lock.store", "redis"))
				&& HERE.contains(settings.getOrDefault("host", "localhost"))
				&& OWN.stream().noneMatch(settings::containsKey);
	}

	private static void start(RedisURI redis) {
		try {
			// The server stops when the JVM ends.
			RedisServer.newRedisServer()
				.port(redis.getPort())
				.bind("127.0.0.1")
				.setting("save \"\"")
				.setting("appendonly no")
				.soutListener(logger::debug)
				.build()
				.start();
			logger.info(
					"No Redis on %s:%d, so an embedded one was started there; it ends with this process, unless this process is killed"
						.formatted(redis.getHost(), redis.getPort()));
		}
		catch (IOException ex) {
			// Another instance may have started one in the meantime.
			if (!answers(redis)) {
				throw new LockConfigurationException(
						"Nothing listens on %s:%d, and the embedded Redis does not start there: %s.".formatted(
								redis.getHost(), redis.getPort(), ex.getMessage()),
						"Start a Redis there." + OTHERWISE);
			}
		}
	}

	/**
	 * Returns whether a Redis answers.
	 * @return {@code false} if nothing listens
	 * @throws LockConfigurationException if another program listens, or Redis refuses the
	 * connection
	 */
	private static boolean answers(RedisURI redis) {
		try (RedisClient client = RedisClient.create(redis);
				StatefulRedisConnection<String, String> connection = client.connect()) {
			connection.sync().ping();
			return true;
		}
		catch (RedisException ex) {
			String place = redis.getHost() + ":" + redis.getPort();
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
			if (cause instanceof ConnectException) {
				return false;
			}
			if (!(cause instanceof RedisCommandExecutionException refusal)) {
				logger.debug("No answer to PING from " + place, ex);
				throw new LockConfigurationException(
						"The server on %s does not answer as Redis does: it is another program, or a Redis that is unresponsive."
							.formatted(place),
						"Stop it." + OTHERWISE);
			}
			throw String.valueOf(refusal.getMessage()).startsWith("NOAUTH")
					? new LockConfigurationException("The Redis on %s requires a password.".formatted(place),
							"Set it for the sample: --spring.data.redis.password=<password>." + OTHERWISE)
					: new LockConfigurationException(
							"The Redis on %s refuses: %s".formatted(place, refusal.getMessage()),
							"Correct the refused setting, such as spring.data.redis.username and .password."
									+ OTHERWISE);
		}
	}

}
