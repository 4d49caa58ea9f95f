package io.github.lockstarter.service;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Configuration errors that prevent startup of the service, and their messages.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartTests {

	private static final String SECRET = "hunter2-hunter2-hunter2";

	@Test
	@DisplayName("Without a key, the service does not start, and the message says in plain text how to set a key or open the service")
	void noKey(CapturedOutput output) {
		assertThatException().isThrownBy(() -> RunningService.startBare("lock.store=memory").close());
		assertThat(output.getErr().strip())
			.startsWith("The lock service did not start. No client of the service has a key")
			.contains("lock.service.clients.<client>.api-key",
					"--lock.service.clients.demo.api-key=change-me-0123456789", "lock.service.open=true")
			.hasLineCount(1);
		assertThat(output.getOut().lines()).as("the log").allMatch((line) -> line.startsWith("{"));
	}

	@Test
	@DisplayName("The example in that message works, and a warning says that everybody knows the key")
	void exampleOfAKey(CapturedOutput output) {
		RunningService
			.startBare("lock.store=memory", "lock.service.clients.demo.api-key=change-me-0123456789",
					"lock.service.clients.taro.api-key=" + SECRET)
			.close();
		assertThat(output.getAll().lines().filter((line) -> line.contains("which everybody knows"))).singleElement()
			.asString()
			.contains("WARN", "client 'demo'")
			.doesNotContain("change-me");
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			lock.service.open=true                            | lock.service.clients
			lock.service.clients.a.api-key=hunter2            | lock.service.clients.a.api-key
			lock.service.clients.a.api-key=hunter2 hunter2 hu | lock.service.clients.a.api-key
			lock.service.clients.a.max-ttl=5s                 | lock.service.clients.a
			lock.service.clients.b.api-key=hunter2-hunter2-hunter2 | same key
			lock.service.clients.taro.max-locks=0             | lock.service.clients.taro.max-locks
			lock.service.clients.taro.max-ttl=0s              | lock.service.clients.taro.max-ttl
			lock.service.clients.taro.max-wait=-1s            | lock.service.clients.taro.max-wait
			lock.service.max-ttl=366d                         | lock.service.max-ttl
			""")
	@DisplayName("An invalid property prevents startup; the message names it and shows no secret")
	void wrongProperty(String property, String named, CapturedOutput output) {
		String[] properties = { "lock.store=memory", "lock.service.clients.taro.api-key=" + SECRET, property };
		assertThatException().isThrownBy(() -> RunningService.startBare(properties).close());
		assertThat(output.getAll().toLowerCase(Locale.ROOT)).contains("application failed to start",
				named.toLowerCase(Locale.ROOT));
		assertThat(output).doesNotContain("hunter2");
	}

	@Test
	@DisplayName("Each misspelt property logs a warning with the nearest valid name and without secrets")
	void misspeltProperties(CapturedOutput output) {
		Map<String, String> nearest = Map.of("lock.service.clients.taro.max-lokcs=3",
				"lock.service.clients.taro.max-locks", "lock.service.opne=true", "lock.service.open",
				"lock.servce.open=true", "lock.service.open", "lock.servce.clients.b.api-key=hunter2",
				"lock.service.clients.taro.api-key", "lock.service.client.b.api-key=hunter2",
				"lock.service.clients.taro.api-key", "lock.tll=3s", "lock.ttl");
		RunningService.start(nearest.keySet().toArray(String[]::new)).close();
		assertWarnings(nearest, output);
	}

	@Test
	@DisplayName("The warning for a misspelt property of a client suggests the valid name")
	void misspeltKey(CapturedOutput output) {
		RunningService.start("lock.service.clients.b.api-kye=hunter2").close();
		assertWarnings(Map.of("lock.service.clients.b.api-kye=hunter2", "lock.service.clients.b.api-key"), output);
	}

	private static void assertWarnings(Map<String, String> nearest, CapturedOutput output) {
		List<String> warnings = output.getAll()
			.lines()
			.filter((line) -> line.contains("is not a known property"))
			.toList();
		assertThat(warnings).hasSameSizeAs(nearest.keySet());
		nearest.forEach((property, known) -> assertThat(warnings).as(property)
			.anySatisfy((line) -> assertThat(line).contains("WARN", property.replaceFirst("=.*", " ("),
					"the nearest is " + known)));
		assertThat(output).doesNotContain("hunter2");
	}

}
