package io.github.lockstarter.sample;

import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisDeployment;

/**
 * Two instances of the application with a Redis deployment of several servers.
 */
@Tag("once")
class RedisDeploymentsTests {

	static Stream<RedisDeployment> deployments() {
		return Stream.of(LocalSentinel.shared(), LocalCluster.shared());
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("deployments")
	@DisplayName("Of two concurrent registrations of one name, one gets 201 and the other 409")
	void oneWinner(RedisDeployment deployment) {
		ControlledPoints.assertOneWinner(Stream
			.concat(Arrays.stream(deployment.properties()),
					Stream.of("lock.redis.command-timeout=30s",
							"spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(deployment)))
			.toArray(String[]::new));
	}

}
