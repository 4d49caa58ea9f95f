package io.github.lockstarter.testing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis that all tests of a process share: a container if a Docker engine is
 * available, otherwise a process. {@code -Dtest.redis=container} or {@code process}
 * selects one; so does {@code -Dtest.redis-server}, which names the program of the
 * process.
 */
public final class TestRedis {

	/** The auto-configuration's reconnect delay; the driver's default grows to 30 s. */
	private static final Delay RECONNECT_DELAY = Delay.constant(Duration.ofMillis(100));

	private static final ClientResources resources = newResources();

	private static @Nullable TestRedis instance;

	private final String host;

	private final int port;

	private TestRedis(String host, int port) {
		this.host = host;
		this.port = port;
	}

	public static String host() {
		return instance().host;
	}

	public static int port() {
		return instance().port;
	}

	/**
	 * Returns the connection properties for an application, with a long command timeout,
	 * so that a pause of the machine fails no test.
	 */
	public static String[] properties() {
		return new String[] { "spring.data.redis.host=" + host(), "spring.data.redis.port=" + port(),
				"lock.redis.command-timeout=30s" };
	}

	/** Returns a new, started connection factory. */
	public static LettuceConnectionFactory newConnectionFactory() {
		return newConnectionFactory(host(), port());
	}

	/** Returns a new, started connection factory for a server. */
	public static LettuceConnectionFactory newConnectionFactory(String host, int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, port),
				LettuceClientConfiguration.builder().clientResources(resources).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/** Returns new client resources, which the client shuts down. */
	public static ClientResources newResources() {
		return ClientResources.builder().reconnectDelay(RECONNECT_DELAY).build();
	}

	private static synchronized TestRedis instance() {
		if (instance == null) {
			instance = start(System.getProperty("test.redis", (LocalRedis.CHOSEN != null) ? "process" : "any"));
		}
		return instance;
	}

	private static TestRedis start(String kind) {
		return switch (kind) {
			case "container" -> startContainer();
			case "process" -> startProcess();
			case "any" -> startContainerOrProcess();
			default -> throw new IllegalArgumentException("test.redis must be container or process, not " + kind);
		};
	}

	/**
	 * Starts a container, or a process if Docker is unusable: an engine may be absent, or
	 * unable to pull images.
	 */
	private static TestRedis startContainerOrProcess() {
		CompletableFuture<TestRedis> container = new CompletableFuture<>();
		Thread starter = new Thread(() -> {
			try {
				container.complete(startContainer());
			}
			catch (Throwable ex) {
				container.completeExceptionally(ex);
			}
		});
		starter.setDaemon(true);
		starter.start();
		try {
			return container.get(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			LogFactory.getLog(TestRedis.class).warn("No container with Redis, so a process is used: " + ex);
			return startProcess();
		}
	}

	@SuppressWarnings("resource")
	private static TestRedis startContainer() {
		GenericContainer<?> container = new GenericContainer<>("redis:8").withExposedPorts(6379);
		container.start();
		return new TestRedis(container.getHost(), container.getMappedPort(6379));
	}

	@SuppressWarnings("resource")
	private static TestRedis startProcess() {
		return new TestRedis("127.0.0.1", LocalRedis.started().port());
	}

}
