package io.github.lockstarter.sample.demo;

import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The port that the page suggests for another instance.
 */
@Tag("once")
class InstancesTests {

	@ParameterizedTest
	@CsvSource({ "8080, 8080, 8081", "8080, 8081, 8082", "8081, 8083, 8082", "8082, 8081, 8083" })
	@DisplayName("The next port is the first one from 8081 that no instance has")
	void nextPort(int first, int second, int next) {
		assertThat(Instances.nextPort(IntStream.of(first, second)
			.mapToObj((port) -> new Instance("http://127.0.0.1:" + port, "an-id", true, "redis"))
			.toList())).isEqualTo(next);
	}

}
