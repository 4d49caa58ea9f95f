package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What springdoc tells clients about the answers of handlers under a lock is what they
 * are sent, in both web stacks.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenApiAnswersTests {

	private static final JsonMapper json = new JsonMapper();

	@Parameter
	String type;

	private TestServer server;

	private JsonNode api;

	@BeforeParameterizedClassInvocation
	void start() throws Exception {
		this.server = TestServer.start(new Class<?>[] { TestServer.Application.class, DescribedHandlers.class },
				"lock.store=memory", "springdoc.api-docs.enabled=true", "lock.replay.max-key-length=100",
				"spring.main.web-application-type=" + this.type);
		this.api = json.readTree(this.server.get("/v3/api-docs").body());
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.server.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			/payments | amount=1          | -    | key-missing            | 400
			/payments | amount=1          | ''   | key-empty              | 400
			/payments | amount=1          | a b  | key-malformed          | 400
			/payments | amount=1          | LONG | key-too-long           | 400
			/payments | amount=2          | used | payload-mismatch       | 422
			/payments | amount=1          | held | request-in-progress    | 409
			/payments | amount=1&how=lost | lost | lease-lost             | 409
			/payments | amount=1&how=down | down | lock-store-unavailable | 503
			/whole    | -                 | -    | request-in-progress    | 422
			""")
	@DisplayName("A problem that is sent is described: its status, its type, its media type and headers, and every member")
	void problems(String path, String query, String key, String problem, int status) throws Exception {
		LockRegistry registry = this.server.context().getBean(LockRegistry.class);
		this.server.post("/payments?amount=1", ReplayHandlers.KEY, "used");
		try (Lease payment = registry.acquire("payments:held"); Lease whole = registry.acquire(path.substring(1))) {
			assertThat(payment.isHeld() && whole.isHeld()).isTrue();
			String[] headers = (key == null) ? new String[0]
					: new String[] { ReplayHandlers.KEY, key.equals("LONG") ? "k".repeat(101) : key };
			HttpResponse<String> sent = this.server.post(path + "?" + query, headers);
			assertThat(sent.statusCode()).isEqualTo(status);
			JsonNode body = json.readTree(sent.body());
			assertThat(body.get("type").asString()).endsWith("/problems/" + problem);
			JsonNode described = operation(path, "post").get("responses").get(Integer.toString(status));
			assertThat(described.get("description").asString()).contains(body.get("type").asString());
			assertThat(described.get("content").propertyNames())
				.containsExactly(sent.headers().firstValue("Content-Type").orElseThrow());
			assertThat(schema(described).get("properties").propertyNames()).containsAll(body.propertyNames());
			assertThat(
					described.path("headers").has("Retry-After") || sent.headers().firstValue("Retry-After").isEmpty())
				.isTrue();
		}
	}

	@Test
	@DisplayName("Each operation has the statuses that its lock can lead to, and no others")
	void statuses() {
		assertThat(statuses("/payments", "post")).contains("400", "409", "422", "503");
		assertThat(statuses("/declared", "post")).contains("400", "409", "422", "503");
		assertThat(statuses("/waiting", "put")).contains("400", "409", "423", "503").doesNotContain("422");
		assertThat(statuses("/whole", "post")).contains("409", "422", "503").doesNotContain("400");
		assertThat(statuses("/without", "post")).containsExactly("200");
		assertThat(description("/waiting", "put", "423")).contains("request-in-progress", "wait-timeout",
				"wait-queue-full");
		assertThat(description("/whole", "post", "409")).contains("lease-lost").doesNotContain("request-in-progress");
		assertThat(description("/whole", "post", "422")).contains("request-in-progress")
			.doesNotContain("payload-mismatch", "wait-");
	}

	@Test
	@DisplayName("What the application describes itself stays as it is")
	void ownDescription() {
		assertThat(description("/own", "post", "409")).isEqualTo("The application says it itself");
		assertThat(statuses("/own", "post")).contains("503");
	}

	@Test
	@DisplayName("A key header is a parameter, with its length, its expiry and the answers that are kept")
	void keyHeader() {
		JsonNode key = parameter("/payments");
		assertThat(key.get("in").asString()).isEqualTo("header");
		assertThat(key.get("required").asBoolean()).isTrue();
		assertThat(key.at("/schema/type").asString()).isEqualTo("string");
		assertThat(key.at("/schema/minLength").asInt()).isEqualTo(1);
		assertThat(key.at("/schema/maxLength").asInt()).isEqualTo(100);
		assertThat(key.get("description").asString()).contains("for 1 day.", "2xx, 402");
		assertThat(operation("/payments", "post").get("parameters").findValuesAsString("name"))
			.containsExactlyInAnyOrder("amount", "how", ReplayHandlers.KEY);
	}

	@Test
	@DisplayName("A parameter of the handler for that header is not described twice")
	void declaredHeader() {
		assertThat(operation("/declared", "post").get("parameters").findValuesAsString("name"))
			.containsExactly(ReplayHandlers.KEY);
		JsonNode key = parameter("/declared");
		assertThat(key.get("description").asString()).contains("for 90 minutes.", "Only successful answers");
		assertThat(key.at("/schema/maxLength").asInt()).isEqualTo(100);
	}

	@Test
	@DisplayName("An answer that may be replayed has the header that says so")
	void replayed() throws Exception {
		String key = UUID.randomUUID().toString();
		this.server.post("/declared", ReplayHandlers.KEY, key);
		assertThat(this.server.post("/declared", ReplayHandlers.KEY, key).headers().map())
			.containsKey("idempotent-replayed");
		assertThat(operation("/declared", "post").at("/responses/200/headers").propertyNames())
			.containsExactly("Idempotent-Replayed");
		assertThat(operation("/whole", "post").at("/responses/200").has("headers")).isFalse();
	}

	@Test
	@DisplayName("There is one schema of problems, with flat members")
	void oneSchema() {
		assertThat(this.api.at("/components/schemas").propertyNames()).containsExactlyInAnyOrder("LockProblem",
				"Payment");
		assertThat(this.api.at("/components/schemas/LockProblem/properties").propertyNames())
			.containsExactlyInAnyOrder("type", "title", "status", "detail", "instance", "retryAfterMillis");
	}

	private JsonNode parameter(String path) {
		return operation(path, "post").get("parameters")
			.valueStream()
			.filter((each) -> each.get("name").asString().equals(ReplayHandlers.KEY))
			.findFirst()
			.orElseThrow();
	}

	private String description(String path, String method, String status) {
		return operation(path, method).get("responses").get(status).get("description").asString();
	}

	private List<String> statuses(String path, String method) {
		return List.copyOf(operation(path, method).get("responses").propertyNames());
	}

	private JsonNode operation(String path, String method) {
		return this.api.get("paths").get(path).get(method);
	}

	private JsonNode schema(JsonNode response) {
		String reference = response.at("/content/application~1problem+json/schema/$ref").asString();
		return this.api.at(reference.substring(1));
	}

}
