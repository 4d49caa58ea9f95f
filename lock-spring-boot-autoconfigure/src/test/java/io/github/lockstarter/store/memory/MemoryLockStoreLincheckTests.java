package io.github.lockstarter.store.memory;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In a JVM of its own: Lincheck takes over the classes that are loaded and the threads
 * that run, and finds too many of both among other tests.
 */
class MemoryLockStoreLincheckTests {

	private static final List<String> OPTIONS = List.of("-Xmx1g", "-XX:TieredStopAtLevel=4", "-Xshare:off",
			"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
			"--add-exports=java.base/jdk.internal.util=ALL-UNNAMED",
			"--add-exports=java.base/sun.security.action=ALL-UNNAMED");

	@Test
	@DisplayName("Concurrent calls behave as if they came one after the other")
	void isLinearizable() {
		try (TestJvm jvm = TestJvm.start(OPTIONS, LincheckModel.class)) {
			assertThat(jvm.await("is linearizable: ")).isEqualTo("true");
		}
	}

}
