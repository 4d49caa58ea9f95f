package io.github.lockstarter.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.test.context.support.TestPropertySourceUtils;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
@Tag("once")
class EmbeddedRedisTests {

	private static final String STARTED = "an embedded one was started";

	private static final String PORT = "spring.data.redis.port=";

	private static final String PASSWORD = "spring.data.redis.password=";

	@Test
	@DisplayName("The first instance starts a Redis and logs one line, and the next instance joins it")
	void startsOne(CapturedOutput output) {
		LocalRedis redis = new LocalRedis();
		initialize(PORT + redis.port());
		initialize(PORT + redis.port());
		assertThat(output).containsOnlyOnce(STARTED);
		assertThat(redis.ask("PING")).isEqualTo("+PONG");
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock.store=memory", "spring.data.redis.host=redis.example.com",
			"spring.data.redis.url=redis://redis.example.com", "spring.data.redis.sentinel.master=main",
			"spring.data.redis.cluster.nodes=127.0.0.1:7000", "spring.data.redis.ssl.enabled=true" })
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
			initialize(PORT + LocalRedis.freePort());
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
		assertThat(output).doesNotContain(STARTED);
	}

	@Test
	@DisplayName("A Redis that requires a password stops the start, with the action and without a stack trace")
	void password() {
		try (LocalRedis redis = LocalRedis.started("--requirepass", "secret")) {
			assertStops(redis.port(), "The Redis on localhost:%d requires a password.".formatted(redis.port()),
					"--" + PASSWORD);
			initialize(PORT + redis.port(), PASSWORD + "secret");
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> initialize(PORT + redis.port(), PASSWORD + "wrong"))
				.withMessageContaining("WRONGPASS");
		}
	}

	@Test
	@DisplayName("Another program at Redis's port stops the start, with the action and without a stack trace")
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

	private static void assertStops(int port, String found, String remedy) {
		try (TestJvm sample = TestJvm.start(SampleApplication.class, "--" + PORT + port)) {
			assertThat(sample.awaitEnd()).isOne();
			assertThat(sample.output()).contains("APPLICATION FAILED TO START")
				.anyMatch((line) -> line.startsWith(found))
				.anyMatch((line) -> line.contains(remedy) && line.contains("--lock.store=memory"))
				.noneMatch((line) -> line.startsWith("\tat "));
		}
	}

	private static void initialize(String... properties) {
		StaticApplicationContext context = new StaticApplicationContext();
		TestPropertySourceUtils.addInlinedPropertiesToEnvironment(context, properties);
		new EmbeddedRedis().initialize(context);
	}

}
