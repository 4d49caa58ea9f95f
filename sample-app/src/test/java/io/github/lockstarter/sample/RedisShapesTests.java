package io.github.lockstarter.sample;

import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisShape;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the application, on several Redis servers that stand in for each
 * other.
 */
@Tag("once")
class RedisShapesTests {

	static Stream<RedisShape> shapes() {
		return Stream.of(LocalSentinel.shared(), LocalCluster.shared());
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("shapes")
	@DisplayName("Of two registrations of one name at once one is answered with 201, the other with 409")
	void oneWinner(RedisShape shape) {
		HeldPoints points = new HeldPoints();
		String[] properties = Stream
			.concat(Arrays.stream(shape.properties()),
					Stream.of("lock.redis.command-timeout=30s",
							"spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(shape)))
			.toArray(String[]::new);
		try (TestServer first = points.start(properties); TestServer second = points.start(properties)) {
			points.hold();
			List<CompletableFuture<HttpResponse<String>>> answers = Stream.of(first, second)
				.map((server) -> server.postAsync("/users?userName=taro"))
				.toList();
			Awaitility.await().until(() -> answers.stream().anyMatch(CompletableFuture::isDone));
			points.awaitRequests(1);
			points.grant();
			assertThat(answers).extracting((answer) -> answer.join().statusCode()).containsExactlyInAnyOrder(201, 409);
		}
	}

}
