package io.github.lockstarter.development;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that devtools restart in the same JVM, with a new class loader each
 * time.
 */
class RestartTests {

	@Test
	@DisplayName("After ten restarts there are no more threads and connections to Redis than after the start, and no thread keeps an earlier class loader")
	void restarts() {
		try (LocalRedis redis = LocalRedis.started();
				TestJvm application = TestJvm.start(RestartedApplication.class, "--spring.data.redis.host=localhost",
						"--spring.data.redis.port=" + redis.port(), "--lock.redis.command-timeout=30s")) {
			application.await("started");
			long connections = connections(redis);
			assertThat(connections).isPositive();
			assertThat(redis.ask("CLIENT LIST TYPE pubsub")).as("the connection for the subscription")
				.contains("sub=1");
			application.tell("restart ten times");
			application.await("settled after ten restarts");
			await().atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(connections(redis)).isLessThanOrEqualTo(connections));
		}
	}

	/** Without the one that asks. */
	private static long connections(LocalRedis redis) {
		return redis.ask("CLIENT LIST").lines().filter((line) -> !line.contains("cmd=client")).count();
	}

}
