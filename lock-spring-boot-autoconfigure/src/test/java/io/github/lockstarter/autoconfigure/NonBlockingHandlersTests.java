package io.github.lockstarter.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.BlockingCalls;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("jdk")
class NonBlockingHandlersTests {

	@Test
	@DisplayName("WebFlux handlers that acquire, wait and release do not block the event loop")
	void handlers() {
		try (LocalRedis redis = LocalRedis.started();
				TestJvm jvm = TestJvm.start(BlockingCalls.OPTIONS, BlockHoundServer.class, redis.port())) {
			jvm.await("end");
			List<String> output = jvm.output();
			assertThat(output).contains("responses 500").noneMatch((line) -> line.startsWith("blocked "));
		}
	}

}
