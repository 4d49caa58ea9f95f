package io.github.lockstarter.store.memory;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs in a separate process: Lincheck instruments all loaded classes and controls all
 * threads, of which the process of the other tests has too many.
 */
@Tag("jdk")
class MemoryLockStoreLincheckTests {

	private static final List<String> OPTIONS = List.of("-Xmx1g", "-XX:TieredStopAtLevel=4", "-Xshare:off",
			"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
			"--add-exports=java.base/jdk.internal.util=ALL-UNNAMED",
			"--add-exports=java.base/sun.security.action=ALL-UNNAMED");

	@Test
	@DisplayName("Concurrent calls are linearizable")
	void isLinearizable() {
		check(5);
	}

	@Test
	@Tag("soak")
	@DisplayName("Further combinations of concurrent calls are linearizable")
	void isLinearizableInMore() {
		check(40);
	}

	private static void check(int iterations) {
		try (TestJvm jvm = TestJvm.start(OPTIONS, LincheckModel.class, iterations)) {
			assertThat(jvm.await("is linearizable: ")).isEqualTo("true");
		}
	}

}
