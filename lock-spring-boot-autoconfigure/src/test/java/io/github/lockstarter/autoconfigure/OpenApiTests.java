package io.github.lockstarter.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.models.media.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.models.GroupedOpenApi;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * springdoc's description of handlers with a lock.
 */
class OpenApiTests {

	private static final JsonMapper json = new JsonMapper();

	private static final String PAYMENT = "Idempotency-Key: k-1";

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private @Nullable TestServer server;

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A Lease parameter is not a parameter, not the request body, and has no schema")
	void leaseParameter(String type) throws Exception {
		JsonNode api = api(type, Leases.class);
		assertThat(api.at("/paths/~1orders/post/parameters").findValuesAsString("name")).isEqualTo(List.of("item"));
		JsonNode withBody = api.at("/paths/~1notes/post");
		assertThat(withBody.path("parameters")).isEmpty();
		assertThat(withBody.at("/requestBody/content").findValuesAsString("type")).containsExactly("string");
		assertThat(api.at("/components/schemas").propertyNames()).containsExactly("LockProblem");
	}

	@ParameterizedTest
	@CsvSource({ "servlet, openapi_3_1", "servlet, openapi_3_0", "reactive, openapi_3_1", "reactive, openapi_3_0" })
	@DisplayName("Every response of the running application is described: status, media type, problem type, members and headers")
	void responses(String type, String version) throws Exception {
		JsonNode api = handlers(type, version);
		assertThat(api.get("openapi").asString()).startsWith(version.endsWith("1") ? "3.1" : "3.0");
		assertDescribed(api, "/payments", "?amount=1", 200, null, PAYMENT);
		assertDescribed(api, "/payments", "?amount=1", 200, null, PAYMENT);
		assertDescribed(api, "/payments", "?amount=2", 422, "payload-mismatch", PAYMENT);
		assertDescribed(api, "/payments", "?amount=1", 400, "key-missing");
		assertDescribed(api, "/payments", "?amount=1", 400, "key-empty", "Idempotency-Key: ");
		assertDescribed(api, "/payments", "?amount=1", 400, "key-malformed", "Idempotency-Key: \"a");
		assertDescribed(api, "/payments", "?amount=1", 400, "key-too-long", "Idempotency-Key: " + "k".repeat(41));
		assertDescribed(api, "/payments", "?amount=1", 400, "key-repeated", PAYMENT, PAYMENT);
		assertDescribed(api, "/items/{id}", "/items/1?failure=lease-lost", 409, "lease-lost");
		assertDescribed(api, "/items/{id}", "/items/1?failure=lock-store-unavailable", 503, "lock-store-unavailable");
		assertDescribed(api, "/codes", "?code=%20", 400, "key-missing");
		try (Lease lease = hold("codes", "c")) {
			assertThat(lease.isHeld()).isTrue();
			assertDescribed(api, "/codes", "?code=c", 423, "request-in-progress");
		}
		try (Lease lease = hold("waiting", "c")) {
			assertThat(lease.isHeld()).isTrue();
			assertDescribed(api, "/waiting", "?code=c", 429, "wait-timeout");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("Only statuses that can be returned are described")
	void statuses(String type) throws Exception {
		JsonNode api = handlers(type, "openapi_3_1");
		assertThat(problems(api, "/payments")).isEqualTo(Map.of("400",
				List.of("key-missing", "key-empty", "key-repeated", "key-malformed", "key-too-long"), "409",
				List.of("request-in-progress", "lease-lost", "result-unavailable"), "413", List.of("request-too-large"),
				"422", List.of("payload-mismatch"), "503", List.of("lock-store-unavailable")));
		assertThat(problems(api, "/items/{id}")).as("the key is a number that is always there")
			.isEqualTo(Map.of("409", List.of("request-in-progress", "lease-lost"), "503",
					List.of("lock-store-unavailable")));
		assertThat(problems(api, "/codes"))
			.isEqualTo(Map.of("400", List.of("key-missing"), "409", List.of("lease-lost"), "423",
					List.of("request-in-progress"), "503", List.of("lock-store-unavailable")));
		assertThat(problems(api, "/waiting")).as("two locks, of which one waits")
			.isEqualTo(Map.of("400", List.of("key-missing"), "409", List.of("lease-lost", "request-in-progress"), "429",
					List.of("wait-timeout", "wait-queue-full"), "503", List.of("lock-store-unavailable")));
		assertThat(problems(api, "/class")).as("annotated on the class, without a key")
			.isEqualTo(problems(api, "/items/{id}"));
		assertThat(problems(api, "/meta")).as("a meta-annotation with a constant key")
			.isEqualTo(problems(api, "/items/{id}"));
		assertThat(problems(api, "/interface")).as("annotated in an interface").isEqualTo(problems(api, "/items/{id}"));
		assertThat(problems(api, "/unlocked")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A header that the key reads is one parameter, with its limits and expiry, and required if no call works without it")
	void headers(String type) throws Exception {
		JsonNode api = handlers(type, "openapi_3_1");
		JsonNode key = parameter(api, "/payments", "Idempotency-Key");
		assertThat(key.get("in").asString()).isEqualTo("header");
		assertThat(key.get("required").asBoolean()).isTrue();
		assertThat(key.at("/schema/type").asString()).isEqualTo("string");
		assertThat(key.at("/schema/minLength").asInt()).isEqualTo(1);
		assertThat(key.at("/schema/maxLength").asInt()).isEqualTo(40);
		assertThat(key.get("description").asString()).contains("It expires after 24 hours",
				"Only successful responses are repeated.");
		JsonNode declared = parameter(api, "/declared", "idempotency-key");
		assertThat(declared.get("required").asBoolean()).isTrue();
		assertThat(declared.at("/schema/maxLength").asInt()).isEqualTo(40);
		assertThat(declared.get("description").asString()).contains("random key").doesNotContain("expires");
		assertThat(api.at("/paths/~1declared/post/parameters")).hasSize(1);
		assertThat(parameter(api, "/argument", "Idempotency-Key").get("description").asString())
			.contains("It expires after 90 seconds", "other statuses than 2xx, 402 are");
		assertThat(parameter(api, "/all", "Idempotency-Key").get("description").asString())
			.contains("All responses are repeated");
		assertThat(parameter(api, "/optional", "X-Tenant").get("required").asBoolean()).isFalse();
		assertThat(parameter(api, "/optional", "X-User").get("required").asBoolean()).isTrue();
		assertThat(parameter(api, "/optional", "Idempotency-Key").get("required").asBoolean()).isFalse();
		assertThat(api.at("/paths/~1optional/post/parameters").findValuesAsString("name"))
			.doesNotContain("Authorization");
		assertThat(parameter(api, "/conditional", "Idempotency-Key").get("required").asBoolean()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("The application's own descriptions are kept, from annotations and customizers")
	void ownDescription(String type) throws Exception {
		JsonNode api = handlers(type, "openapi_3_1");
		JsonNode responses = api.at("/paths/~1own/post/responses");
		assertThat(responses.at("/409/description").asString()).isEqualTo("Sold already");
		assertThat(responses.get("409").has("headers")).isFalse();
		assertThat(responses.at("/503/description").asString()).isEqualTo("By a customizer");
		assertThat(responses.at("/400/content").propertyNames()).containsExactly("application/problem+json");
		assertThat(api.at("/components/schemas/LockProblem/description").asString())
			.isEqualTo("Problem details (RFC 9457).");
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A group contains the schema if one of its operations has a lock")
	void groups(String type) throws Exception {
		api(type, Handlers.class, Groups.class);
		JsonNode locked = document("/v3/api-docs/locked");
		assertThat(problems(locked, "/codes")).containsOnlyKeys("400", "409", "423", "503");
		assertThat(locked.at("/components/schemas").propertyNames()).containsExactly("LockProblem");
		JsonNode unlocked = document("/v3/api-docs/unlocked");
		assertThat(unlocked.get("paths").propertyNames()).containsExactly("/unlocked");
		assertThat(unlocked.at("/components/schemas").propertyNames()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("An application without annotations contains the schema only if it refers to it")
	void reference(String type) throws Exception {
		JsonNode api = api(type, ByHand.class);
		assertThat(
				api.at("/paths/~1by-hand/post/responses/409/content/application~1problem+json/schema/$ref").asString())
			.isEqualTo("#/components/schemas/LockProblem");
		assertThat(api.at("/components/schemas/LockProblem/properties").propertyNames())
			.containsExactlyInAnyOrder("type", "title", "status", "detail", "instance", "retryAfterMillis");
	}

	@Test
	@DisplayName("Without an OpenAPI document there are no beans for it")
	void noDocument() {
		this.server = servers.get(new Class<?>[] { TestServer.CompleteApplication.class, Leases.class },
				"lock.store=memory", "springdoc.api-docs.enabled=false");
		assertThat(this.server.context().getBeanNamesForType(GlobalOperationCustomizer.class)).isEmpty();
	}

	private JsonNode handlers(String type, String version) throws Exception {
		return api(type, version, Handlers.class, OfClass.class, OfInterface.class, Own.class);
	}

	private JsonNode api(String type, Class<?>... sources) throws Exception {
		return api(type, "openapi_3_1", sources);
	}

	private JsonNode api(String type, String version, Class<?>... sources) throws Exception {
		this.server = servers.get(
				Stream.concat(Stream.of(TestServer.CompleteApplication.class), Stream.of(sources))
					.toArray(Class<?>[]::new),
				"lock.store=memory", "lock.replay.max-key-length=40", "springdoc.api-docs.enabled=true",
				"springdoc.api-docs.version=" + version, "spring.main.web-application-type=" + type);
		return document("/v3/api-docs");
	}

	private JsonNode document(String path) throws Exception {
		return json.readTree(server().get(path).body());
	}

	private TestServer server() {
		assertThat(this.server).isNotNull();
		return this.server;
	}

	private Lease hold(String name, String key) {
		LockRegistry registry = server().context().getBean(LockRegistry.class);
		return registry.acquire(new LockKey(name, key), registry.options(name));
	}

	/**
	 * Sends a request, and looks up its response in the document.
	 * @param request the part after the path, or the path itself if that has variables
	 */
	private void assertDescribed(JsonNode api, String path, String request, int status, @Nullable String problem,
			String... headers) throws Exception {
		String[] namesAndValues = Stream.of(headers)
			.flatMap((header) -> Stream.of(header.split(": ", 2)))
			.toArray(String[]::new);
		HttpResponse<String> response = server().post(request.startsWith("/") ? request : path + request,
				namesAndValues);
		assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
		JsonNode described = api.get("paths").get(path).at("/post/responses/" + status);
		for (String header : List.of("Retry-After", "Idempotent-Replayed")) {
			if (response.headers().firstValue(header).isPresent()) {
				assertThat(described.path("headers").propertyNames()).contains(header);
			}
		}
		if (problem != null) {
			JsonNode body = json.readTree(response.body());
			String type = response.headers().firstValue("Content-Type").orElseThrow();
			JsonNode content = described.get("content").get(type);
			JsonNode example = content.at("/examples/" + problem + "/value");
			for (String same : List.of("type", "title", "status", "detail")) {
				assertThat(example.get(same)).isEqualTo(body.get(same));
			}
			assertThat(example.has("retryAfterMillis")).isEqualTo(body.has("retryAfterMillis"));
			assertThat(described.get("description").asString()).contains(body.get("type").asString());
			JsonNode members = api.at(content.at("/schema/$ref").asString().substring(1)).get("properties");
			body.properties()
				.forEach((member) -> assertThat(members.at("/" + member.getKey() + "/type").asString())
					.isEqualTo(member.getValue().isNumber() ? "integer" : "string"));
		}
	}

	/** Returns the described problem types, by status. */
	private static Map<String, List<String>> problems(JsonNode api, String path) {
		JsonNode responses = api.get("paths").get(path).at("/post/responses");
		return responses.properties()
			.stream()
			.filter((response) -> response.getKey().compareTo("400") >= 0)
			.collect(Collectors.toMap(Map.Entry::getKey, (response) -> List
				.copyOf(response.getValue().at("/content/application~1problem+json/examples").propertyNames())));
	}

	private static JsonNode parameter(JsonNode api, String path, String name) {
		List<JsonNode> found = api.get("paths")
			.get(path)
			.at("/post/parameters")
			.valueStream()
			.filter((parameter) -> parameter.get("name").asString().equals(name))
			.toList();
		assertThat(found).as(name).hasSize(1);
		return found.get(0);
	}

	@RestController
	static class Leases {

		@PostMapping("/orders")
		@ExclusiveRequest(key = "#item")
		String order(@RequestParam String item, @Nullable Lease lease) {
			return item;
		}

		@PostMapping("/notes")
		@ExclusiveRequest(key = "#note")
		String note(@RequestBody String note, Lease lease) {
			return note;
		}

	}

	@RestController
	static class Handlers {

		@PostMapping("/payments")
		@ExclusiveRequest(key = "header('Idempotency-Key')", replay = "24h")
		Mono<Payment> pay(@RequestParam int amount) {
			return Mono.just(new Payment(amount));
		}

		@PostMapping("/declared")
		@ExclusiveRequest(key = "header('Idempotency-Key')")
		Mono<Void> declared(@RequestHeader(name = "idempotency-key", required = false) @Nullable String key) {
			return Mono.empty();
		}

		@PostMapping("/argument")
		@ExclusiveRequest(key = "#key", replay = "90s", keep = "2xx, 402")
		Mono<String> argument(@RequestHeader("Idempotency-Key") String key) {
			return Mono.just(key);
		}

		@PostMapping("/all")
		@ExclusiveRequest(key = "header('Idempotency-Key')", replay = "1h", keep = "all")
		Mono<String> all() {
			return Mono.just("done");
		}

		@PostMapping("/optional")
		@ExclusiveRequest(
				key = "{header('X-Tenant') ?: 'none', header('X-User'), header('Authorization') == null ? 1 : 2}",
				condition = "true")
		@ExclusiveRequest(name = "user", key = "header('X-User') + (header('Idempotency-Key') ?: '')")
		Mono<Void> optional() {
			return Mono.empty();
		}

		@PostMapping("/conditional")
		@ExclusiveRequest(key = "header('Idempotency-Key')", condition = "header('Idempotency-Key') != null")
		Mono<Void> conditional() {
			return Mono.empty();
		}

		@PostMapping("/items/{id}")
		@ExclusiveRequest(name = "items", key = "#id")
		Mono<Void> item(@PathVariable int id, @RequestParam String failure) {
			LockKey lock = new LockKey("items", "1");
			return Mono.error(failure.equals("lease-lost") ? new LeaseLostException(lock)
					: new LockStoreException(lock, "unavailable", null));
		}

		@PostMapping("/codes")
		@ExclusiveRequest(name = "codes", key = "#code", status = 423)
		Mono<Void> code(@RequestParam String code) {
			return Mono.empty();
		}

		@PostMapping("/waiting")
		@ExclusiveRequest(name = "waiting", key = "#code", status = 429, waitTime = "10ms")
		@ExclusiveRequest(name = "other")
		Mono<Void> waiting(@RequestParam String code) {
			return Mono.empty();
		}

		@PostMapping("/meta")
		@OneAtATime
		Mono<Void> meta() {
			return Mono.empty();
		}

		@PostMapping("/unlocked")
		Mono<Void> unlocked() {
			return Mono.empty();
		}

	}

	record Payment(int amount) {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@ExclusiveRequest(key = "'constant'")
	@interface OneAtATime {

	}

	@RestController
	@ExclusiveRequest(name = "class")
	static class OfClass {

		@PostMapping("/class")
		Mono<Void> ofClass() {
			return Mono.empty();
		}

	}

	interface Api {

		@PostMapping("/interface")
		@ExclusiveRequest(name = "interface")
		Mono<Void> ofInterface();

	}

	@RestController
	static class OfInterface implements Api {

		@Override
		public Mono<Void> ofInterface() {
			return Mono.empty();
		}

	}

	@RestController
	@Configuration(proxyBeanMethods = false)
	static class Own {

		@PostMapping("/own")
		@ExclusiveRequest(key = "#item")
		@ApiResponse(responseCode = "409", description = "Sold already")
		Mono<Void> own(@RequestParam String item) {
			return Mono.empty();
		}

		@Bean
		GlobalOperationCustomizer ownCustomizer() {
			return (operation, handler) -> {
				if (handler.getMethod().getName().equals("own")) {
					operation.getResponses()
						.addApiResponse("503",
								new io.swagger.v3.oas.models.responses.ApiResponse().description("By a customizer")
									.content(new io.swagger.v3.oas.models.media.Content().addMediaType(
											"application/json",
											new io.swagger.v3.oas.models.media.MediaType().schema(new Schema<>()))));
				}
				return operation;
			};
		}

	}

	@RestController
	static class ByHand {

		@PostMapping("/by-hand")
		@ApiResponse(responseCode = "409", description = "In use",
				content = @Content(mediaType = "application/problem+json",
						schema = @io.swagger.v3.oas.annotations.media.Schema(ref = "LockProblem")))
		void byHand() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Groups {

		@Bean
		GroupedOpenApi locked() {
			return GroupedOpenApi.builder().group("locked").pathsToMatch("/codes").build();
		}

		@Bean
		GroupedOpenApi unlocked() {
			return GroupedOpenApi.builder().group("unlocked").pathsToMatch("/unlocked").build();
		}

	}

}
