package io.github.lockstarter.autoconfigure;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration.LettucePoolingClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.LocalServer;
import io.github.lockstarter.testing.TestCertificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks connect as the application does that customizes its connections in code. In each
 * test the application's template works, too.
 */
@Tag("redis")
@ExtendWith(OutputCaptureExtension.class)
class CustomizedRedisClientTests {

	private static final int TLS_HANDSHAKE = 0x16;

	/** A command in plain text has 64 KB. */
	private static final int MOST_SLOTS = 4096;

	private static LocalRedis redis;

	private static int tlsPort;

	/** The server's certificate is for another name than that of this machine. */
	private static TestCertificate certificate;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		certificate = TestCertificate.create(directory, "dns:redis.internal");
		tlsPort = LocalServer.reservePort();
		redis = LocalRedis.started(tls(tlsPort));
		// Whoever does not authenticate reaches no key.
		assertThat(redis.ask("ACL SETUSER default resetkeys")).isEqualTo("+OK");
	}

	private static String[] tls(int port, String... others) {
		Stream<String> settings = Stream.concat(certificate.settings(port).stream(), Stream.of(others));
		return settings.flatMap((setting) -> Stream.of(("--" + setting).split(" "))).toArray(String[]::new);
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@BeforeEach
	void user() {
		redis.ask("ACL DELUSER locks");
		assertThat(redis.ask("ACL SETUSER locks on >first ~* &* +@all")).isEqualTo("+OK");
	}

	private static ApplicationContextRunner application(int port, String... properties) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("lock.redis.command-timeout=30s", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + port)
			.withPropertyValues(properties);
	}

	private static ApplicationContextRunner authenticated(int port, LettuceClientConfigurationBuilderCustomizer tls) {
		return application(port, "spring.data.redis.username=locks", "spring.data.redis.password=first")
			.withBean(LettuceClientConfigurationBuilderCustomizer.class, () -> tls);
	}

	private static void bothWork(ApplicationContext context) {
		context.getBean(StringRedisTemplate.class).opsForValue().set("application", "works");
		try (Lease lease = context.getBean(LockRegistry.class).acquire("customized:taro")) {
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A certificate for another name is accepted where a customizer verifies its authority only")
	void authorityOnly() {
		authenticated(tlsPort, (client) -> client.useSsl().verifyPeer(SslVerifyMode.CA))
			.withPropertyValues("spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificate.certificate(),
					"spring.data.redis.ssl.bundle=redis")
			.run(CustomizedRedisClientTests::bothWork);
	}

	@Test
	@DisplayName("TLS that only a customizer enables is used, with the options that it sets")
	void customizedTls() {
		SslOptions trust = SslOptions.builder().trustManager(certificate.certificate().toFile()).build();
		authenticated(tlsPort, (client) -> client
			.clientOptions(ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).sslOptions(trust).build())
			.useSsl()
			.verifyPeer(SslVerifyMode.CA)).run(CustomizedRedisClientTests::bothWork);
	}

	@Test
	@DisplayName("A certificate is not verified where a customizer disables that")
	void unverified() {
		authenticated(tlsPort, (client) -> client.useSsl().disablePeerVerification())
			.run(CustomizedRedisClientTests::bothWork);
	}

	@Test
	@DisplayName("A URL that a customizer applies decides on TLS")
	void appliedUrl() {
		RedisURI url = RedisURI.create("rediss://ignored?verifyPeer=NONE");
		authenticated(tlsPort, (client) -> client.apply(url)).run(CustomizedRedisClientTests::bothWork);
	}

	@Test
	@DisplayName("StartTLS, which a customizer enables, begins with a command in plain text")
	void startTls() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			application(server.getLocalPort(), "spring.data.redis.connect-timeout=300ms")
				.withBean(LettuceClientConfigurationBuilderCustomizer.class,
						() -> (client) -> client.useSsl().startTls())
				.run((context) -> {
					try (Socket lock = server.accept()) {
						InputStream input = lock.getInputStream();
						assertThat(input.read()).isEqualTo('*');
						Awaitility.await().until(() -> input.read() == TLS_HANDSHAKE);
					}
				});
		}
	}

	@Test
	@DisplayName("Each connection asks the credentials provider of a customizer, until it has the token that Redis accepts")
	void changedToken() {
		AtomicReference<String> token = new AtomicReference<>("first");
		AtomicInteger failures = new AtomicInteger();
		provided((configuration) -> RedisCredentialsProvider.from(() -> {
			if (failures.getAndDecrement() > 0) {
				throw new IllegalStateException("no token");
			}
			return RedisCredentials.just("locks", token.get().toCharArray());
		})).withPropertyValues("lock.redis.command-timeout=1s").run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			Awaitility.await().ignoreExceptions().untilAsserted(() -> bothWork(context));
			redis.ask("ACL SETUSER locks resetpass >second");
			redis.ask("CLIENT KILL USER locks");
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> locks.acquire("customized:taro").close()));
			failures.set(3);
			token.set("second");
			Awaitility.await().ignoreExceptions().untilAsserted(() -> bothWork(context));
		});
	}

	@Test
	@DisplayName("A credentials provider that knows servers gets the one that the application's connections have")
	void knownServer() {
		List<RedisConfiguration> asked = new CopyOnWriteArrayList<>();
		provided((configuration) -> {
			asked.add(configuration);
			return RedisCredentialsProvider.from(() -> RedisCredentials.just("locks", "first".toCharArray()));
		}).run((context) -> {
			bothWork(context);
			assertThat(asked).hasSizeGreaterThan(1).allSatisfy((each) -> {
				assertThat(each).isInstanceOf(WithHostAndPort.class);
				assertThat(((WithHostAndPort) each).getPort()).isEqualTo(redis.port());
			});
		});
	}

	@Test
	@DisplayName("New credentials of a streaming provider authenticate the open connections again")
	void streamed() {
		redis.ask("ACL SETUSER renewed on >second ~* &* +@all");
		Sinks.Many<RedisCredentials> tokens = Sinks.many().replay().latest();
		tokens.tryEmitNext(RedisCredentials.just("locks", "first".toCharArray()));
		RedisCredentialsProvider streaming = new RedisCredentialsProvider() {

			@Override
			public Mono<RedisCredentials> resolveCredentials() {
				return tokens.asFlux().next();
			}

			@Override
			public boolean supportsStreaming() {
				return true;
			}

			@Override
			public Flux<RedisCredentials> credentials() {
				return tokens.asFlux();
			}

		};
		application(redis.port(), "spring.data.redis.client-name=streaming")
			.withBean(LettuceClientConfigurationBuilderCustomizer.class,
					() -> (client) -> client.redisCredentialsProviderFactory(factory((configuration) -> streaming))
						.clientOptions(ClientOptions.builder()
							.timeoutOptions(TimeoutOptions.enabled())
							.reauthenticateBehavior(ClientOptions.ReauthenticateBehavior.ON_NEW_CREDENTIALS)
							.build()))
			.run((context) -> {
				bothWork(context);
				String before = redis.ask("CLIENT LIST");
				tokens.tryEmitNext(RedisCredentials.just("renewed", "second".toCharArray()));
				Awaitility.await().until(() -> !redis.ask("CLIENT LIST").contains("user=locks"));
				redis.ask("ACL DELUSER locks");
				bothWork(context);
				assertThat(ids(redis.ask("CLIENT LIST"))).isEqualTo(ids(before)).hasSizeGreaterThan(1);
			});
	}

	private static List<String> ids(String clients) {
		return clients.lines().filter((client) -> client.contains("name=streaming")).map((client) -> {
			assertThat(client).startsWith("id=");
			return client.substring(0, client.indexOf(' '));
		}).sorted().toList();
	}

	@Test
	@DisplayName("Through Sentinel, servers and sentinels get the credentials that a customizer provides for them")
	void sentinel() {
		LocalSentinel servers = LocalSentinel.shared();
		servers.all().forEach((each) -> each.ask("ACL SETUSER locks on >first ~* &* +@all"));
		servers.sentinels().forEach((each) -> each.ask("ACL SETUSER watcher on >third ~* &* +@all"));
		try {
			RedisCredentialsProviderFactory credentials = new RedisCredentialsProviderFactory() {

				@Override
				public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
					return RedisCredentialsProvider.from(() -> RedisCredentials.just("locks", "first".toCharArray()));
				}

				@Override
				public RedisCredentialsProvider createSentinelCredentialsProvider(
						RedisSentinelConfiguration configuration) {
					return RedisCredentialsProvider.from(() -> RedisCredentials.just("watcher", "third".toCharArray()));
				}

			};
			application(1, servers.properties())
				.withBean(LettuceClientConfigurationBuilderCustomizer.class,
						() -> (client) -> client.redisCredentialsProviderFactory(credentials).clientName("watched"))
				.run((context) -> {
					// Before the template connects, so that these are the library's.
					context.getBean(LockRegistry.class).acquire("customized:taro").close();
					assertThat(servers.master()
						.ask("CLIENT LIST")
						.lines()
						.filter((client) -> client.contains("name=watched"))).isNotEmpty()
						.allMatch((client) -> client.contains("user=locks"));
					assertThat(servers.sentinels())
						.anyMatch((each) -> each.ask("CLIENT LIST").contains("user=watcher"));
					bothWork(context);
				});
		}
		finally {
			servers.all().forEach((each) -> each.ask("ACL DELUSER locks"));
			servers.sentinels().forEach((each) -> each.ask("ACL DELUSER watcher"));
		}
	}

	@Test
	@DisplayName("Through Sentinel, TLS of a customizer is used for sentinels and servers")
	void sentinelWithTls() {
		int port = LocalServer.reservePort();
		List<String> settings = new ArrayList<>(certificate.settings(port));
		settings.add("tls-replication yes");
		settings.add("sentinel monitor locks 127.0.0.1 %d 1".formatted(tlsPort));
		try (LocalRedis sentinel = LocalRedis.sentinel(settings.toArray(String[]::new))) {
			sentinel.start();
			Awaitility.await().until(() -> sentinel.ask("INFO sentinel").contains("status=ok"));
			application(1, "spring.data.redis.sentinel.master=locks",
					"spring.data.redis.sentinel.nodes=127.0.0.1:" + port)
				.withBean(LettuceClientConfigurationBuilderCustomizer.class,
						() -> CustomizedRedisClientTests::customizeAll)
				.run(CustomizedRedisClientTests::bothWork);
		}
	}

	@Test
	@DisplayName("In a cluster, TLS and credentials of a customizer are used for each of the servers")
	void cluster() {
		int clustered = LocalServer.reservePort();
		try (LocalRedis cluster = LocalRedis.started(tls(clustered, "cluster-enabled yes", "tls-cluster yes"))) {
			for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot += MOST_SLOTS) {
				String slots = IntStream.range(slot, slot + MOST_SLOTS)
					.mapToObj(Integer::toString)
					.collect(Collectors.joining(" "));
				assertThat(cluster.ask("CLUSTER ADDSLOTS " + slots)).isEqualTo("+OK");
			}
			cluster.ask("ACL SETUSER locks on >first ~* &* +@all");
			cluster.ask("ACL SETUSER default resetkeys");
			Awaitility.await().until(() -> cluster.ask("CLUSTER INFO").contains("cluster_state:ok"));
			application(1, "spring.data.redis.cluster.nodes=127.0.0.1:" + clustered)
				.withBean(LettuceClientConfigurationBuilderCustomizer.class,
						() -> CustomizedRedisClientTests::customizeAll)
				.run(CustomizedRedisClientTests::bothWork);
		}
	}

	private static void customizeAll(LettuceClientConfigurationBuilder client) {
		client
			.redisCredentialsProviderFactory(factory((configuration) -> RedisCredentialsProvider
				.from(() -> RedisCredentials.just("locks", "first".toCharArray()))))
			.useSsl()
			.disablePeerVerification();
	}

	@Test
	@DisplayName("A customizer gets the builder that it has for the application, with a pool or without")
	void pool() {
		for (boolean pooled : List.of(true, false)) {
			Set<Class<?>> builders = new HashSet<>();
			authenticated(redis.port(), (client) -> builders.add(client.getClass()))
				.withPropertyValues("spring.data.redis.lettuce.pool.enabled=" + pooled)
				.run((context) -> {
					bothWork(context);
					assertThat(builders).containsExactly(pooled ? LettucePoolingClientConfigurationBuilder.class
							: LettuceClientConfigurationBuilder.class);
				});
		}
	}

	@Test
	@DisplayName("Client resources of a customizer find the server for locks, too, and stay in use when the locks end")
	void customizedResources() {
		AtomicInteger calls = new AtomicInteger();
		ClientResources resources = toRedis();
		try {
			authenticated(1, (client) -> {
				calls.incrementAndGet();
				client.clientResources(resources);
			}).run(CustomizedRedisClientTests::bothWork);
			// Once for the application, and once for the locks.
			assertThat(calls).hasValue(2);
			assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
		}
		finally {
			resources.shutdown();
		}
	}

	@Test
	@DisplayName("Client resources that are a bean of the application find the server for locks, too")
	void ownResources() {
		ClientResources resources = toRedis();
		try {
			application(1, "spring.data.redis.username=locks", "spring.data.redis.password=first")
				.withBean(ClientResources.class, () -> resources, (bean) -> bean.setDestroyMethodName(""))
				.run(CustomizedRedisClientTests::bothWork);
			assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
		}
		finally {
			resources.shutdown();
		}
	}

	@Test
	@DisplayName("The server of a configuration bean is the one for locks, too, with the password that it has at that moment")
	void configurationBean() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
		configuration.setUsername("locks");
		configuration.setPassword("first");
		application(1, "spring.data.redis.client-name=configured")
			.withBean(RedisStandaloneConfiguration.class, () -> configuration)
			.run((context) -> {
				bothWork(context);
				configuration.setPassword("second");
				redis.ask("ACL SETUSER locks resetpass >second");
				redis.ask("CLIENT KILL USER locks");
				LockRegistry locks = context.getBean(LockRegistry.class);
				Awaitility.await().ignoreExceptions().untilAsserted(() -> locks.acquire("customized:taro").close());
			});
	}

	@Test
	@DisplayName("Credentials of the application's connection details, which may block, are read on no thread of the driver")
	void detailsThatBlock() {
		List<String> threads = new CopyOnWriteArrayList<>();
		DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
			@Override
			public String getUsername() {
				return "locks";
			}

			@Override
			public String getPassword() {
				threads.add(Thread.currentThread().getName());
				return "first";
			}

			@Override
			public Standalone getStandalone() {
				return Standalone.of("127.0.0.1", redis.port());
			}
		};
		application(1).withBean(DataRedisConnectionDetails.class, () -> details).run((context) -> {
			context.getBean(LockRegistry.class).acquire("customized:taro").close();
			assertThat(threads).isNotEmpty().noneMatch((thread) -> thread.contains("EventLoop"));
		});
	}

	@Test
	@DisplayName("The sentinels of a configuration bean are those for locks, too")
	void configurationOfSentinels() {
		LocalSentinel servers = LocalSentinel.shared();
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.setMaster("locks");
		servers.sentinels().forEach((each) -> configuration.sentinel("127.0.0.1", each.port()));
		application(1).withBean(RedisSentinelConfiguration.class, () -> configuration)
			.run(CustomizedRedisClientTests::bothWork);
	}

	@Test
	@DisplayName("A connection factory of the application is named at startup if locks connect with spring.data.redis.*")
	void ownFactory(CapturedOutput output) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", 1));
		application(redis.port()).withBean("ownFactory", LettuceConnectionFactory.class, () -> factory)
			.run((context) -> assertThat(output.toString().lines())
				.anySatisfy((line) -> assertThat(line).contains("WARN", "'ownFactory'", "SpringDataConnections")));
	}

	@Test
	@DisplayName("A customizer of Jedis, which locks do not use, is named at startup")
	void jedis(CapturedOutput output) {
		ApplicationContextRunner application = application(redis.port()).withBean("toTls",
				JedisClientConfigurationBuilderCustomizer.class, () -> (client) -> client.useSsl());
		application.run((context) -> assertThat(output).doesNotContain("'toTls'"));
		application.withPropertyValues("spring.data.redis.client-type=jedis")
			.run((context) -> assertThat(output).contains("'toTls'")
				.contains("LettuceClientConfigurationBuilderCustomizer"));
	}

	/** Returns resources that find the server at any address. */
	private static ClientResources toRedis() {
		SocketAddressResolver resolver = new SocketAddressResolver() {

			@Override
			public SocketAddress resolve(RedisURI address) {
				return new InetSocketAddress(InetAddress.getLoopbackAddress(), redis.port());
			}

		};
		return ClientResources.builder().socketAddressResolver(resolver).build();
	}

	private static ApplicationContextRunner provided(Credentials credentials) {
		return application(redis.port()).withBean(LettuceClientConfigurationBuilderCustomizer.class,
				() -> (client) -> client.redisCredentialsProviderFactory(factory(credentials)));
	}

	private static RedisCredentialsProviderFactory factory(Credentials credentials) {
		return new RedisCredentialsProviderFactory() {

			@Override
			public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
				return credentials.of(configuration);
			}

		};
	}

	@FunctionalInterface
	private interface Credentials {

		RedisCredentialsProvider of(RedisConfiguration configuration);

	}

}
