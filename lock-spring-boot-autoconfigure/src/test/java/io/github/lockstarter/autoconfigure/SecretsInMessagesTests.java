package io.github.lockstarter.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.BeansException;
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
@ExtendWith(OutputCaptureExtension.class)
class SecretsInMessagesTests {

	private static final String AWS_ENDPOINT = "aws.endpointUrlDynamoDb";

	private static final Map<String, String> AWS = Map.of("aws.region", "eu-central-1", "aws.accessKeyId", "key",
			"aws.secretAccessKey", "s3cret");

	@AfterEach
	void clear() {
		System.clearProperty(AWS_ENDPOINT);
		AWS.keySet().forEach(System::clearProperty);
	}

	@ParameterizedTest
	@CsvSource(delimiterString = "->", value = {
			"postgres://app:s3cret@127.0.0.1:1/locks -> a URL that does not begin with jdbc:",
			"jdbc:oracle:thin:app/s3cret@//127.0.0.1/x -> in the database of jdbc:oracle:…",
			"jdbc:postgresql://app:s3cret@127.0.0.1:1/locks -> jdbc:postgresql:…, has a user before",
			"JDBC:POSTGRESQL://app:s3cret@127.0.0.1:1/locks -> JDBC:POSTGRESQL:…, has a user before",
			"jdbc:mariadb://app:s3cret@127.0.0.1:1/locks -> jdbc:mariadb:…, has a user before",
			"jdbc:h2:tcp://app:s3cret@127.0.0.1:1/~/x -> jdbc:h2:…, has a user before",
			"jdbc:postgresql://127.0.0.1:1?user=app&password=s3cret -> jdbc:postgresql:…, has no / after",
			"jdbc:postgresql://127.0.0.1:1/locks?user=app&password=s3cret -> Connection refused",
			"jdbc:mysql://app:s3cret@127.0.0.1:1/locks -> Connection refused",
			"jdbc:aws-wrapper:postgresql://127.0.0.1:1/s3cret -> No driver accepts the URL of the locks' database, jdbc:aws-wrapper:…",
			"jdbc:h2:mem;PASSWORD=s3cret -> Its message is not shown" })
	@DisplayName("No message shows more of a JDBC URL than the name of the driver")
	void jdbc(String url, String message, CapturedOutput output) {
		assertMessage(output, message, "lock.store=jdbc", "lock.jdbc.url=" + url, "lock.jdbc.command-timeout=300ms");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis//app:s3cret@127.0.0.1:1", "app:s3cret@127.0.0.1:1", "redis://app:s3cret@",
			"redis://app:s3 cret@127.0.0.1:1", "http://app:s3cret@127.0.0.1:1", "redis://app:s3cret@127.0.0.1:99999" })
	@DisplayName("An invalid URL of Redis is reported without the URL")
	void redisUrl(String url, CapturedOutput output) {
		assertRedisMessage(output, "spring.data.redis.url is not a valid address of Redis", "url=" + url);
	}

	@ParameterizedTest
	@ValueSource(strings = { "host=app:s3cret@127.0.0.1", "host=redis://app:s3cret@127.0.0.1", "database=-1",
			"host=127.0.0.1:6379", "url=redis://app:s3cret@my_redis:6379", "url=redis://app:s3cret@127.0.0.1:port",
			"cluster.nodes=app:s3cret@127.0.0.1", "cluster.nodes=app:s3cret@127.0.0.1:1", "cluster.nodes=s3cret",
			"cluster.nodes=:6379", "sentinel.master=m,sentinel.nodes=app:s3cret@127.0.0.1",
			"sentinel.master=m,sentinel.nodes=redis://app:s3cret@127.0.0.1:1",
			"masterreplica.nodes=app:s3cret@127.0.0.1", "masterreplica.nodes=s3cret", "sentinel.master=m" })
	@DisplayName("An invalid address of Redis is reported without the address")
	void redis(String property, CapturedOutput output) {
		assertRedisMessage(output, "spring.data.redis.* has no valid address of Redis", property);
	}

	@ParameterizedTest
	@ValueSource(strings = { "host=127.0.0.1", "cluster.nodes=127.0.0.1:1",
			"sentinel.master=m,sentinel.nodes=127.0.0.1:1,sentinel.username=app,sentinel.password=s3cret",
			"masterreplica.nodes=127.0.0.1:1", "url=rediss://app:s3cret@127.0.0.1:1",
			"url=redis://127.0.0.1:1?timeout=s3cret" })
	@DisplayName("No message shows the password of a Redis that is unavailable, wherever it is")
	void unavailableRedis(String property, CapturedOutput output) {
		assertRedisMessage(output, "No connection to Redis", property + ",port=1,username=app,password=s3cret");
	}

	@Test
	@DisplayName("A key for fingerprints that is too short is reported without the key")
	void fingerprintKey(CapturedOutput output) {
		assertMessage(output, "must have at least 16 characters", "lock.store=memory",
				"lock.replay.fingerprint-key=s3cret");
	}

	@ParameterizedTest
	@ValueSource(strings = { "memcached://app:s3cret@127.0.0.1:1", "app:s3cret@127.0.0.1:1", "app:s3cret@127.0.0.1",
			"127.0.0.1:s3cret", "s3cret@127.0.0.1:1" })
	@DisplayName("An invalid address of memcached is reported without the address")
	void memcached(String servers, CapturedOutput output) {
		assertMessage(output, "lock.memcached.servers has an invalid server", "lock.store=memcached",
				"lock.memcached.servers=" + servers, "lock.memcached.command-timeout=300ms");
	}

	@ParameterizedTest
	@CsvSource(delimiterString = "->",
			value = { "http://app:s3cret@127.0.0.1:1 -> Connection refused",
					"app:s3cret@127.0.0.1:1 -> the AWS SDK cannot create a client",
					"http://app:s3 cret@127.0.0.1:1 -> the AWS SDK cannot create a client",
					"s3cret -> the AWS SDK cannot create a client", "ftp://app:s3cret@127.0.0.1:1 -> DynamoDB failed",
					"http://app:s3cret@127.0.0.1:99999 -> DynamoDB failed" })
	@DisplayName("No message shows the credentials in an endpoint of DynamoDB")
	void dynamodb(String endpoint, String message, CapturedOutput output) {
		AWS.forEach(System::setProperty);
		System.setProperty(AWS_ENDPOINT, endpoint);
		assertMessage(output, message, "lock.store=dynamodb", "lock.dynamodb.command-timeout=300ms");
	}

	private static void assertRedisMessage(CapturedOutput output, String message, String settings) {
		assertMessage(output, message,
				Stream
					.concat(Stream.of("lock.redis.command-timeout=300ms"),
							Stream.of(settings.split(",")).map((setting) -> "spring.data.redis." + setting))
					.toArray(String[]::new));
	}

	/**
	 * Asserts that startup, or the first acquisition, fails with the message, and that
	 * nothing contains the secret.
	 */
	private static void assertMessage(CapturedOutput output, String message, String... properties) {
		String[] arguments = Stream.of(properties).map((property) -> "--" + property).toArray(String[]::new);
		StringWriter failures = new StringWriter();
		PrintWriter writer = new PrintWriter(failures);
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.run(arguments)) {
			LockRegistry locks = context.getBean(LockRegistry.class);
			Awaitility.await().until(() -> {
				catchThrowable(() -> locks.acquire("team:42").close()).printStackTrace(writer);
				return (failures + output.getAll()).contains(message);
			});
		}
		catch (BeansException ex) {
			ex.printStackTrace(writer);
		}
		assertThat(failures + output.getAll()).contains(message).doesNotContain("s3cret", "s3 cret");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

	}

}
