package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that OpenAPI Generator makes of the document, and code that is written against
 * it.
 */
@Tag("once")
class GeneratedClientTests {

	private static final String CALLER = """
			package caller;

			import java.util.Map;
			import java.util.TreeMap;

			import client.ApiClient;
			import client.ApiException;
			import client.api.DescribedHandlersApi;
			import client.model.LockProblem;
			import client.model.Payment;

			public class Caller implements java.util.function.Function<String[], Map<String, Object>> {

				@Override
				public Map<String, Object> apply(String[] baseAndKey) {
					ApiClient client = new ApiClient();
					client.updateBaseUri(baseAndKey[0]);
					DescribedHandlersApi api = new DescribedHandlersApi(client);
					Map<String, Object> seen = new TreeMap<>();
					try {
						Payment payment = api.pay(7L, baseAndKey[1], null);
						seen.put("amount", payment.getAmount());
						seen.put("replayed", api.payWithHttpInfo(7L, baseAndKey[1], null).getHeaders()
							.get("idempotent-replayed"));
						api.pay(7L, "held", null);
					}
					catch (ApiException ex) {
						seen.put("status", ex.getCode());
						seen.put("retryAfter", ex.getResponseHeaders().firstValue("Retry-After").orElse("none"));
						seen.put("type", problem(client, ex).getType());
						seen.put("retryAfterMillis", problem(client, ex).getRetryAfterMillis());
					}
					return seen;
				}

				private static LockProblem problem(ApiClient client, ApiException ex) {
					try {
						return client.getObjectMapper().readValue(ex.getResponseBody(), LockProblem.class);
					}
					catch (Exception failure) {
						throw new IllegalStateException(failure);
					}
				}

			}
			""";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A generated client sends the key, and reads the members of a problem and its headers")
	void generatedClient(String type) throws Exception {
		try (TestServer server = TestServer.start(
				new Class<?>[] { TestServer.Application.class, DescribedHandlers.class }, "lock.store=memory",
				"springdoc.api-docs.enabled=true", "spring.main.web-application-type=" + type);
				Lease held = server.context().getBean(LockRegistry.class).acquire("payments:held")) {
			assertThat(held.isHeld()).isTrue();
			Path document = Files.writeString(this.directory.resolve("api.json"), server.get("/v3/api-docs").body());
			generate(document);
			compile();
			Map<String, Object> seen = call("http://127.0.0.1:" + server.port(), UUID.randomUUID().toString());
			assertThat(seen).containsEntry("amount", 7L)
				.containsEntry("replayed", List.of("true"))
				.containsEntry("status", 409)
				.containsEntry("type", URI.create("https://lockstarter.github.io/problems/request-in-progress"));
			assertThat(seen.get("retryAfterMillis")).asInstanceOf(InstanceOfAssertFactories.LONG).isPositive();
			assertThat(seen.get("retryAfter").toString()).matches("\\d+");
		}
	}

	private void generate(Path document) throws Exception {
		Process generator = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-jar", Path.of("target", "openapi-generator.jar").toString(), "generate", "-g", "java", "--library",
				"native", "-i", document.toString(), "-o", this.directory.toString(), "--invoker-package", "client",
				"--api-package", "client.api", "--model-package", "client.model", "--additional-properties",
				"openApiNullable=false,useJakartaEe=true,hideGenerationTimestamp=true")
			.redirectErrorStream(true)
			.redirectOutput(this.directory.resolve("generator.log").toFile())
			.start();
		assertThat(generator.waitFor(2, TimeUnit.MINUTES) && generator.exitValue() == 0)
			.as(() -> read(this.directory.resolve("generator.log")))
			.isTrue();
	}

	private void compile() throws Exception {
		Path caller = Files.createDirectories(this.directory.resolve("src/main/java/caller")).resolve("Caller.java");
		Files.writeString(caller, CALLER);
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter output = new StringWriter();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
				Stream<Path> sources = Files.walk(this.directory.resolve("src/main/java"))) {
			List<Path> java = sources.filter((each) -> each.toString().endsWith(".java")).toList();
			boolean compiled = compiler.getTask(output, files, null,
					List.of("-proc:none", "-nowarn", "-d", this.directory.resolve("classes").toString(), "-classpath",
							System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))),
					null, files.getJavaFileObjectsFromPaths(java))
				.call();
			assertThat(compiled).as(output::toString).isTrue();
		}
	}

	@SuppressWarnings("unchecked")
	private Map<String, Object> call(String base, String key) throws Exception {
		URL[] classes = { this.directory.resolve("classes").toUri().toURL() };
		try (URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
			return ((Function<String[], Map<String, Object>>) loader.loadClass("caller.Caller")
				.getDeclaredConstructor()
				.newInstance()).apply(new String[] { base, key });
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
