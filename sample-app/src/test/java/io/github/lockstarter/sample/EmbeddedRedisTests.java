package io.github.lockstarter.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import com.sun.net.httpserver.HttpServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.ProtocolKeyword;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.test.context.support.TestPropertySourceUtils;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalServer;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
@Tag("once")
class EmbeddedRedisTests {

	private static final String STARTED = "an embedded one was started";

	private static final String PORT = "spring.data.redis.port=";

	private static final String PASSWORD = "spring.data.redis.password=";

	@TempDir
	private Path home;

	private SampleFolder folder;

	@BeforeEach
	void folder() {
		this.folder = new SampleFolder(this.home);
	}

	@Test
	@DisplayName("The first instance starts a Redis and logs one line, and the next instance joins it with the same password")
	void startsOne(CapturedOutput output) {
		LocalRedis redis = new LocalRedis();
		String first = initialize(PORT + redis.port());
		String second = initialize(PORT + redis.port());
		assertThat(output).containsOnlyOnce(STARTED);
		assertThat(first).isEqualTo(second).hasSize(32);
	}

	@Test
	@DisplayName("Another user of the machine cannot use the Redis, and nobody can make it write files or load code")
	void closedToOthers() {
		LocalRedis redis = new LocalRedis();
		assertClosed(redis, initialize(PORT + redis.port()));
	}

	@Test
	@DisplayName("The Redis that the sample contains starts with the same settings")
	void contained() throws IOException {
		LocalRedis redis = new LocalRedis();
		RedisServer server = EmbeddedRedis.newServer(ExecutableProvider.newJarResourceProvider(), redis.port(),
				"se \"cret");
		server.start();
		try {
			assertClosed(redis, "se \"cret");
		}
		finally {
			server.stop();
		}
	}

	private static void assertClosed(LocalRedis redis, String password) {
		assertThat(redis.ask("PING")).startsWith("-NOAUTH");
		try (RedisClient client = RedisClient.create(RedisURI.builder()
			.withHost("127.0.0.1")
			.withPort(redis.port())
			.withPassword(password.toCharArray())
			.build()); StatefulRedisConnection<String, String> connection = client.connect()) {
			RedisCommands<String, String> commands = connection.sync();
			assertThat(EmbeddedRedis.DANGEROUS).contains("CONFIG", "DEBUG", "MODULE", "REPLICAOF", "SAVE")
				.allSatisfy((name) -> assertThatExceptionOfType(RedisCommandExecutionException.class)
					.isThrownBy(() -> commands.dispatch(new Command(name), new StatusOutput<>(StringCodec.UTF8)))
					.withMessageContaining("unknown command"));
			assertThat(commands.ping()).isEqualTo("PONG");
		}
	}

	@Test
	@DisplayName("A program of another user at the port learns no password that a Redis has later")
	void newPasswordForEachStart() throws IOException {
		LocalRedis redis = new LocalRedis();
		String first;
		try (PasswordFile file = this.folder.passwordFile("redis-%d-password".formatted(redis.port()))) {
			first = file.generate();
		}
		assertThat(initialize(PORT + redis.port())).hasSize(32).isNotEqualTo(first);
	}

