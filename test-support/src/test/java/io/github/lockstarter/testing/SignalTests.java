package io.github.lockstarter.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SignalTests {

	private Process process;

	@AfterEach
	void end() throws Exception {
		this.process.destroyForcibly().waitFor();
	}

	@Test
	@DisplayName("A process is stopped when the signal has been sent, and runs again after the other one")
	void stops() throws Exception {
		this.process = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
		Signal.STOP.send(this.process.toHandle());
		assertThat(state(this.process.toHandle())).isEqualTo("T");
		Signal.CONT.send(this.process.toHandle());
		assertThat(state(this.process.toHandle())).isNotEqualTo("T");
	}

	@Test
	@DisplayName("A child that ends while its parent is stopped counts as stopped")
	void endedChild() throws Exception {
		this.process = new ProcessBuilder("sh", "-c", "sleep 0.01 & exec sleep 600").start();
		ProcessHandle parent = this.process.toHandle();
		ProcessHandle child = Awaitility.await()
			.until(() -> parent.children().findFirst(), (found) -> found.isPresent())
			.orElseThrow();
		Awaitility.await().until(() -> state(child).equals("Z"));
		assertThat(CompletableFuture.runAsync(() -> Signal.STOP.send(child))).succeedsWithin(Duration.ofSeconds(5));
	}

	@Test
	@DisplayName("A process that has ended counts as stopped")
	void ended() throws Exception {
		this.process = new ProcessBuilder("true").start();
		this.process.waitFor();
		assertThat(CompletableFuture.runAsync(() -> Signal.STOP.send(this.process.toHandle())))
			.succeedsWithin(Duration.ofSeconds(5));
	}

	private static String state(ProcessHandle process) throws Exception {
		String text = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
		return text.substring(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3);
	}

}
