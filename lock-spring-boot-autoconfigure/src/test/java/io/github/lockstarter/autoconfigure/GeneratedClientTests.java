package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that OpenAPI Generator creates from the document handles the responses of a
 * lock.
 */
class GeneratedClientTests {

	/** The generator, downloaded by the build. */
	private static final Path GENERATOR = Path.of("target", "openapi-generator-cli.jar");

	/** Uses the generated classes as an application would. */
	private static final String USE = """
			package client;

			import java.util.Map;
			import java.util.function.BiFunction;

			import client.api.PaymentControllerApi;
			import client.model.LockProblem;
			import client.model.Payment;

			public class Use implements BiFunction<String, Integer, Map<String, Object>> {

				@Override
				public Map<String, Object> apply(String uri, Integer amount) {
					ApiClient client = new ApiClient();
					client.updateBaseUri(uri);
					try {
						ApiResponse<Payment> response = new PaymentControllerApi(client).payWithHttpInfo(amount, "key-1");
						return Map.of("status", response.getStatusCode(), "amount", response.getData().getAmount(),
								"replayed", response.getHeaders().containsKey("idempotent-replayed"));
					}
					catch (ApiException ex) {
						return Map.of("status", ex.getCode(), "problem", problem(client, ex.getResponseBody()),
								"retryAfter", ex.getResponseHeaders().firstValue("Retry-After").orElse("none"));
					}
				}

				private static Map<String, Object> problem(ApiClient client, String body) {
					try {
						LockProblem problem = client.getObjectMapper().readValue(body, LockProblem.class);
						Long retryAfter = problem.getRetryAfterMillis();
						return Map.of("type", problem.getType().getPath(), "title", problem.getTitle(), "status",
								problem.getStatus(), "retryAfterMillis", (retryAfter != null) ? retryAfter : -1L);
					}
					catch (Exception ex) {
						throw new IllegalStateException(body, ex);
					}
				}

			}
			""";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A generated client sends the Idempotency-Key, and reads the retry time from the header and the problem members")
	void client(String type) throws Exception {
		try (TestServer server = TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, PaymentController.class }, "lock.store=memory",
				"springdoc.api-docs.enabled=true", "spring.main.web-application-type=" + type);
				URLClassLoader generated = generate(server.get("/v3/api-docs").body())) {
			BiFunction<String, Integer, Map<String, Object>> client = use(generated);
			String uri = "http://127.0.0.1:" + server.port();
			LockRegistry registry = server.context().getBean(LockRegistry.class);
			try (Lease lease = registry.acquire(new LockKey("payments", "key-1"), registry.options("payments"))) {
				assertThat(lease.isHeld()).isTrue();
				Map<String, Object> rejected = client.apply(uri, 5);
				assertThat(rejected).containsEntry("status", 409);
				assertThat(rejected.get("retryAfter")).asString().matches("[1-9]|10");
				assertThat(problem(rejected)).containsEntry("type", "/problems/request-in-progress")
					.containsEntry("title", "Request already in progress")
					.containsEntry("status", 409);
				assertThat((Long) problem(rejected).get("retryAfterMillis")).isBetween(1L, 10_000L);
			}
			assertThat(client.apply(uri, 5)).isEqualTo(Map.of("status", 200, "amount", 5, "replayed", false));
			assertThat(client.apply(uri, 5)).isEqualTo(Map.of("status", 200, "amount", 5, "replayed", true));
			assertThat(problem(client.apply(uri, 6))).containsEntry("type", "/problems/payload-mismatch");
		}
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> problem(Map<String, Object> response) {
		return (Map<String, Object>) response.get("problem");
	}

	@SuppressWarnings("unchecked")
	private static BiFunction<String, Integer, Map<String, Object>> use(ClassLoader generated) throws Exception {
		return (BiFunction<String, Integer, Map<String, Object>>) generated.loadClass("client.Use")
			.getConstructor()
			.newInstance();
	}

	private URLClassLoader generate(String document) throws IOException, InterruptedException {
		Path input = Files.writeString(this.directory.resolve("document.json"), document);
		Path log = this.directory.resolve("log");
		Process generator = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-jar", GENERATOR.toString(), "generate", "-i", input.toString(), "-o", this.directory.toString(), "-g",
				"java", "--library", "native", "--global-property",
				"models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false",
				"--invoker-package", "client", "--api-package", "client.api", "--model-package", "client.model",
				"--additional-properties", "openApiNullable=false,useJakartaEe=true")
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		boolean ended = generator.waitFor(2, TimeUnit.MINUTES);
		generator.destroyForcibly();
		assertThat(ended && generator.exitValue() == 0).as(Files.readString(log)).isTrue();
		Path sources = this.directory.resolve("src/main/java");
		Files.writeString(sources.resolve("client/Use.java"), USE);
		return compile(sources);
	}

	private URLClassLoader compile(Path sources) throws IOException {
		Path classes = this.directory.resolve("classes");
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		try (Stream<Path> files = Files.walk(sources)) {
			List<String> options = List.of("-proc:none", "-nowarn", "-cp", classPath, "-d", classes.toString());
			List<String> all = files.map(Path::toString).filter((file) -> file.endsWith(".java")).toList();
			int errors = ToolProvider.getSystemJavaCompiler()
				.run(null, null, null, Stream.concat(options.stream(), all.stream()).toArray(String[]::new));
			assertThat(errors).isZero();
		}
		return new URLClassLoader(new URL[] { classes.toUri().toURL() }, getClass().getClassLoader());
	}

	@RestController
	static class PaymentController {

		@PostMapping("/payments")
		@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "24h", ttl = "10s")
		Mono<Payment> pay(@RequestParam int amount, Lease lease) {
			return Mono.just(new Payment(amount));
		}

	}

	record Payment(int amount) {

	}

}
