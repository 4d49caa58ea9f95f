package io.github.lockstarter.frontdoors.graphql;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.frontdoors.Work;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What holds for locks in Spring for GraphQL, whatever calls its controllers.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class GraphQlContract {

	private static final String PROBLEMS = "https://api.example.com/problems/";

	@Autowired
	private Work work;

	@Autowired
	private LockRegistry locks;

	@Autowired
	private LockInspector inspector;

	@Value("${local.server.port}")
	private int port;

	private GraphQlClient client;

	@BeforeEach
	void connect() {
		this.client = new GraphQlClient(this.port);
	}

	@AfterEach
	void reset() {
		this.work.reset();
	}

	@ParameterizedTest
	@ValueSource(strings = { "pay", "payInMono", "payInFuture" })
	@DisplayName("Of two requests at once one runs, and the other one gets an error that it can tell from a failure")
	void oneRuns(String mutation, CapturedOutput output) {
		CompletableFuture<JsonNode> first = mutate(mutation + "(id: \"taro\")");
		this.work.awaitBegun();
		JsonNode error = error(mutate("pay(id: \"taro\")"));
		assertThat(error.at("/message").asString())
			.isEqualTo("Another request for the same resource is being processed. Retry later.");
		assertThat(error.at("/extensions/classification").asString()).isEqualTo("CONFLICT");
		assertThat(error.at("/extensions/type").asString()).isEqualTo(PROBLEMS + "request-in-progress");
		assertThat(error.at("/extensions/status").asInt()).isEqualTo(409);
		assertThat(error.at("/extensions/retryAfterMillis").asLong()).isPositive();
		assertThat(error.at("/path/0").asString()).isEqualTo("pay");
		assertThat(error.toString()).doesNotContain("taro");
		this.work.end();
		assertThat(first.join().at("/data/" + mutation).asInt()).isEqualTo(1);
		assertThat(this.work.mostInside()).isEqualTo(1);
		assertThat(output).doesNotContain(" ERROR ");
	}

	@Test
	@DisplayName("Another key runs at the same time, and the lock is free after the end")
	void otherKeys() {
		CompletableFuture<JsonNode> first = mutate("pay(id: \"1\")");
		CompletableFuture<JsonNode> second = mutate("pay(id: \"2\")");
		this.work.awaitBegun();
		this.work.awaitBegun();
		assertThat(this.work.mostInside()).isEqualTo(2);
		this.work.end();
		this.work.end();
		CompletableFuture.allOf(first, second).join();
		this.work.end();
		assertThat(mutate("pay(id: \"1\")").join().at("/data/pay").asInt()).isEqualTo(3);
	}

	@Test
	@DisplayName("With WAIT, the second request runs after the first one")
	void waits() {
		CompletableFuture<JsonNode> first = mutate("payPatiently(id: \"42\")");
		this.work.awaitBegun();
		CompletableFuture<JsonNode> second = mutate("payPatiently(id: \"42\")");
		await().until(() -> this.inspector.waiters("payment") == 1);
		this.work.end();
		this.work.awaitBegun();
		this.work.end();
		assertThat(first.join().at("/data/payPatiently").asInt()).isEqualTo(1);
		assertThat(second.join().at("/data/payPatiently").asInt()).isEqualTo(2);
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("With SHARE, the second request gets the result of the first one")
	void shares() {
		CompletableFuture<JsonNode> first = mutate("payTogether(id: \"42\")");
		this.work.awaitBegun();
		CompletableFuture<JsonNode> second = mutate("payTogether(id: \"42\")");
		await().until(() -> this.inspector.waiters("together") == 1);
		this.work.end();
		assertThat(first.join().at("/data/payTogether").asInt()).isEqualTo(1);
		assertThat(second.join().at("/data/payTogether").asInt()).isEqualTo(1);
	}

	@Test
	@DisplayName("With SKIP, the second request gets null and no error")
	void skips() {
		try (Lease other = hold("payment", "42")) {
			JsonNode response = mutate("payOrSkip(id: \"42\")").join();
			assertThat(response.at("/data/payOrSkip").isNull()).isTrue();
			assertThat(response.has("errors")).isFalse();
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.work.runs()).isZero();
	}

	@Test
	@DisplayName("With replay, a duplicate gets the first result, and other content is an error of the client")
	void replays() {
		this.work.end();
		String id = getClass().getSimpleName();
		assertThat(mutate("payOnce(id: \"%s\", amount: 5)".formatted(id)).join().at("/data/payOnce").asInt())
			.isEqualTo(1);
		assertThat(mutate("payOnce(id: \"%s\", amount: 5)".formatted(id)).join().at("/data/payOnce").asInt())
			.isEqualTo(1);
		JsonNode error = error(mutate("payOnce(id: \"%s\", amount: 6)".formatted(id)));
		assertThat(error.at("/extensions/classification").asString()).isEqualTo("BAD_REQUEST");
		assertThat(error.at("/extensions/type").asString()).isEqualTo(PROBLEMS + "payload-mismatch");
		assertThat(error.at("/extensions/status").asInt()).isEqualTo(422);
	}

	@Test
	@DisplayName("A missing key is an error of the client")
	void keyMissing(CapturedOutput output) {
		JsonNode error = error(mutate("pay(id: \" \")"));
		assertThat(error.at("/message").asString())
			.isEqualTo("The request lacks a value that identifies its resource.");
		assertThat(error.at("/extensions/classification").asString()).isEqualTo("BAD_REQUEST");
		assertThat(error.at("/extensions/type").asString()).isEqualTo(PROBLEMS + "key-missing");
		assertThat(output).doesNotContain(" ERROR ");
	}

	@ParameterizedTest
	@CsvSource({ "wait-queue-full, CONFLICT, 1500", "lease-lost, CONFLICT,",
			"lock-store-unavailable, UNAVAILABLE, 1000" })
	@DisplayName("Each kind of exception has its own type, and none names the key")
	void otherProblems(String problem, String classification, Long retryAfter) {
		JsonNode error = error(mutate("fail(problem: \"%s\")".formatted(problem)));
		assertThat(error.at("/extensions/type").asString()).isEqualTo(PROBLEMS + problem);
		assertThat(error.at("/extensions/classification").asString()).isEqualTo(classification);
		assertThat(error.at("/extensions").has("retryAfterMillis")).isEqualTo(retryAfter != null);
		if (retryAfter != null) {
			assertThat(error.at("/extensions/retryAfterMillis").asLong()).isEqualTo(retryAfter);
		}
		assertThat(error.toString()).doesNotContain("secret").doesNotContain("connection");
	}

	@Test
	@DisplayName("Exceptions of the application are resolved as without the library")
	void otherExceptions() {
		assertThat(error(mutate("fail(problem: \"any\")")).at("/extensions/classification").asString())
			.isEqualTo("INTERNAL_ERROR");
	}

	@ParameterizedTest
	@ValueSource(strings = { "order", "orderInMono" })
	@DisplayName("A key reads a header of the HTTP request on the thread of the controller method")
	void header(String mutation) {
		assertThat(mutate(mutation).join().at("/data/" + mutation).asString()).isEqualTo("ordered");
		try (Lease other = hold("order", "7")) {
			assertThat(error(mutate(mutation)).at("/extensions/classification").asString()).isEqualTo("CONFLICT");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "endpoint, endpoint, /graphql", "own, own, taro" })
	@DisplayName("A key reads the path and the principal on the thread of the controller method")
	void pathAndPrincipal(String mutation, String lock, String key) {
		assertThat(mutate(mutation).join().at("/data/" + mutation).asString()).isEqualTo("called");
		try (Lease other = hold(lock, key)) {
			assertThat(error(mutate(mutation)).at("/extensions/classification").asString()).isEqualTo("CONFLICT");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("Fields of several objects, in a batch or after another thread, have their locks")
	void fields() {
		String query = "{ payments { id rate receipt } }";
		JsonNode payments = this.client.send(query).join();
		assertThat(payments.at("/data/payments/1/rate").asInt()).isEqualTo(100);
		assertThat(payments.at("/data/payments/1/receipt").asString()).isEqualTo("receipt 2");
		try (Lease rate = hold("rates", "2"); Lease receipt = hold("receipt", "17")) {
			JsonNode response = this.client.send(query).join();
			assertThat(response.at("/errors").valueStream().map((error) -> error.at("/path").toString()))
				.containsExactlyInAnyOrder("[\"payments\",0,\"rate\"]", "[\"payments\",1,\"rate\"]",
						"[\"payments\",0,\"receipt\"]");
			assertThat(response.at("/errors")
				.valueStream()
				.map((error) -> error.at("/extensions/classification").asString())).containsOnly("CONFLICT");
			assertThat(rate.isHeld() && receipt.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A parameter of type Lease is the lease of the call")
	void lease() {
		long first = mutate("token(id: \"1\")").join().at("/data/token").asLong();
		assertThat(mutate("token(id: \"1\")").join().at("/data/token").asLong()).isGreaterThan(first);
	}

	@Test
	@DisplayName("A Callable is rejected, and its task does not run")
	void callable(CapturedOutput output) {
		assertThat(error(mutate("payInTask(id: \"42\")")).at("/extensions/classification").asString())
			.isEqualTo("INTERNAL_ERROR");
		assertThat(output).contains("payInTask").contains("so no lock can cover it");
		assertThat(this.work.runs()).isZero();
	}

	@Test
	@DisplayName("A subscription holds its lock until its stream ends, and another one gets the error of a conflict")
	void subscription() {
		String document = "subscription { progress(id: \"42\") }";
		CompletableFuture<JsonNode> first = this.client.subscribe(document);
		this.work.awaitBegun();
		JsonNode error = this.client.subscribe(document).join().at("/errors/0");
		assertThat(error.at("/extensions/classification").asString()).isEqualTo("CONFLICT");
		assertThat(error.at("/extensions/type").asString()).isEqualTo(PROBLEMS + "request-in-progress");
		this.work.end();
		assertThat(first.join().at("/data/progress").asInt()).isEqualTo(1);
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	private CompletableFuture<JsonNode> mutate(String field) {
		return this.client.send("mutation { %s }".formatted(field));
	}

	private static JsonNode error(CompletableFuture<JsonNode> response) {
		JsonNode body = response.join();
		assertThat(body.at("/errors").size()).as(body.toString()).isEqualTo(1);
		return body.at("/errors/0");
	}

	private Lease hold(String name, String key) {
		return this.locks.acquire(new LockKey(name, key), LockOptions.of(Duration.ofMinutes(1)));
	}

}
