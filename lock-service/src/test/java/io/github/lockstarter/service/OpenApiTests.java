package io.github.lockstarter.service;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;

import io.github.lockstarter.service.RunningService.Response;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The OpenAPI document of the service matches its behaviour.
 */
@ExtendWith(OutputCaptureExtension.class)
class OpenApiTests {

	private static final String CLOSE = "Connection: close";

	private static final List<String> OPERATIONS = List.of("PUT /locks/{name}", "GET /locks/{name}",
			"DELETE /locks/{name}", "GET /lock", "DELETE /lock");

	/** Headers that clients need no description of. */
	private static final Set<String> OF_ALL_RESPONSES = Set.of("content-type", "content-length", "cache-control",
			"connection");

	private static final JsonMapper json = new JsonMapper();

	/** The titles of the problems that were returned, by problem type. */
	private static final Map<String, String> titles = new ConcurrentHashMap<>();

	private static final String HANAKO = "the-key-of-hanako-0123456789";

	private static RunningService service;

	private static JsonNode api;

	@BeforeAll
	static void start() {
		service = RunningService.start("lock.service.clients.hanako.api-key=" + HANAKO,
				"lock.service.clients.hanako.max-locks=1");
		api = service.sendWithoutKey("GET", "/openapi").join().json();
	}

	@AfterAll
	static void stop() {
		service.close();
	}

