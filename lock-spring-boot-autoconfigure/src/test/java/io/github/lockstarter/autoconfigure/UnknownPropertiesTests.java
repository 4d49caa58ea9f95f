package io.github.lockstarter.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Warnings about unknown properties under {@code lock}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTests {

	private static final String WARNING = "is not a known property";

	private final StandardEnvironment environment = new StandardEnvironment();

	@TempDir
	private Path folder;

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			lock.tttl                       | lock.ttl
			lock.conflict-status            | lock.web.conflict-status
			lock.web.conflictstatsu         | lock.web.conflict-status
			lock.web.release                | lock.web.release-on
			lock.redsi.command-timeout      | lock.redis.command-timeout
			lock.names.team.tll             | lock.names.team.ttl
			lock.names[a.b].maxhold.x       | lock.names[a.b].max-hold
			lock.memcached.sevrers          | lock.memcached.servers
			lock.jdbc-url                   | lock.jdbc.url
			lock.replay.max-result          | lock.replay.max-results
			lock.replay.kep                 | lock.replay.keep
			lock.max.waiters                | lock.max-waiters
			lock.ttl.unit                   | lock.ttl
			lock.client.max-atempts         | lock.client.max-attempts
			lock.clients.max-time           | lock.client.max-time
			""")
	@DisplayName("An unknown property logs one line with its name, origin and nearest valid name, and does not prevent startup")
	void nearest(String property, String nearest, CapturedOutput output) {
		start(List.of(), "--" + property + "=hunter2").close();
		assertThat(warnings(output)).singleElement()
			.satisfies((line) -> assertThat(line).contains("WARN",
					property + " (\"" + property + "\" from property source \"commandLineArgs\") " + WARNING,
					"the nearest is " + nearest));
		assertThat(output).doesNotContain("hunter2");
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "memcached" })
	@DisplayName("With lazy initialization, a misspelt property is reported whether the store is used or not, and a correct one is not")
	void lazy(String store, CapturedOutput output) {
		start(List.of(), "--spring.main.lazy-initialization=true", "--lock.store=memory",
				"--lock.names.other.store=" + store, "--lock.memcached.servers=127.0.0.1:1",
				"--lock.memcached.prefix=a")
			.close();
		assertThat(warnings(output)).singleElement()
			.satisfies((line) -> assertThat(line).contains("lock.memcached.prefix", "lock.memcached.key-prefix"));
	}

	@Test
	@DisplayName("A misspelt environment variable is reported")
	void variable(CapturedOutput output) {
		setVariables(Map.of("LOCK_WEB_CONFLICTSTATSU", "422", "LOCK_NAMES_TEAM_TLL", "5s"));
		start(List.of()).close();
		assertThat(warnings(output)).satisfiesExactlyInAnyOrder(
				(line) -> assertThat(line).contains("\"LOCK_WEB_CONFLICTSTATSU\"",
						"the nearest is lock.web.conflict-status"),
				(line) -> assertThat(line).contains("\"LOCK_NAMES_TEAM_TLL\"", "the nearest is lock.names.team.ttl"));
	}

	@Test
	@DisplayName("A misspelt system property is reported")
	void systemProperty(CapturedOutput output) {
		TestPropertyValues.of("lock.wiat=5s").applyToSystemProperties(() -> {
			start(List.of()).close();
			return null;
		});
		assertThat(warnings(output)).singleElement()
			.satisfies((line) -> assertThat(line).contains("\"lock.wiat\" from property source \"systemProperties\"",
					"the nearest is lock.wait"));
	}

	@Test
	@DisplayName("A misspelt property in a file is reported with its file and line")
	void file(CapturedOutput output) throws Exception {
		Path file = Files.writeString(this.folder.resolve("own.yaml"), """
				lock:
				  store: memory
				  names:
				    team:
				      renwe: false
				""");
		start(List.of(), "--spring.config.location=" + file.toUri()).close();
		assertThat(warnings(output)).singleElement()
			.satisfies((line) -> assertThat(line).contains("lock.names.team.renwe", "own.yaml", "5:14",
					"the nearest is lock.names.team.renew"));
	}

	@Test
	@DisplayName("A misspelt property in a configuration tree is reported with its file")
	void configTree(CapturedOutput output) throws Exception {
		Files.createDirectory(this.folder.resolve("lock"));
		Files.writeString(this.folder.resolve("lock").resolve("max-hodl"), "hunter2");
		start(List.of(), "--spring.config.import=configtree:" + this.folder + "/").close();
		assertThat(warnings(output)).singleElement()
			.satisfies((line) -> assertThat(line).contains("lock.max-hodl", this.folder.toString(),
					"the nearest is lock.max-hold"));
		assertThat(output).doesNotContain("hunter2");
	}

	@Test
	@DisplayName("A property of this library logs no warning in any of its forms, even if another source overrides it")
	void ours(CapturedOutput output) {
		Map<String, String> variables = new HashMap<>();
		Stream.of("LOCK_MAXWAITERS", "LOCK_MAX_WAITERS").forEach((name) -> variables.put(name, "7"));
		Stream
			.of("LOCK_NAMES_TEAM_MAXHOLD", "LOCK_NAMES_TEAM_MAX_HOLD", "LOCK_SHARE_TTL", "LOCK_REDIS_COMMAND_TIMEOUT",
					"LOCK_CLIENT_MAX_TIME")
			.forEach((name) -> variables.put(name, "1m"));
		Stream.of("LOCK_MEMCACHED_SERVERS_0", "LOCK_MEMCACHED_SERVERS_1").forEach((name) -> variables.put(name, "a"));
		setVariables(variables);
		this.environment.getPropertySources()
			.addLast(new MapPropertySource("low",
					Map.of("lock.memcached.servers[0]", "b", "lock.memcached.servers[2]", "b", "lock.maxWaiters", "8",
							"lock.names[a.b].conflictStatus", "422", "lock.names.c.wait", "1s", "lock.web.release_on",
							"response")));
		try (ConfigurableApplicationContext context = start(List.of(), "--lock.max-waiters=9")) {
			assertThat(context.getBean(LockProperties.class).maxWaiters()).isEqualTo(9);
			assertThat(context.getBean(LockProperties.class).names()).containsKey("a.b");
		}
		assertThat(warnings(output)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("An application's own @ConfigurationProperties under lock log no warning, except for unknown properties")
	void ownBean(boolean lazy, CapturedOutput output) {
		setVariables(Map.of("LOCK_DOOR_KEY_CODE", "1234", "LOCK_DOOR_PLACES_0", "front", "LOCK_DOOR_PLACES_1", "side"));
		try (ConfigurableApplicationContext context = start(List.of(OwnProperties.class),
				"--spring.main.lazy-initialization=" + lazy, "--lock.door.open-hours.monday=9",
				"--lock.door.places[0]=back", "--lock.dor=open")) {
			assertThat(context.getBean(Door.class)).isEqualTo(new Door("1234", List.of("back"), Map.of("monday", 9)));
		}
		assertThat(warnings(output)).singleElement().satisfies((line) -> assertThat(line).contains("lock.dor ("));
	}

	@Test
	@DisplayName("A property under lock that the application reads directly works, and logs a warning")
	void ownValue(CapturedOutput output) {
		setVariables(Map.of("LOCK_FILE", "/var/lock/door"));
		try (ConfigurableApplicationContext context = start(List.of(OwnValue.class))) {
			assertThat(context.getBean(OwnValue.class).file).isEqualTo("/var/lock/door");
		}
		assertThat(warnings(output)).singleElement().satisfies((line) -> assertThat(line).contains("\"LOCK_FILE\""));
		assertThat(output).doesNotContain("/var/lock/door");
	}

	@Test
	@DisplayName("A value that cannot be resolved does not prevent startup")
	void unreadable(CapturedOutput output) {
		this.environment.getPropertySources().addLast(new MapPropertySource("vault", Map.of("lock.code", "cipher")) {

			@Override
			public Object getProperty(String name) {
				if (name.equals("lock.code")) {
					throw new IllegalStateException("cannot be decrypted");
				}
				return super.getProperty(name);
			}

		});
		start(List.of()).close();
		assertThat(warnings(output)).singleElement()
			.satisfies((line) -> assertThat(line).contains("lock.code (unreadable)"));
	}

	private void setVariables(Map<String, String> variables) {
		this.environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new HashMap<>(variables)));
	}

	private ConfigurableApplicationContext start(List<Class<?>> types, String... args) {
		SpringApplication application = new SpringApplication(
				Stream.concat(Stream.of(TestServer.CompleteApplication.class), types.stream()).toArray(Class[]::new));
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setEnvironment(this.environment);
		application.setDefaultProperties(Map.of("lock.store", "memory"));
		ConfigurableApplicationContext context = application.run(args);
		assertThat(context.getBean(LockRegistry.class).tryAcquire("any", Duration.ZERO)).isPresent();
		return context;
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains(WARNING)).toList();
	}

	@EnableConfigurationProperties(Door.class)
	static class OwnProperties {

	}

	@ConfigurationProperties("lock.door")
	record Door(String keyCode, List<String> places, Map<String, Integer> openHours) {
	}

	static class OwnValue {

		@Value("${lock.file}")
		private String file;

	}

}
