package io.github.lockstarter.registry;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.BlockingCalls;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Asynchronous waiters block no thread.
 */
@Tag("jdk")
class NonBlockingTests {

	@Test
	@DisplayName("BlockHound detects a blocking wait on an event loop and on a Reactor thread")
	void blocking() {
		assertThat(outputOf("blocking")).filteredOn(NonBlockingTests::isBlocked)
			.allMatch((line) -> line.contains("BlockHoundCallers.block"))
			.anyMatch((line) -> line.startsWith("blocked event-loop") && line.contains("AcquisitionSubmitter.await"))
			.anyMatch((line) -> line.startsWith("blocked parallel") && line.contains("AcquisitionSubmitter.await"));
	}

	@Test
	@DisplayName("Asynchronous callers do not block event loops, driver threads or engine threads, however many want one lock")
	void asynchronous() {
		assertThat(outputOf("asynchronous")).noneMatch(NonBlockingTests::isBlocked)
			.filteredOn((line) -> line.startsWith("served "))
			.singleElement()
			.satisfies((line) -> assertThat(Integer.parseInt(line.substring("served ".length())))
				.as("all but those that gave up")
				.isBetween(2_700, 3_000));
	}

	@Test
	@DisplayName("Asynchronous callers block no such thread while Redis does not answer")
	void unanswered() {
		assertThat(outputOf("unanswered")).contains("served 0").noneMatch(NonBlockingTests::isBlocked);
	}

	private static boolean isBlocked(String line) {
		return line.startsWith("blocked ");
	}

	private static List<String> outputOf(String way) {
		try (LocalRedis redis = LocalRedis.started();
				TestJvm jvm = TestJvm.start(BlockingCalls.OPTIONS, BlockHoundCallers.class, way, redis.port())) {
			jvm.await("end");
			return jvm.output();
		}
	}

}
