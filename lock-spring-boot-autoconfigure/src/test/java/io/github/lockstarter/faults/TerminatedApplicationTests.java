package io.github.lockstarter.faults;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks of an application that is terminated.
 */
@Tag("faults")
@Tag("redis")
class TerminatedApplicationTests {

	private static final String PREFIX = "terminated";

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@Test
	@DisplayName("After SIGTERM with 100 requests in flight, each gets status 200 or 503, and nothing is left in Redis")
	void terminated() {
		try (TestJvm application = TestJvm.start(Application.class, "--server.port=0", "--server.address=127.0.0.1",
				"--spring.data.redis.host=" + TestRedis.host(), "--spring.data.redis.port=" + TestRedis.port(),
				"--lock.redis.key-prefix=" + PREFIX, "--lock.redis.command-timeout=30s")) {
			String port = application.await("port ");
			HttpClient client = HttpClient.newHttpClient();
			// 50 keys with two requests each: one runs, and one waits.
			List<CompletableFuture<HttpResponse<String>>> responses = IntStream.range(0, 100)
				.mapToObj((i) -> URI.create("http://127.0.0.1:%s/work?key=%d".formatted(port, i % 50)))
				.map((uri) -> client.sendAsync(HttpRequest.newBuilder(uri).build(),
						HttpResponse.BodyHandlers.ofString()))
				.toList();
			Awaitility.await().until(() -> count(application, "working") == 50 && count(application, "arrived") == 100);
			assertThat(redis.keys(PREFIX + ":{*")).hasSize(50);
			application.terminate();
			application.awaitEnd();
			assertThat(responses).allSatisfy((response) -> assertThat(response).succeedsWithin(Duration.ofSeconds(5)));
			assertThat(responses).filteredOn((response) -> response.join().statusCode() == 200)
				.hasSize(50)
				.allSatisfy((response) -> assertThat(response.join().body()).isEqualTo("true"));
			assertThat(responses).filteredOn((response) -> response.join().statusCode() == 503)
				.hasSize(50)
				.allSatisfy((response) -> assertThat(response.join().body()).contains("lock-store-unavailable"));
			assertThat(redis.keys(PREFIX + ":{*")).isEmpty();
			assertThat(redis.keys(PREFIX + ":waiting*")).isEmpty();
		}
	}

	private static long count(TestJvm application, String begin) {
		return application.output().stream().filter((line) -> line.startsWith(begin)).count();
	}

}
