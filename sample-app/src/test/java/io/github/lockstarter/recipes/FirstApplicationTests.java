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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
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
	private Path folder;

	private final List<TestJvm> servers = new ArrayList<>();

	@AfterEach
	void stop() {
		this.servers.forEach((server) -> {
			server.kill();
			server.awaitEnd();
		});
	}

	@Test
	@DisplayName("The command of the page is answered with one 201 and the 409 that is shown")
	void oneServer() throws Exception {
		int port = start();
		String command = block("sh").replace("localhost:8080", "127.0.0.1:" + port)
			.replace("curl ", "curl -H 'Accept-Language: en' ");
		// On a machine that stands still, the second request may be late.
		Awaitility.await().untilAsserted(() -> {
			String output = run(command);
			assertThat(output).containsOnlyOnce("HTTP/1.1 201")
				.containsOnlyOnce("taro is registered")
				.containsOnlyOnce("HTTP/1.1 409");
			String refused = output.substring(output.indexOf("HTTP/1.1 409"));
			String shown = block("", "HTTP/1.1 409");
			assertThat(problem(refused)).isEqualTo(problem(shown));
			assertThat(headers(refused)).containsAll(headers(shown));
		});
	}

	@Test
	@DisplayName("Requests for two user names do not affect each other")
	void twoUsers() throws Exception {
		int port = start();
		CompletableFuture<Integer> first = register(port, "jiro");
		CompletableFuture<Integer> second = register(port, "saburo");
		assertThat(List.of(first.join(), second.join())).containsExactly(201, 201);
	}

	@Test
	@DisplayName("With the locks in Redis, of two requests at two servers one is answered with 201, and the other with 409")
	void twoServers() throws Exception {
		String[] redis = Stream
			.concat(Stream.of(TestRedis.properties()), Stream.of("lock.store=redis", "lock.redis.key-prefix=first"))
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		int one = start(redis);
		int two = start(redis);
		Awaitility.await().untilAsserted(() -> {
			CompletableFuture<Integer> first = register(one, "shiro");
			CompletableFuture<Integer> second = register(two, "shiro");
			assertThat(List.of(first.join(), second.join())).containsExactlyInAnyOrder(201, 409);
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

	/** Compiles and starts it on a free port, which is returned. */
	private int start(String... properties) throws Exception {
		Path source = Files.writeString(this.folder.resolve("ShopApplication.java"), block("java"));
		Files.writeString(this.folder.resolve("application.yml"), block("yaml"));
		String classPath = this.folder + File.pathSeparator + libraries();
		assertThat(ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-parameters", "-d", this.folder.toString(), "-cp", classPath, source.toString()))
			.isZero();
		String[] arguments = Stream
			.concat(Stream.of("--server.port=0", "--server.address=127.0.0.1", "--logging.pattern.console=%msg%n"),
					Stream.of(properties))
			.toArray(String[]::new);
		try (URLClassLoader loader = new URLClassLoader(new URL[] { this.folder.toUri().toURL() })) {
			TestJvm server = TestJvm.start(List.of("-cp", classPath),
					loader.loadClass("com.example.shop.ShopApplication"), (Object[]) arguments);
			this.servers.add(server);
			return Integer.parseInt(server.await("Tomcat started on port ").split(" ")[0]);
		}
	}

	/** Returns the class path of the tests, without the sample and its settings. */
	private static String libraries() {
		String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Path sample = Path.of("target").toAbsolutePath();
		return Stream.of(all.split(File.pathSeparator))
			.filter((entry) -> !Path.of(entry).toAbsolutePath().startsWith(sample))
			.collect(Collectors.joining(File.pathSeparator));
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
	private static JsonNode problem(String answer) {
		ObjectNode problem = (ObjectNode) new JsonMapper()
			.readTree(answer.substring(answer.indexOf('{'), answer.indexOf('}') + 1));
		assertThat(problem.remove("retryAfterMillis")).isNotNull();
		return problem;
	}

	private static List<String> headers(String answer) {
		return answer.lines()
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
