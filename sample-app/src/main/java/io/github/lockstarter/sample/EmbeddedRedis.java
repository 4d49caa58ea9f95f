package io.github.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import redis.embedded.RedisServer;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Starts a Redis on this machine if the application wants one here and none answers, so
 * that the first instance needs nothing installed and the next ones join it.
 */
class EmbeddedRedis implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		Environment environment = context.getEnvironment();
		String host = environment.getProperty("spring.data.redis.host", "localhost");
		int port = environment.getProperty("spring.data.redis.port", Integer.class, 6379);
		boolean wanted = "redis".equalsIgnoreCase(environment.getProperty("lock.store", "redis"))
				&& "localhost".equals(host) && !environment.containsProperty("spring.data.redis.url");
		if (wanted && !answers(host, port)) {
			start(port);
		}
	}

	private static void start(int port) {
		try {
			RedisServer server = RedisServer.newRedisServer()
				.port(port)
				.bind("127.0.0.1")
				.setting("save \"\"")
				.setting("appendonly no")
				.build();
			server.start();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
			logger.info("No Redis on localhost:%d, so an embedded one was started there; it ends with this process"
				.formatted(port));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No Redis on localhost:%d, and none could be started".formatted(port), ex);
		}
	}

	private static void stop(RedisServer server) {
		try {
			server.stop();
		}
		catch (IOException ex) {
			logger.warn("The embedded Redis could not be stopped", ex);
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
