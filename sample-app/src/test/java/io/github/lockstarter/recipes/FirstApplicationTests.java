package io.github.lockstarter.recipes;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application of {@code docs/first-application.md}, compiled and run as it stands
 * there.
 */
@Tag("once")
class FirstApplicationTests {

	private static final Path PAGE = Path.of("..", "docs", "first-application.md");

	private static final HttpClient client = HttpClient.newHttpClient();

	@TempDir
	private static Path folder;

	private static String classPath;

	private final List<TestJvm> instances = new ArrayList<>();

	@BeforeAll
	static void compile() throws IOException {
		Path source = Files.writeString(folder.resolve("ShopApplication.java"), block("java"));
		Files.writeString(folder.resolve("application.yml"), block("yaml"));
		classPath = folder + File.pathSeparator + libraries();
		assertThat(ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-parameters", "-d", folder.toString(), "-cp", classPath, source.toString()))
			.isZero();
	}

	@AfterEach
	void stop() {
		this.instances.forEach((instance) -> {
			instance.kill();
			instance.awaitEnd();
		});
	}

	@Test
	@DisplayName("The command of the page gets one 201 and the 409 that is shown; two user names do not affect each other")
	void oneInstance() throws Exception {
		int port = port(launch());
		String command = block("sh").replace("localhost:8080", "127.0.0.1:" + port)
			.replace("curl ", "curl -H 'Accept-Language: en' ");
		// On a machine that stands still, the second request may be late.
		Awaitility.await().untilAsserted(() -> {
			String output = run(command);
			assertThat(output).containsOnlyOnce("HTTP/1.1 201")
				.containsOnlyOnce("taro is registered")
				.containsOnlyOnce("HTTP/1.1 409");
			String rejected = output.substring(output.indexOf("HTTP/1.1 409"));
			String shown = block("", "HTTP/1.1 409");
			assertThat(problem(rejected)).isEqualTo(problem(shown));
			assertThat(headers(rejected)).containsAll(headers(shown));
		});
		CompletableFuture<Integer> first = register(port, "jiro");
		CompletableFuture<Integer> second = register(port, "saburo");
		assertThat(List.of(first.join(), second.join())).containsExactly(201, 201);
	}

	@Test
	@DisplayName("With the locks in Redis, of two requests at two instances one gets 201, and the other 409")
	void twoInstances() throws Exception {
		String[] redis = Stream
			.concat(Stream.of(TestRedis.properties()), Stream.of("lock.store=redis", "lock.redis.key-prefix=first"))
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		TestJvm first = launch(redis);
		TestJvm second = launch(redis);
		int one = port(first);
		int two = port(second);
		Awaitility.await().untilAsserted(() -> {
			List<CompletableFuture<Integer>> responses = List.of(register(one, "shiro"), register(two, "shiro"));
			assertThat(responses).extracting(CompletableFuture::join).containsExactlyInAnyOrder(201, 409);
		});
	}

	@Test
	@DisplayName("The build files have the versions of this repository, and the same dependencies")
	void buildFiles() throws IOException {
		String ours = Files.readString(Path.of("..", "pom.xml"));
		String springBoot = version(ours, "spring-boot-starter-parent");
		String starter = version(ours, "lock-spring-boot");
		String pom = block("xml");
		assertThat(version(pom, "spring-boot-starter-parent")).isEqualTo(springBoot);
		assertThat(version(pom, "lock-spring-boot-starter")).isEqualTo(starter);
		assertThat(Files.readString(Path.of("pom.xml"))).contains("<artifactId>spring-boot-starter-webmvc</artifactId>",
				"<artifactId>lock-spring-boot-starter</artifactId>");
		assertThat(pom).contains("<artifactId>spring-boot-starter-webmvc</artifactId>");
		assertThat(block("groovy")).contains("id 'org.springframework.boot' version '" + springBoot + "'",
				"'org.springframework.boot:spring-boot-starter-webmvc'",
				"'io.github.lockstarter:lock-spring-boot-starter:" + starter + "'");
	}

	private TestJvm launch(String... properties) throws Exception {
		Object[] arguments = Stream
			.concat(Stream.of("--server.port=0", "--server.address=127.0.0.1", "--logging.pattern.console=%msg%n"),
					Stream.of(properties))
			.toArray();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() })) {
			TestJvm instance = TestJvm.start(List.of("-cp", classPath),
					loader.loadClass("com.example.shop.ShopApplication"), arguments);
			this.instances.add(instance);
			return instance;
		}
	}

	private static int port(TestJvm instance) {
		return Integer.parseInt(instance.await("Tomcat started on port ").split(" ")[0]);
	}

	/** Returns the libraries that the two dependencies of the page bring. */
	private static String libraries() throws IOException {
		Map<String, JsonNode> dependencies = new HashMap<>();
		new JsonMapper().readTree(Path.of("target", "classes", "META-INF", "sbom", "application.cdx.json"))
			.get("dependencies")
			.forEach((each) -> dependencies.put(each.get("ref").asString(), each.path("dependsOn")));
		Set<String> needed = new HashSet<>();
		dependencies.keySet()
			.stream()
			.filter((ref) -> ref.contains("/spring-boot-starter-webmvc@") || ref.contains("/lock-spring-boot-starter@"))
			.forEach((ref) -> add(ref, dependencies, needed));
		String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		return Stream.of(all.split(File.pathSeparator))
			.filter((entry) -> needed.stream().anyMatch((name) -> isOf(name, entry)))
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static void add(String ref, Map<String, JsonNode> dependencies, Set<String> needed) {
		Matcher purl = Pattern.compile("pkg:maven/[^/]+/([^@]+)@").matcher(ref);
		if (purl.lookingAt() && needed.add(purl.group(1))) {
			dependencies.get(ref).forEach((each) -> add(each.asString(), dependencies, needed));
		}
	}

	/** A module of this build may be a folder with classes. */
	private static boolean isOf(String artifact, String entry) {
		return Path.of(entry).getFileName().toString().matches(Pattern.quote(artifact) + "-\\d[^-]*(-[A-Z]+)?\\.jar")
				|| entry.endsWith(artifact + "/target/classes");
	}

	private static CompletableFuture<Integer> register(int port, String userName) {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:%d/users?userName=%s".formatted(port, userName)))
			.timeout(Duration.ofMinutes(1))
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		return client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
	}

	private static String run(String command) throws IOException {
		Process process = new ProcessBuilder("sh", "-c", command).redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

	/** Returns the problem details, without the time that is left. */
	private static JsonNode problem(String response) {
		ObjectNode problem = (ObjectNode) new JsonMapper()
			.readTree(response.substring(response.indexOf('{'), response.indexOf('}') + 1));
		assertThat(problem.remove("retryAfterMillis")).isNotNull();
		return problem;
	}

	private static List<String> headers(String response) {
		return response.lines()
			.takeWhile((line) -> !line.isBlank())
			.skip(1)
			.map((line) -> line.substring(0, line.indexOf(':')))
			.toList();
	}

	private static String version(String pom, String artifact) {
		Matcher version = Pattern.compile("<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]+)<")
			.matcher(pom);
		assertThat(version.find()).as(artifact).isTrue();
		return version.group(1);
	}

	private static String block(String language) throws IOException {
		return block(language, "");
	}

	/** Returns the first block of a language that has the begin. */
	private static String block(String language, String begin) throws IOException {
		Matcher block = Pattern
			.compile("^```" + language + "\n(" + Pattern.quote(begin) + ".*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
			.matcher(Files.readString(PAGE));
		assertThat(block.find()).as("block of %s", language).isTrue();
		return block.group(1);
	}

}
