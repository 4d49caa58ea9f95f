package io.github.lockstarter.starter;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The effect of the starter on an application with a web server, a cache, JPA and the
 * actuator, but without Redis: only beans of this library are added.
 */
class StarterTests {

	private static final String[] PROPERTIES = { "server.port=0", "server.address=127.0.0.1",
			"spring.jmx.enabled=false", "management.endpoint.health.show-components=always",
			"management.endpoints.web.exposure.include=*" };

	/**
	 * The jars that the starter adds and that this application does not need otherwise.
	 */
	private static final Pattern OF_STARTER = Pattern.compile(
			"/lock-(core|client|redis|jdbc|spring-boot-autoconfigure)[/-]|spring-boot-data-redis|lettuce-core|redis-authx-core|netty-|reactor-core|reactive-streams");

	/**
	 * Lettuce brings Reactor, which makes the actuator create an empty registry of
	 * reactive health contributors.
	 */
	private static final Pattern OF_REACTOR = Pattern.compile("[rR]eactiveHealthContributorRegistry");

	private static Map<String, String> without;

	/** The output of the application with the starter, by kind of store. */
	private static final Map<String, Map<String, String>> with = new TreeMap<>();

	@BeforeAll
	static void start() throws Exception {
		Process plain = start(false);
		Process redis = start(true, "lock.store=redis", "spring.data.redis.port=1");
		Process memory = start(true, "lock.store=memory", "spring.data.redis.port=1");
		without = seen(plain);
		with.put("redis", seen(redis));
		with.put("memory", seen(memory));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "memory" })
	@DisplayName("Every bean of the application is unchanged, and only beans of this library are added")
	void beans(String store) {
		Map<String, String> added = beans(with.get(store));
		added.keySet().removeAll(without.keySet());
		added.keySet().removeIf((name) -> OF_REACTOR.matcher(name).find());
		assertThat(added).isNotEmpty()
			.allSatisfy((name, bean) -> assertThat(bean).as(name).contains("io.github.lockstarter"));
		Map<String, String> kept = beans(with.get(store));
		kept.keySet().retainAll(without.keySet());
		assertThat(kept).isEqualTo(beans(without));
	}

	private static Map<String, String> beans(Map<String, String> seen) {
		return seen.entrySet()
			.stream()
			.filter((each) -> each.getKey().startsWith("bean "))
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));
	}

	@Test
	@DisplayName("Cached values need not be serializable, and are cached in memory as before")
	void cache() {
		assertThat(with.get("redis")).containsEntry("cache manager", "ConcurrentMapCacheManager")
			.containsEntry("GET /visits", "200 {\"visits\":1}, then 200 {\"visits\":1}");
	}

	@Test
	@DisplayName("The application's health has one more component, which is UP without Redis if locks are in memory")
	void health() {
		assertThat(with.get("memory").get("GET /actuator/health")).startsWith("200")
			.contains("\"lockStore\":{\"status\":\"UP\"}")
			.doesNotContain("DOWN", "redis");
	}

	@Test
	@DisplayName("Spring Data still assigns every repository to JPA")
	void repositories() {
		assertThat(with.get("memory").get("log")).contains("Found 1 JPA repository interface")
			.doesNotContain("strict repository configuration mode");
	}

	/** Starts the application with the jars of the starter, or without them. */
	private static Process start(boolean starter, String... properties) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
						"-XX:TieredStopAtLevel=1", "-cp", classPath(starter), ApplicationProbe.class.getName()));
		Stream.of(PROPERTIES, properties).flatMap(Stream::of).map((property) -> "--" + property).forEach(command::add);
		return new ProcessBuilder(command).redirectErrorStream(true).start();
	}

	/** Returns the output after the application has ended. */
	private static Map<String, String> seen(Process application) throws IOException, InterruptedException {
		Map<String, String> seen = new TreeMap<>();
		try (BufferedReader output = application.inputReader()) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				String[] parts = line.split(ApplicationProbe.SEEN);
				seen.merge((parts.length == 3) ? parts[1] : "log", (parts.length == 3) ? parts[2] : line,
						(a, b) -> a + "\n" + b);
			}
		}
		assertThat(application.waitFor()).as(seen.get("log")).isZero();
		return seen;
	}

	private static String classPath(boolean starter) {
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		return Stream.of(classPath.split(File.pathSeparator))
			.filter((path) -> starter || !OF_STARTER.matcher(path).find())
			.collect(Collectors.joining(File.pathSeparator));
	}

}
