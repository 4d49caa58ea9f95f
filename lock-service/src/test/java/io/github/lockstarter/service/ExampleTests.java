package io.github.lockstarter.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.util.UriUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An example, as a process, and the service that it talks to. Each has a test class of
 * its own, so that they run at once.
 */
@Tag("once")
abstract class ExampleTests {

	private static final String THIEF = "token-of-the-thief";

	/** Says that it is ended by a signal, unless its input ends before. */
	private static final String[] ENDS_ON_TERM = { "sh", "-c",
			"trap 'echo ended; exit 1' TERM; echo begun; read line" };

	private static RunningService service;

	private final String file;

	ExampleTests(String file) {
		this.file = file;
	}

	@BeforeAll
	static void start() {
		Example.checkTools();
		service = RunningService.start();
	}

	@AfterAll
	static void stop() {
		service.close();
	}

	@Test
	@DisplayName("It has fewer than 30 lines")
	void isShort() throws IOException {
		assertThat(Files.readAllLines(Example.DIRECTORY.resolve(this.file))).hasSizeLessThan(30);
	}

	@Test
	@DisplayName("The command runs under the lock, with its input; meanwhile a second one is refused with 75; afterwards the lock is free")
	void runsUnderTheLock() {
		try (Example first = start("report", "sh", "-c", "echo begun; cat")) {
			first.await("begun");
			assertThat(held("report")).isTrue();
			try (Example second = start("report", "echo", "second was run")) {
				assertThat(second.exitCode()).as(second.output()).isEqualTo(75);
				assertThat(second.output()).doesNotContain("second was run");
			}
			assertThat(held("report")).as("after the refusal").isTrue();
			first.input("all of the input");
			assertThat(first.exitCode()).as(first.output()).isZero();
			assertThat(first.output()).contains("all of the input");
			assertThat(held("report")).isFalse();
		}
	}

	@Test
	@DisplayName("A failing command's exit code is passed on, and the lock is released")
	void failure() {
		try (Example example = start("failing", "sh", "-c", "exit 7")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(7);
			assertThat(held("failing")).isFalse();
		}
	}

	@Test
	@DisplayName("A command that is killed by a signal ends as in a shell, with 128 and the number")
	void killedCommand() {
		try (Example example = start("killed", "sh", "-c", "kill -KILL $$")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(137);
			assertThat(held("killed")).isFalse();
		}
	}

	@Test
	@DisplayName("A command that does not exist is told, and the lock is released")
	void noSuchCommand() {
		try (Example example = start("missing", "/no/such/command")) {
			assertThat(example.exitCode()).as(example.output()).isIn(69, 127);
			assertThat(example.output()).contains("/no/such/command");
			assertThat(held("missing")).isFalse();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "TERM", "INT" })
	@DisplayName("A signal ends the command, and then the lock is released")
	void signals(String signal) {
		try (Example example = start("signalled", ENDS_ON_TERM)) {
			example.await("begun");
			assertThat(held("signalled")).isTrue();
			example.signal(signal);
			assertThat(example.exitCode()).as(example.output()).isIn(1, 130, 143);
			assertThat(example.output()).contains("ended");
			assertThat(held("signalled")).isFalse();
		}
	}

	@Test
	@DisplayName("Killed, it cannot release the lock, but the command is ended while the lock is still held")
	void killed() {
		// It stays held, and the next example must not find it.
		String name = "orphaned-" + this.file;
		try (Example example = Example.start(this.file, environment(url(), RunningService.KEY, "15"), name, "sh", "-c",
				"trap 'echo ended; exit 1' TERM; echo begun; for i in $(seq 600); do sleep 0.1; done")) {
			example.await("begun");
			// The command, and what watches over it.
			Awaitility.await().until(() -> example.children() == 2);
			example.signal("KILL");
			assertThat(example.exitCode()).isEqualTo(137);
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> example.output().contains("ended"));
			assertThat(held(name)).isTrue();
		}
	}

	@Test
	@DisplayName("With a wrong key the command is not run, and the status is told")
	void wrongKey() {
		try (Example example = Example.start(this.file, environment(url(), "a-key-that-nobody-has", "30"), "keyless",
				"echo", "was run")) {
			assertThat(example.exitCode()).isEqualTo(69);
			assertThat(example.output()).contains("401").doesNotContain("was run");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b/ü?&%", "%2F..;x=1#+", "\"'$(id)`\\", "漢字 😀" })
	@DisplayName("Any name is the name of a lock")
	void hostileNames(String name) {
		try (Example example = start(name, "sh", "-c", "echo begun; cat")) {
			example.await("begun");
			assertThat(held(name)).isTrue();
			example.input("");
			assertThat(example.exitCode()).as(example.output()).isZero();
			assertThat(held(name)).isFalse();
		}
	}

	@Test
	@DisplayName("What was refused with 503, or got no answer, is asked again with the same token")
	void lostAnswers() throws IOException {
		try (Relay relay = Relay.start(service.port(), Relay.Fault.UNAVAILABLE, Relay.Fault.ANSWER_LOST);
				Example example = Example.start(this.file, environment(relay.url(), RunningService.KEY, "30"), "lost",
						"echo", "was run")) {
			assertThat(example.exitCode()).as(example.output()).isZero();
			assertThat(example.output()).contains("was run");
			assertThat(relay.answers()).containsExactly("PUT 201", "PUT 200", "DELETE 204");
			assertThat(relay.token()).hasSizeGreaterThanOrEqualTo(16);
		}
	}

	@Test
	@DisplayName("The lock is extended while the command runs; if it is lost all the same, the command is ended")
	void heartbeat() throws Exception {
		try (Relay relay = Relay.start(service.port());
				Example example = Example.start(this.file, environment(relay.url(), RunningService.KEY, "6"), "long",
						ENDS_ON_TERM)) {
			example.await("begun");
			Awaitility.await()
				.atMost(1, TimeUnit.MINUTES)
				.untilAsserted(() -> assertThat(relay.answers()).containsExactly("PUT 201", "PUT 200"));
			assertThat(status("DELETE", "long", relay.token())).isEqualTo(204);
			assertThat(status("PUT", "long", THIEF)).isEqualTo(201);
			assertThat(example.exitCode()).as(example.output()).isNotZero();
			assertThat(example.output()).contains("ended");
			assertThat(status("DELETE", "long", THIEF)).as("still the thief's").isEqualTo(204);
		}
	}

	private Example start(String lock, String... command) {
		return Example.start(this.file, environment(url(), RunningService.KEY, "30"), lock, command);
	}

	private static Map<String, String> environment(String url, String key, String ttl) {
		return Map.of("LOCK_URL", url, "LOCK_API_KEY", key, "LOCK_TTL", ttl);
	}

	private static boolean held(String lock) {
		return service.isHeld(UriUtils.encode(lock, StandardCharsets.UTF_8));
	}

	private static int status(String method, String lock, String token) {
		return service.send(method, "/locks/" + lock, "Lock-Token", token).status();
	}

	private static String url() {
		return "http://127.0.0.1:" + service.port();
	}

}
