package io.github.lockstarter.client;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.annotation.Bean;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the examples of {@code docs/clients.md}.
 */
class ClientsPageTests {

	private static final Path PAGE = Path.of("..", "docs", "clients.md");

	private static final Path SOURCE = Path.of("src", "test", "java", "io", "github", "lockstarter", "client",
			"ClientsPageTests.java");

	private static final String KEY = "Idempotency-Key";

	private static final String PROBLEMS = "https://lockstarter.github.io/problems/";

	@TempDir
	private Path folder;

	private ScriptedApi api;

	@BeforeEach
	void start() {
		this.api = new ScriptedApi();
	}

	@AfterEach
	void stop() {
		this.api.close();
	}

	@Test
	@DisplayName("The Java examples of the page are compiled code of this class")
	void java() throws IOException {
		String source = Files.readString(SOURCE).replaceAll("\\s", "");
		assertThat(blocks("java")).hasSize(3)
			.allSatisfy((example) -> assertThat(source).contains(example.replaceAll("\\s", "")));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A rejected request is repeated with its key and body until it is accepted")
	void rejected(Example example) throws Exception {
		this.api.thenProblem(409, PROBLEMS + "request-in-progress", ",\"retryAfterMillis\":5", "Retry-After", "1")
			.thenProblem(409, PROBLEMS + "wait-timeout", "", "Retry-After", "0")
			.thenProblem(409, PROBLEMS + "wait-queue-full", "", "retry-after", "0")
			.then(ScriptedApi.response(503, "text/html", "<h1>Maintenance</h1>", "Retry-After", "0"));
		assertThat(run(example)).contains("done");
		assertThat(this.api.requests()).hasSize(5).extracting(ScriptedApi.Sent::body).containsOnly("{\"book\":1}");
		assertThat(this.api.headers(KEY)).containsOnly(this.api.headers(KEY).get(0));
		assertThat(this.api.headers(KEY).get(0)).singleElement()
			.satisfies((key) -> assertThat(key).matches("\"[0-9a-f-]{36}\""));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A request whose connection was dropped is repeated with its key")
	void dropped(Example example) throws Exception {
		this.api.thenDrop(2);
		assertThat(run(example)).contains("done");
		assertThat(this.api.headers(KEY)).hasSize(3).containsOnly(this.api.headers(KEY).get(0));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A request that must not be repeated, or whose repetition is useless, is not repeated")
	void notRepeated(Example example) throws Exception {
		this.api.thenProblem(409, PROBLEMS + "lease-lost", "", "Retry-After", "0")
			.thenProblem(422, PROBLEMS + "payload-mismatch", "", "Retry-After", "0")
			.then(ScriptedApi.response(409, "text/plain", "conflict"))
			.then(ScriptedApi.response(500, "text/plain", "fault"))
			.thenProblem(409, PROBLEMS + "request-in-progress", "", "Retry-After", "31");
		assertThat(run(example)).contains("lease-lost");
		assertThat(run(example)).contains("payload-mismatch");
		assertThat(run(example)).contains("conflict");
		assertThat(run(example)).contains("fault");
		assertThat(run(example)).contains("request-in-progress");
		assertThat(this.api.headers(KEY)).hasSize(5).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("The client stops after five attempts, with the last response")
	void limit(Example example) throws Exception {
		this.api.then(4, ScriptedApi.response(503, "text/plain", "first", "Retry-After", "0"))
			.then(ScriptedApi.response(503, "text/plain", "last", "Retry-After", "0"));
		assertThat(run(example)).contains("last").doesNotContain("first");
		assertThat(this.api.requests()).hasSize(5);
	}

	/** Runs an example, and returns its output. Sleep commands are replaced. */
	private String run(Example example) throws Exception {
		Path file = Files.writeString(this.folder.resolve(example.file), example.code(this.api.url()));
		Files.writeString(this.folder.resolve("sleep"), "#!/bin/sh\n");
		Files.setPosixFilePermissions(this.folder.resolve("sleep"), PosixFilePermissions.fromString("rwx------"));
		Path output = this.folder.resolve("output");
		ProcessBuilder builder = new ProcessBuilder(example.command, file.toString(), this.api.url(), "{\"book\":1}")
			.redirectErrorStream(true)
			.redirectOutput(output.toFile());
		builder.environment().merge("PATH", this.folder.toString(), (path, own) -> own + File.pathSeparator + path);
		Process process = builder.start();
		try {
			assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		return Files.readString(output);
	}

	private static List<String> blocks(String language) throws IOException {
		return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
			.matcher(Files.readString(PAGE, StandardCharsets.UTF_8))
			.results()
			.map((block) -> block.group(1))
			.toList();
	}

	/** An example that is a separate program. */
	enum Example {

		JAVASCRIPT("node", "order.mjs") {
			@Override
			String code(String url) throws IOException {
				return "const url = '%s'\n%s".formatted(url, String.join("\n", blocks("js")));
			}
		},

		CURL("sh", "order.sh") {
			@Override
			String code(String url) throws IOException {
				return String.join("\n", blocks("sh"));
			}
		};

		private final String command;

		private final String file;

		Example(String command, String file) {
			this.command = command;
			this.file = file;
		}

		abstract String code(String url) throws IOException;

	}

	/** The Java examples of the page. */
	static class Clients {

		private final String url = "http://localhost:8080";

		@Bean
		OrderClient orderClient(RestClient.Builder builder, IdempotentRetryInterceptor retries) {
			return new OrderClient(builder.baseUrl(this.url).requestInterceptor(retries).build());
		}

		@Bean
		ReactiveOrderClient reactiveOrderClient(WebClient.Builder builder, IdempotentRetryFilter retries) {
			return new ReactiveOrderClient(builder.baseUrl(this.url).filter(retries).build());
		}

		void plain() {
			RestClient client = RestClient.builder()
				.requestInterceptor(new IdempotentRetryInterceptor(new RetryLimits(3, Duration.ofSeconds(10))))
				.build();
			assertThat(client).isNotNull();
		}

		record OrderClient(RestClient client) {
		}

		record ReactiveOrderClient(WebClient client) {
		}

	}

}
