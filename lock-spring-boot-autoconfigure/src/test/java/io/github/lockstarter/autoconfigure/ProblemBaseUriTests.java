package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Problem types whose pages the application has elsewhere.
 */
class ProblemBaseUriTests {

	private static final Path PAGES = Path.of("../docs/problems");

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A client finds the page of a problem at its type, under the application's own base URI")
	void pages(String type) throws Exception {
		TestServer server = server(type, "/problems/");
		List<HttpResponse<String>> responses = new ArrayList<>();
		try (Lease lease = server.context().getBean(LockRegistry.class).acquire("report:1")) {
			assertThat(lease.isHeld()).isTrue();
			// The first ones are made by the exception handling, later ones are prepared.
			IntStream.range(0, 4).forEach((i) -> responses.add(server.postAsync("/reports?id=1").join()));
			responses.add(server.post("/waits?id=1"));
		}
		responses.add(server.post("/reports?id="));
		assertThat(responses).extracting((response) -> type(response.body()))
			.containsExactly("/problems/request-in-progress", "/problems/request-in-progress",
					"/problems/request-in-progress", "/problems/request-in-progress", "/problems/wait-timeout",
					"/problems/key-missing");
		for (HttpResponse<String> response : responses) {
			String page = type(response.body());
			assertThat(server.get(page).body()).startsWith("# " + page.substring("/problems/".length()) + "\n");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "https://api.example.com/problems#", "urn:example:problems:", "../problems/" })
	@DisplayName("The base can be each URI that ends before the name of the problem")
	void bases(String base) throws Exception {
		TestServer server = server("servlet", base);
		assertThat(type(server.post("/reports?id=").body())).isEqualTo(base + "key-missing");
	}

	@ParameterizedTest
	@ValueSource(strings = { "https://api.example.com/problems", "", "https://api example.com/", "https://例え.jp/" })
	@DisplayName("A base from which no type can be made prevents startup")
	void invalid(String base) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.store=memory", "lock.web.problem-base-uri=" + base)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("lock.web.problem-base-uri"));
	}

	@Test
	@DisplayName("The OpenAPI document has the types of the responses")
	void openApi() throws Exception {
		TestServer server = server("servlet", "/problems/", "springdoc.api-docs.enabled=true");
		assertThat(server.get("/v3/api-docs").body()).contains("`/problems/request-in-progress`")
			.doesNotContain("lockstarter.github.io");
	}

	private static TestServer server(String type, String base, String... more) {
		return servers.get(new Class<?>[] { TestServer.CompleteApplication.class, Reports.class },
				Stream.concat(Stream.of("lock.store=memory", "spring.main.web-application-type=" + type,
						"lock.web.problem-base-uri=" + base), Stream.of(more))
					.toArray(String[]::new));
	}

	private static String type(String body) {
		return JsonMapper.shared().readTree(body).get("type").asString();
	}

	@RestController
	static class Reports {

		@PostMapping("/reports")
		@ExclusiveRequest(name = "report", key = "#id")
		Mono<ResponseEntity<String>> report(@RequestParam String id) {
			return Mono.just(ResponseEntity.ok("ran"));
		}

		@PostMapping("/waits")
		@ExclusiveRequest(name = "report", key = "#id", onConflict = OnConflict.WAIT, waitTime = "10ms")
		Mono<String> waits(@RequestParam String id) {
			return Mono.just("ran");
		}

		@GetMapping("/problems/{type}")
		String page(@PathVariable String type) {
			try {
				return Files.readString(PAGES.resolve(type + ".md"));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
