package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The library's own connection to Redis, with and without connections of the application.
 */
@Tag("redis")
@ExtendWith(OutputCaptureExtension.class)
class DataRedisConnectionsTests {

	private static final Duration TTL = Duration.ofMinutes(1);

	private static LocalRedis redis;

	@BeforeAll
	static void start() {
		redis = LocalRedis.started();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	/**
	 * An application without Spring Data Redis, so that Spring Boot configures no
	 * connection.
	 */
	private static ApplicationContextRunner alone() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.data"))
			.withPropertyValues("lock.redis.command-timeout=30s");
	}

	/** An application that uses Redis itself. */
	private static ApplicationContextRunner beside() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("lock.redis.command-timeout=30s", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis.port());
	}

	@Test
	@DisplayName("The application's own connection keeps its timeouts, read-from, options and reconnect delay")
	void applicationSettings() {
		for (String[] properties : List.of(new String[0],
				new String[] { "spring.data.redis.sentinel.master=locks",
						"spring.data.redis.sentinel.nodes=127.0.0.1:1" },
				new String[] { "spring.data.redis.cluster.nodes=127.0.0.1:1", "spring.data.redis.timeout=7s",
						"spring.data.redis.lettuce.cluster.refresh.period=3s" })) {
			ApplicationContextRunner without = new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
				.withPropertyValues(properties);
			CompletableFuture<String> before = new CompletableFuture<>();
			without.run((context) -> before.complete(settings(context)));
			without.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
				.withPropertyValues("lock.redis.command-timeout=100ms")
				.run((context) -> assertThat(settings(context)).isEqualTo(before.join()));
		}
	}

	private static String settings(ApplicationContext context) {
		LettuceClientConfiguration client = context.getBean(LettuceConnectionFactory.class).getClientConfiguration();
		ClientResources resources = client.getClientResources().orElseThrow();
		return client.getReadFrom() + " " + client.getCommandTimeout() + " " + resources.reconnectDelay().getClass()
				+ " " + client.getClientOptions().map((options) -> options.getTimeoutOptions().isTimeoutCommands())
				+ " " + context.getBeanNamesForType(ClientResourcesBuilderCustomizer.class).length;
	}

	@Test
	@DisplayName("The application's commands are answered while a grant waits for replicas")
	void acknowledgements() {
		beside()
			.withPropertyValues("lock.redis.replicas-to-ack=1", "lock.redis.key-prefix=acknowledged",
					"lock.redis.command-timeout=6s")
			.run((context) -> {
				StringRedisTemplate application = context.getBean(StringRedisTemplate.class);
				CompletionStage<AcquireResult> acquire = context.getBean(LockStore.class)
					.lock(new LockKey("acknowledged", "taro"))
					.acquire(AcquireCommand.of("a", TTL));
				Awaitility.await().until(() -> !application.keys("acknowledged:{*").isEmpty());
				// There is no replica, so the grant waits for half of the command
				// timeout.
				assertThat(acquire.toCompletableFuture()).isNotDone();
				assertThat(acquire).failsWithin(TTL);
			});
	}

	@Test
	@DisplayName("Without Spring Data Redis, locks are in the database of spring.data.redis.url, with its user and password")
	void url() {
		assertThat(redis.ask("ACL SETUSER ann on >p@ss ~* &* +@all")).isEqualTo("+OK");
		alone().withPropertyValues("spring.data.redis.url=redis://ann:p%40ss@127.0.0.1:" + redis.port() + "/3")
			.run((context) -> {
				try (Lease lease = context.getBean(LockRegistry.class).acquire("url:taro")) {
					assertThat(redis.ask("INFO keyspace")).contains("db3:");
					assertThat(redis.ask("CLIENT LIST")).contains("user=ann");
				}
			});
	}

	@Test
	@DisplayName("A connection uses the credentials that the connection details have at that moment")
	void changedPassword() {
		AtomicReference<String> password = new AtomicReference<>("first");
		try (LocalRedis secured = LocalRedis.started("--requirepass", "first")) {
			alone().withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {

				@Override
				public String getPassword() {
					return password.get();
				}

				@Override
				public Standalone getStandalone() {
					return Standalone.of("127.0.0.1", secured.port());
				}

			}).run((context) -> {
				LockRegistry locks = context.getBean(LockRegistry.class);
				locks.acquire("team:42").close();
				try (RedisClient administrator = RedisClient
					.create("redis://:first@127.0.0.1:%d".formatted(secured.port()));
						StatefulRedisConnection<String, String> connection = administrator.connect()) {
					connection.sync().configSet("requirepass", "second");
					password.set("second");
					connection.sync().clientKill(KillArgs.Builder.typeNormal().skipme());
				}
				Awaitility.await().ignoreException(LockStoreException.class).until(() -> {
					locks.acquire("team:42").close();
					return true;
				});
			});
		}
	}

	@Test
	@DisplayName("Without Spring Data Redis, a connection uses the credentials that the properties have at that moment")
	void changedProperties() {
		assertThat(redis.ask("ACL SETUSER bob on >first ~* &* +@all")).isEqualTo("+OK");
		alone()
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port(),
					"spring.data.redis.username=bob", "spring.data.redis.password=first")
			.run((context) -> {
				LockRegistry locks = context.getBean(LockRegistry.class);
				locks.acquire("team:42").close();
				redis.ask("ACL SETUSER bob resetpass >second");
				TestPropertyValues.of("spring.data.redis.password=second").applyTo(context);
				redis.ask("CLIENT KILL USER bob");
				Awaitility.await().ignoreException(LockStoreException.class).until(() -> {
					locks.acquire("team:42").close();
					return true;
				});
				assertThat(redis.ask("CLIENT LIST")).contains("user=bob");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "http", "redis+tls", "redis-sentinel", "redis-socket" })
	@DisplayName("An invalid URL prevents startup, and the message does not contain the password")
	void wrongUrl(String scheme) {
		alone().withPropertyValues("spring.data.redis.url=" + scheme + "://ann:secret@localhost")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("spring.data.redis.url")
				.hasMessageNotContaining("secret"));
	}

	@Test
	@DisplayName("Connecting to a server that accepts connections but does not answer times out after spring.data.redis.connect-timeout")
	void silent(CapturedOutput output) throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			alone()
				.withPropertyValues("spring.data.redis.host=127.0.0.1",
						"spring.data.redis.port=" + silent.getLocalPort(), "spring.data.redis.connect-timeout=300ms")
				.run((context) -> Awaitility.await()
					.untilAsserted(() -> assertThat(output).contains("No connection to Redis")
						.contains("timed out after 300 millisecond")));
		}
	}

	@Test
	@DisplayName("An application that closes while it connects logs no failed connection")
	void endsWhileConnecting(CapturedOutput output) throws IOException {
		Set<Thread> others = connecting();
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			alone()
				.withPropertyValues("spring.data.redis.host=127.0.0.1",
						"spring.data.redis.port=" + silent.getLocalPort(), "spring.data.redis.connect-timeout=300ms")
				.run((context) -> assertThat(context).hasNotFailed());
			Awaitility.await().until(() -> others.containsAll(connecting()));
			assertThat(output).doesNotContain("No connection to Redis");
		}
	}

	private static Set<Thread> connecting() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("lock-redis-connect"))
			.collect(Collectors.toSet());
	}

	@Test
	@DisplayName("A customizer of the driver that fails prevents startup")
	void failingCustomizer() {
		alone().withBean(LettuceClientOptionsBuilderCustomizer.class, () -> (options) -> {
			throw new IllegalStateException("no such option");
		}).run((context) -> assertThat(context).getFailure().rootCause().hasMessage("no such option"));
	}

	@Test
	@DisplayName("With spring.data.redis.masterreplica.nodes in any order, locks are on the master")
	void masterReplica() {
		try (LocalRedis replica = LocalRedis.started("--replicaof", "127.0.0.1 " + redis.port())) {
			alone()
				.withPropertyValues("lock.redis.key-prefix=static",
						"spring.data.redis.masterreplica.nodes=127.0.0.1:%d,127.0.0.1:%d".formatted(replica.port(),
								redis.port()))
				.run((context) -> {
					try (Lease lease = context.getBean(LockRegistry.class).acquire("replica:taro")) {
						assertThat(redis.ask("KEYS static:{*")).startsWith("*1");
					}
				});
		}
	}

	@Test
	@DisplayName("Service connections (Testcontainers, Docker Compose) precede the properties")
	void serviceConnection() {
		DataRedisConnectionDetails details = new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("127.0.0.1", redis.port());
			}

		};
		alone().withPropertyValues("spring.data.redis.port=1", "lock.redis.key-prefix=service")
			.withBean(DataRedisConnectionDetails.class, () -> details)
			.run((context) -> {
				try (Lease lease = context.getBean(LockRegistry.class).acquire("details:taro")) {
					assertThat(redis.ask("KEYS service:{*")).startsWith("*1");
				}
			});
	}

	@Test
	@DisplayName("The application's customizers of the driver, and the client name, apply to the library's connection as well")
	void customizers() {
		AtomicInteger calls = new AtomicInteger();
		alone()
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port(),
					"spring.data.redis.client-name=shop")
			.withBean(ClientResourcesBuilderCustomizer.class, () -> (resources) -> calls.incrementAndGet())
			.withBean(LettuceClientOptionsBuilderCustomizer.class, () -> (options) -> calls.incrementAndGet())
			.run((context) -> {
				context.getBean(LockRegistry.class).acquire("name:taro").close();
				assertThat(redis.ask("CLIENT LIST")).contains("name=shop");
				assertThat(calls).hasValue(2);
			});
	}

	@Test
	@DisplayName("When the application closes, its connection and the library's connection are closed")
	void close() {
		beside().withPropertyValues("spring.data.redis.client-name=ending").run((context) -> {
			context.getBean(LockRegistry.class).acquire("close:taro").close();
			assertThat(redis.ask("CLIENT LIST")).contains("name=ending");
		});
		Awaitility.await().until(() -> !redis.ask("CLIENT LIST").contains("name=ending"));
	}

}