	@Test
	@DisplayName("All operations of the service are described, and no other operations")
	void operations() {
		Set<String> described = new TreeSet<>();
		api.get("paths")
			.properties()
			.forEach((path) -> path.getValue()
				.propertyNames()
				.forEach((method) -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
		Set<String> served = service.context()
			.getBeansOfType(RequestMappingInfoHandlerMapping.class)
			.values()
			.stream()
			.flatMap((mapping) -> mapping.getHandlerMethods().entrySet().stream())
			.filter((handler) -> handler.getValue().getBeanType().getPackageName().startsWith("io.github.lockstarter"))
			.map(Map.Entry::getKey)
			.flatMap((info) -> info.getMethodsCondition()
				.getMethods()
				.stream()
				.map((method) -> method + " " + info.getPatternsCondition().getPatterns().iterator().next()))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(described).isEqualTo(served).hasSize(5);
	}

	@Test
	@DisplayName("Both ways to send the key are described")
	void security() {
		assertThat(api.at("/components/securitySchemes/apiKey/name").asString()).isEqualTo("X-API-Key");
		assertThat(api.at("/components/securitySchemes/bearer/scheme").asString()).isEqualTo("bearer");
		assertThat(api.get("security")).hasSize(2);
	}

	@ParameterizedTest(name = "{0} {1} with {2}: {3}")
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			PUT    | /locks/d-free               | -                                  | 201
			PUT    | /locks/d-token              | Lock-Token: chosen-by-the-client-1 | 201
			PUT    | /locks/d-token              | Lock-Token: chosen-by-the-client-1 | 200
			PUT    | /locks/d-token              | -                                  | 409
			PUT    | /locks/d-token              | Accept-Language: ja                | 409
			PUT    | /locks/d-token?wait=1ms     | Accept-Language: ja                | 409
			PUT    | /locks/d-token?wait=1ms     | -                                  | 409
			PUT    | /locks/d-free?ttl=1d        | -                                  | 403
			PUT    | /locks/d-free?ttl=x         | -                                  | 400
			PUT    | /locks/                     | -                                  | 404
			PUT    | /locks/d-free               | X-API-Key: nobody-has-this-key     | 401
			GET    | /locks/d-free               | -                                  | 200
			GET    | /locks/                     | -                                  | 404
			GET    | /locks/%20                  | -                                  | 400
			GET    | /locks/a;b                  | -                                  | 400
			GET    | /locks/a                    | Authorization: Bearer none-of-mine | 401
			GET    | /locks/a                    | No-Key: at-all                     | 401
			DELETE | /locks/                     | -                                  | 404
			DELETE | /locks/d-token              | Lock-Token: somebody-elses-token   | 409
			DELETE | /locks/d-token              | -                                  | 400
			DELETE | /locks/d-token              | Lock-Token: chosen-by-the-client-1 | 204
			GET    | /lock?hash=d-plain          | -                                  | 200
			GET    | /lock?hash=d-plain          | -                                  | 409
			GET    | /lock?hash=d-plain&wait=1ms | -                                  | 409
			GET    | /lock                       | -                                  | 400
			GET    | /lock?hash=                 | -                                  | 400
			GET    | /lock?hash=d-plain&wait=1d  | -                                  | 403
			DELETE | /lock?hash=d-plain          | Lock-Token: somebody-elses-token   | 409
			DELETE | /lock?hash=d-plain          | -                                  | 400
			""")
	@DisplayName("A response of the running service is described: its status, media type, headers, problem type and every property")
	void responses(String method, String path, @Nullable String header, int status) {
		String[] headers = (header != null) ? header.split(": ") : new String[0];
		boolean showsKey = header == null || header.startsWith("Lock-Token") || header.startsWith("Accept");
		Response response = showsKey ? service.send(method, path, headers)
				: service.sendWithoutKey(method, path, headers).join();
		assertThat(response.status()).isEqualTo(status);
		assertDescribed(method, path.startsWith("/locks/") ? "/locks/{name}" : "/lock", response.http().headers(),
				response.body(), status);
	}

	@Test
	@DisplayName("Responses to requests that are too long, too slow or malformed are described")
	void malformed() throws IOException {
		List<Rejected> requests = new ArrayList<>();
		for (String operation : OPERATIONS) {
			String[] parts = operation.split(" ");
			String line = parts[0] + " " + uri(parts[1]);
			requests.add(new Rejected(operation, 414, service.sendRaw(line + "x".repeat(100_000), CLOSE)));
			requests.add(new Rejected(operation, 431, service.sendRaw(line, CLOSE, "Large: " + "x".repeat(100_000))));
			requests.add(new Rejected(operation, 413,
					service.sendRaw(line, CLOSE, "Content-Length: 70000", "", "x".repeat(70_000))));
			requests.add(new Rejected(operation, 400,
					service.sendRaw(line, CLOSE, "Transfer-Encoding: chunked", "", "zz", "abc")));
			requests.add(new Rejected(operation, 408, service.sendRaw(line, CLOSE, "Content-Length: 100")));
		}
		for (Rejected request : requests) {
			request.assertDescribed();
		}
	}

	@Test
	@DisplayName("The response to too many wrong keys is described")
	void tooManyWrongKeys() {
		try (RunningService other = RunningService.start()) {
			Awaitility.await()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> other.sendWithoutKey("GET", "/locks/d", "X-API-Key", "wrong").join().status() == 429);
			for (String operation : OPERATIONS) {
				String path = operation.split(" ")[1];
				Response response = other
					.sendWithoutKey(operation.split(" ")[0], uri(path), "X-API-Key", "wrong", "Lock-Token", "any")
					.join();
				assertThat(response.status()).isEqualTo(429);
				assertDescribed(operation.split(" ")[0], path, response.http().headers(), response.body(), 429);
			}
		}
	}

	@Test
	@DisplayName("The responses for a full queue and for an unavailable store are described")
	void otherReasons() {
		try (LocalRedis redis = LocalRedis.started();
				RunningService other = RunningService.startBare(RunningService.TARO, "lock.store=redis",
						"lock.max-waiters=1", "spring.data.redis.host=127.0.0.1",
						"spring.data.redis.port=" + redis.port(), "lock.redis.command-timeout=500ms")) {
			String token = Awaitility.await()
				.until(() -> other.send("PUT", "/locks/d-queue"), (response) -> response.status() == 201)
				.token();
			CompletableFuture<Response> waiter = other.sendAsync("PUT", "/locks/d-queue?wait=1m");
			Response full = Awaitility.await()
				.until(() -> other.send("PUT", "/locks/d-queue?wait=1ms"),
						(response) -> response.problem().equals("wait-queue-full"));
			assertDescribed("PUT", "/locks/{name}", full.http().headers(), full.body(), 409);
			assertDescribed("GET", "/lock", full.http().headers(), full.body(), 409);
			assertThat(other.send("DELETE", "/locks/d-queue", "Lock-Token", token).status()).isEqualTo(204);
			assertThat(waiter.join().status()).isEqualTo(201);
			redis.freeze();
			Map<String, CompletableFuture<Response>> responses = OPERATIONS.stream()
				.collect(Collectors.toMap((operation) -> operation, (operation) -> other
					.sendAsync(operation.split(" ")[0], uri(operation.split(" ")[1]), "Lock-Token", token)));
			responses.forEach((operation, unavailable) -> {
				assertThat(unavailable.join().status()).isEqualTo(503);
				assertDescribed(operation.split(" ")[0], operation.split(" ")[1], unavailable.join().http().headers(),
						unavailable.join().body(), 503);
			});
			redis.thaw();
		}
	}

	@Test
	@DisplayName("No status is described that an operation never returns")
	void statuses() {
		String all = "400 401 408 413 414 429 431 503";
		Map<String, String> others = Map.of("put /locks/{name}", "200 201 403 404 409", "get /locks/{name}", "200 404",
				"delete /locks/{name}", "204 404 409", "get /lock", "200 403 409", "delete /lock", "204 409");
		others.forEach((operation,
				statuses) -> assertThat(responses(operation.split(" ")[0], operation.split(" ")[1]).propertyNames())
					.containsExactlyInAnyOrder((all + " " + statuses).split(" ")));
	}

	@Test
	@DisplayName("The first request for the document logs no warning")
	void noWarnings(CapturedOutput output) {
		try (RunningService other = RunningService.start()) {
			assertThat(other.sendWithoutKey("GET", "/openapi").join().status()).isEqualTo(200);
			assertThat(other.sendWithoutKey("GET", "/actuator/health").join().status()).isEqualTo(200);
			String token = other.send("PUT", "/locks/first").token();
			other.send("PUT", "/locks/first");
			other.send("GET", "/locks/first");
			other.send("DELETE", "/locks/first", "Lock-Token", token);
			other.send("GET", "/lock?hash=first");
			other.send("DELETE", "/lock");
			other.send("GET", "/unknown");
			other.sendWithoutKey("GET", "/locks/first").join();
		}
		assertThat(output.getAll()).contains("springdoc").doesNotContain("\"WARN\"", "\"ERROR\"", "WARNING");
	}

	private static void assertDescribed(String method, String path, HttpHeaders headers, String body, int status) {
		JsonNode response = responses(method, path).path(Integer.toString(status));
		assertThat(response.isMissingNode()).as("%s %s %d", method, path, status).isFalse();
		assertThat(headers.map().keySet()).allMatch((name) -> OF_ALL_RESPONSES.contains(name.toLowerCase(Locale.ROOT))
				|| response.path("headers").propertyNames().stream().anyMatch(name::equalsIgnoreCase));
		JsonNode content = response.path("content");
		if (body.isEmpty()) {
			assertThat(content.isMissingNode()).isTrue();
			return;
		}
		String type = headers.firstValue("Content-Type").orElseThrow().replaceFirst(";.*", "");
		assertThat(content.propertyNames()).containsExactly(type);
		if (type.endsWith("json")) {
			JsonNode sent = json.readTree(body);
			JsonNode members = api.at(content.get(type).at("/schema/$ref").asString().substring(1)).get("properties");
			assertThat(members.propertyNames()).containsAll(sent.propertyNames());
			if (status >= 400) {
				assertOneTitle(sent, status);
				assertThat(response.get("description").asString())
					.contains("`" + sent.path("type").asString("about:blank").replaceFirst(".*/", "") + "`");
			}
		}
	}

	/** The title of a problem without a type is that of its status (RFC 9457, 4.2.1). */
	private static void assertOneTitle(JsonNode problem, int status) {
		String title = problem.get("title").asString();
		if (problem.has("type")) {
			String first = titles.putIfAbsent(problem.get("type").asString(), title);
			assertThat(title).isEqualTo((first != null) ? first : title);
		}
		else {
			assertThat(title).isEqualTo(HttpStatus.valueOf(status).getReasonPhrase());
		}
	}

	private static String uri(String path) {
		return path.replace("{name}", "d") + "?hash=d";
	}

	private static JsonNode responses(String method, String path) {
		return api.get("paths").get(path).get(method.toLowerCase(Locale.ROOT)).get("responses");
	}

	/** A request that is sent as raw bytes. */
	private record Rejected(String operation, int status, Socket socket) {

		void assertDescribed() throws IOException {
			try (this.socket) {
				String[] parts = new String(this.socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
					.split("\r\n\r\n", 2);
				assertThat(parts[0]).as(this.operation).startsWith("HTTP/1.1 " + this.status + " ");
				Map<String, List<String>> headers = parts[0].lines()
					.skip(1)
					.collect(Collectors.toMap((line) -> line.split(": ")[0], (line) -> List.of(line.split(": ")[1])));
				OpenApiTests.assertDescribed(this.operation.split(" ")[0], this.operation.split(" ")[1],
						HttpHeaders.of(headers, (name, value) -> true), parts[1], this.status);
			}
		}

	}

}
