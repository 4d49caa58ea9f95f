package io.github.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import redis.embedded.RedisServer;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;

/**
 * Starts a Redis on this machine if the application wants one here and none answers, so
 * that the first instance needs nothing installed and the next ones join it. Nothing is
 * started while a build only looks at the application (AOT processing).
 */
class EmbeddedRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	private static final Set<String> HERE = Set.of("localhost", "127.0.0.1");

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			return;
		}
		Environment environment = context.getEnvironment();
		String host = environment.getProperty("spring.data.redis.host", "localhost");
		int port = environment.getProperty("spring.data.redis.port", Integer.class, 6379);
		boolean wanted = "redis".equalsIgnoreCase(environment.getProperty("lock.store", "redis")) && HERE.contains(host)
				&& !environment.containsProperty("spring.data.redis.url");
		if (wanted && !answers(host, port)) {
			start(host, port);
		}
	}

	private static void start(String host, int port) {
		try {
			// It stops itself when the JVM ends.
			RedisServer.newRedisServer()
				.port(port)
				.bind("127.0.0.1")
				.setting("save \"\"")
				.setting("appendonly no")
				.soutListener(logger::debug)
				.build()
				.start();
			logger.info("No Redis on %s:%d, so an embedded one was started there; it ends with this process"
				.formatted(host, port));
		}
		catch (IOException ex) {
			if (!answers(host, port)) {
				throw new UncheckedIOException("No Redis on %s:%d, and none could be started".formatted(host, port),
						ex);
			}
		}
	}

	private static boolean answers(String host, int port) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(host, port), 500);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
