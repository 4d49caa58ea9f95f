package io.github.lockstarter.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The address of a store may contain a password, in a place where it is not expected.
 */
@Tag("once")
@ExtendWith(OutputCaptureExtension.class)
class SecretsInMessagesTests {

	private static final String AWS_ENDPOINT = "aws.endpointUrlDynamoDB";

	private static final Map<String, String> AWS = Map.of("aws.region", "eu-central-1", "aws.accessKeyId", "key",
			"aws.secretAccessKey", "s3cret");

	@AfterEach
	void clear() {
		System.clearProperty(AWS_ENDPOINT);
		AWS.keySet().forEach(System::clearProperty);
	}

	@ParameterizedTest
	@ValueSource(strings = { "postgres://app:s3cret@127.0.0.1:1/locks",
			"jdbc:postgresql://app:s3cret@127.0.0.1:1/locks", "JDBC:POSTGRESQL://app:s3cret@127.0.0.1:1/locks",
			"jdbc:oracle:thin:app/s3cret@//127.0.0.1/x", "jdbc:h2:mem;PASSWORD=s3cret" })
	@DisplayName("No message shows more of a JDBC URL than the name of the driver")
	void jdbc(String url, CapturedOutput output) {
		assertNoSecret(output, "lock.store=jdbc", "lock.jdbc.url=" + url, "lock.jdbc.command-timeout=300ms");
	}

	@ParameterizedTest
	@ValueSource(strings = { "url=redis//app:s3cret@127.0.0.1:1", "url=app:s3cret@127.0.0.1:1",
			"url=redis://app:s3cret@", "url=redis://app:s3 cret@127.0.0.1:1", "url=redis://app:s3cret@127.0.0.1:99999",
			"url=redis://app:s3cret@127.0.0.1:port", "url=rediss://app:s3cret@127.0.0.1:1",
			"url=redis://app:s3cret@127.0.0.1:1/s3cret", "url=redis://127.0.0.1:1?timeout=s3cret",
			"url=http://app:s3cret@127.0.0.1:1", "host=app:s3cret@127.0.0.1", "host=redis://app:s3cret@127.0.0.1",
			"cluster.nodes=app:s3cret@127.0.0.1", "cluster.nodes=app:s3cret@127.0.0.1:1", "cluster.nodes=s3cret",
			"sentinel.nodes=app:s3cret@127.0.0.1", "sentinel.nodes=redis://app:s3cret@127.0.0.1:1",
			"masterreplica.nodes=app:s3cret@127.0.0.1" })
	@DisplayName("No message shows the credentials in an address of Redis")
	void redis(String property, CapturedOutput output) {
		assertNoSecret(output, "spring.data.redis." + property, "spring.data.redis.sentinel.master=m",
				"spring.data.redis.connect-timeout=300ms", "lock.redis.command-timeout=300ms");
	}

	@ParameterizedTest
	@ValueSource(strings = { "host=127.0.0.1", "cluster.nodes=127.0.0.1:1", "sentinel.nodes=127.0.0.1:1",
			"masterreplica.nodes=127.0.0.1:1" })
	@DisplayName("No message shows the password of a Redis that is unavailable, wherever it is")
	void unavailableRedis(String property, CapturedOutput output) {
		assertNoSecret("No connection to Redis", output, "spring.data.redis." + property, "spring.data.redis.port=1",
				"spring.data.redis.username=app", "spring.data.redis.password=s3cret",
				"spring.data.redis.sentinel.username=app", "spring.data.redis.sentinel.password=s3cret",
				"spring.data.redis.sentinel.master=m", "lock.redis.command-timeout=300ms");
	}

	@ParameterizedTest
	@ValueSource(strings = { "memcached://app:s3cret@127.0.0.1:1", "app:s3cret@127.0.0.1:1", "app:s3cret@127.0.0.1",
			"127.0.0.1:s3cret", "s3cret@127.0.0.1:1" })
	@DisplayName("No message shows the credentials in an address of memcached")
	void memcached(String servers, CapturedOutput output) {
		assertNoSecret(output, "lock.store=memcached", "lock.memcached.servers=" + servers,
				"lock.memcached.command-timeout=300ms");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "http://app:s3cret@127.0.0.1:1", "app:s3cret@127.0.0.1:1", "http://app:s3 cret@127.0.0.1:1",
					"s3cret", "ftp://app:s3cret@127.0.0.1:1", "http://app:s3cret@127.0.0.1:99999" })
	@DisplayName("No message shows the credentials in an endpoint of DynamoDB")
	void dynamodb(String endpoint, CapturedOutput output) {
		AWS.forEach(System::setProperty);
		System.setProperty(AWS_ENDPOINT, endpoint);
		assertNoSecret(output, "lock.store=dynamodb", "lock.dynamodb.command-timeout=300ms");
	}

	private static void assertNoSecret(CapturedOutput output, String... properties) {
		assertNoSecret("", output, properties);
	}

	private static void assertNoSecret(String logged, CapturedOutput output, String... properties) {
		String[] arguments = Stream.of(properties).map((property) -> "--" + property).toArray(String[]::new);
		Throwable failure = catchThrowable(() -> {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
				.web(WebApplicationType.NONE)
				.run(arguments)) {
				LockRegistry locks = context.getBean(LockRegistry.class);
				catchThrowable(() -> locks.acquire("team:42").close());
				Awaitility.await().until(() -> output.toString().contains(logged));
				// After the failure of the connection.
				locks.acquire("team:42").close();
			}
		});
		StringWriter trace = new StringWriter();
		if (failure != null) {
			failure.printStackTrace(new PrintWriter(trace));
		}
		assertThat(trace + output.toString()).doesNotContain("s3cret", "s3 cret");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

	}

}