	@Test
	@DisplayName("A configured password is the one of the embedded Redis, also with special characters")
	void configuredPassword(CapturedOutput output) {
		LocalRedis redis = new LocalRedis();
		initialize(PORT + redis.port(), PASSWORD + "se c\"r\\et#ü");
		initialize(PORT + redis.port(), PASSWORD + "se c\"r\\et#ü");
		assertThat(output).containsOnlyOnce(STARTED);
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> initialize(PORT + redis.port()))
			.withMessageContaining("requires a password");
	}

	@Test
	@DisplayName("The command line uses the Redis of a running instance, and starts none")
	void commandLine(CapturedOutput output) {
		LocalRedis redis = new LocalRedis();
		assertThat(initialize(EmbeddedRedis.ofOtherInstance(this.folder), PORT + redis.port())).isEmpty();
		assertThat(output).doesNotContain(STARTED);
		String password = initialize(PORT + redis.port());
		assertThat(initialize(EmbeddedRedis.ofOtherInstance(this.folder), PORT + redis.port())).isEqualTo(password);
	}

	@Test
	@DisplayName("A Redis without a password is used as it is, and nothing is kept for it")
	void withoutPassword(CapturedOutput output) {
		try (LocalRedis other = LocalRedis.started()) {
			assertThat(initialize(PORT + other.port())).isEmpty();
			assertThat(output).doesNotContain(STARTED);
			assertThat(this.home).isEmptyDirectory();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock.store=memory", "spring.data.redis.host=redis.example.com",
			"spring.data.redis.url=redis://redis.example.com", "spring.data.redis.sentinel.master=main",
			"spring.data.redis.cluster.nodes=127.0.0.1:7000", "spring.data.redis.username=app",
			"spring.data.redis.ssl.enabled=true" })
	@DisplayName("With locks in memory, or a Redis that is remote or not standalone, none is started, and none is contacted")
	void startsNone(String property, CapturedOutput output) {
		try (LocalRedis other = LocalRedis.started("--requirepass", "secret")) {
			initialize(PORT + other.port(), property);
			assertThat(output).doesNotContain(STARTED);
		}
	}

	@Test
	@DisplayName("Ahead-of-time processing starts no Redis")
	void startsNoneInABuild(CapturedOutput output) {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try {
			initialize(PORT + LocalServer.reservePort());
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
		assertThat(output).doesNotContain(STARTED);
	}

	@Test
	@DisplayName("A Redis that requires a password prevents startup, with the action and without a stack trace")
	void password() {
		try (LocalRedis redis = LocalRedis.started("--requirepass", "secret")) {
			assertStops(redis.port(), "The Redis on localhost:%d requires a password.".formatted(redis.port()),
					"SPRING_DATA_REDIS_PASSWORD");
			initialize(PORT + redis.port(), PASSWORD + "secret");
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> initialize(PORT + redis.port(), PASSWORD + "wrong"))
				.withMessageContaining("WRONGPASS");
		}
	}

	@Test
	@DisplayName("Another program at Redis's port prevents startup, with the action and without a stack trace")
	void anotherProgram() throws IOException {
		HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		other.start();
		try {
			int port = other.getAddress().getPort();
			assertStops(port, "The server on localhost:%d does not answer as Redis does".formatted(port), "Stop it.");
		}
		finally {
			other.stop(0);
		}
	}

	private void assertStops(int port, String found, String remedy) {
		try (TestJvm sample = TestJvm.start(List.of("-Duser.home=" + this.home), SampleApplication.class,
				"--" + PORT + port)) {
			assertThat(sample.awaitEnd()).isOne();
			assertThat(sample.output()).contains("APPLICATION FAILED TO START")
				.anyMatch((line) -> line.startsWith(found))
				.anyMatch((line) -> line.contains(remedy) && line.contains("--lock.store=memory"))
				.noneMatch((line) -> line.startsWith("\tat "));
		}
	}

	private String initialize(String... properties) {
		return initialize(EmbeddedRedis.startedIfMissing(this.folder), properties);
	}

	/** Returns the password of an embedded Redis; an empty text if none is used. */
	private static String initialize(EmbeddedRedis redis, String... properties) {
		StaticApplicationContext context = new StaticApplicationContext();
		TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, properties);
		redis.initialize(context);
		DataRedisConnectionDetails details = context.getBeanFactory()
			.getBeanProvider(DataRedisConnectionDetails.class)
			.getIfAvailable();
		return (details != null) ? Objects.requireNonNull(details.getPassword()) : "";
	}

	private record Command(String word) implements ProtocolKeyword {

		@Override
		public byte[] getBytes() {
			return this.word.getBytes(StandardCharsets.US_ASCII);
		}

	}

}
