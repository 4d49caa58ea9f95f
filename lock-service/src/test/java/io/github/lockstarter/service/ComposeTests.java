package io.github.lockstarter.service;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.BoundConfigurationProperties;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The settings in {@code compose.yaml}, tested without a container.
 */
class ComposeTests {

	private static final String KEY = "0123456789abcdef";

	private static final String REQUIRED_KEY = "\\$\\{LOCK_API_KEY:\\?[^}]+}";

	/** Read by the health checker in the image, not by the service. */
	private static final String HEALTH_PATH = "THC_PATH";

	@Test
	@DisplayName("Every environment variable in compose.yaml sets a property; the service uses that Redis and that key, and is ready")
	void environment() throws Exception {
		Map<String, Object> variables = new HashMap<>(environment("lock-1"));
		Object healthPath = variables.remove(HEALTH_PATH);
		variables.replaceAll((name, value) -> value.toString().replaceAll(REQUIRED_KEY, KEY));
		assertThat(services()).containsKey(variables.get("SPRING_DATA_REDIS_HOST").toString());
		variables.put("SPRING_DATA_REDIS_HOST", TestRedis.host());
		try (TestServer server = start(variables)) {
			// The store reads the address of Redis itself, without this recorder.
			assertThat(boundFromEnvironment(server)).containsExactlyInAnyOrderElementsOf(
					variables.keySet().stream().filter((name) -> !name.equals("SPRING_DATA_REDIS_HOST")).toList());
			assertThat(server.get(Objects.toString(healthPath)).body()).contains("UP");
			HttpRequest acquire = HttpRequest
				.newBuilder(URI.create("http://127.0.0.1:%d/locks/report".formatted(server.port())))
				.PUT(HttpRequest.BodyPublishers.noBody())
				.header("X-API-Key", KEY)
				.build();
			assertThat(HttpClient.newHttpClient().send(acquire, BodyHandlers.discarding()).statusCode()).isEqualTo(201);
			assertThat(keys("compose:*")).isNotEmpty();
		}
	}

	@Test
	@DisplayName("All instances in compose.yaml have the same environment and the image of the build; the key must be set")
	void servers() throws IOException {
		String image = service("lock-1").get("image").toString();
		assertThat(Files.readString(Path.of("pom.xml"))).contains("<name>" + image + ":latest</name>");
		assertThat(service("lock-2")).containsEntry("image", image).containsEntry("environment", environment("lock-1"));
		assertThat(environment("lock-1").values()).anyMatch((value) -> value.toString().matches(REQUIRED_KEY));
	}

	private static List<String> keys(String pattern) {
		try (RedisClient client = RedisClient.create(RedisURI.create(TestRedis.host(), TestRedis.port()));
				StatefulRedisConnection<String, String> redis = client.connect()) {
			return redis.sync().keys(pattern);
		}
	}

	private static TestServer start(Map<String, Object> variables) {
		SpringApplication application = new SpringApplication(LockServiceApplication.class);
		String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		application.addInitializers((context) -> context.getEnvironment()
			.getPropertySources()
			.replace(name, new SystemEnvironmentPropertySource(name, variables)));
		return TestServer.start(application, "spring.data.redis.port=" + TestRedis.port(),
				"lock.redis.key-prefix=compose", "lock.redis.command-timeout=30s");
	}

	/** Returns the names of the variables that were read. */
	private static Set<String> boundFromEnvironment(TestServer server) {
		BoundConfigurationProperties bound = BoundConfigurationProperties.get(server.context());
		return Objects.requireNonNull(bound)
			.getAll()
			.values()
			.stream()
			.map((property) -> Origin.from(property))
			.filter(PropertySourceOrigin.class::isInstance)
			.map(PropertySourceOrigin.class::cast)
			.filter((origin) -> origin.getPropertySource() instanceof SystemEnvironmentPropertySource)
			.map(PropertySourceOrigin::getPropertyName)
			.collect(Collectors.toSet());
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> environment(String service) throws IOException {
		return (Map<String, Object>) service(service).get("environment");
	}

	private static Map<String, Object> service(String name) throws IOException {
		return Objects.requireNonNull(services().get(name));
	}

	private static Map<String, Map<String, Object>> services() throws IOException {
		Map<String, Map<String, Map<String, Object>>> file = new Yaml().load(Files.readString(Path.of("compose.yaml")));
		return Objects.requireNonNull(file.get("services"));
	}

}
