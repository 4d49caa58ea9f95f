package io.github.lockstarter.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.service.RunningService.Response;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class ApiKeysTests {

	private static final String HANAKO = "the-key-of-hanako-0123456789";

	private static RunningService service;

	@BeforeAll
	static void start() {
		service = RunningService.start("lock.service.clients.hanako.api-key=" + HANAKO);
	}

	@AfterAll
	static void stop() {
		service.close();
	}

	@Test
	@DisplayName("A request without an API key is rejected with 401 and problem details, and has no effect")
	void missingKey() {
		for (String method : List.of("PUT", "GET", "DELETE")) {
			Response rejected = service.sendWithoutKey(method, "/locks/secret", "Lock-Token", "0123456789abcdef")
				.join();
			assertThat(rejected.status()).isEqualTo(401);
			assertThat(rejected.problem()).isEqualTo("api-key-missing");
			assertThat(rejected.header("WWW-Authenticate")).startsWith("Bearer");
		}
		for (String method : List.of("GET", "DELETE")) {
			assertThat(service.sendWithoutKey(method, "/lock?hash=secret&token=0123456789abcdef").join().status())
				.isEqualTo(401);
		}
		assertThat(service.isHeld("secret")).isFalse();
	}

	@Test
	@DisplayName("A wrong key is rejected with 401, even if it is a prefix of a valid key")
	void wrongKey() {
		for (String wrong : List.of("nonsense", RunningService.KEY.substring(1), RunningService.KEY + "x", "")) {
			Response rejected = service.sendWithoutKey("PUT", "/locks/secret", "X-API-Key", wrong).join();
			assertThat(rejected.status()).isEqualTo(401);
			assertThat(rejected.body()).doesNotContain("nonsense", RunningService.KEY);
		}
		assertThat(service.isHeld("secret")).isFalse();
	}

	@Test
	@DisplayName("The key can be sent as a bearer token")
	void bearer() {
		assertThat(service.sendWithoutKey("GET", "/locks/b", "Authorization", "bearer " + HANAKO).join().status())
			.isEqualTo(200);
		assertThat(service.sendWithoutKey("GET", "/locks/b", "Authorization", "Basic " + HANAKO).join().status())
			.isEqualTo(401);
	}

	@Test
	@DisplayName("Clients are isolated: the same name is a different lock, and a token of another client is rejected")
	void namespaces() {
		Response taro = service.send("PUT", "/locks/common");
		Response hanako = service.sendWithoutKey("PUT", "/locks/common", "X-API-Key", HANAKO).join();
		assertThat(taro.status()).isEqualTo(201);
		assertThat(hanako.status()).isEqualTo(201);
		assertThat(service.send("DELETE", "/locks/common", "Lock-Token", hanako.token()).status()).isEqualTo(409);
		assertThat(service.send("PUT", "/locks/common", "Lock-Token", hanako.token()).status()).isEqualTo(409);
		assertThat(service.send("DELETE", "/locks/common", "Lock-Token", taro.token()).status()).isEqualTo(204);
	}

	@Test
	@DisplayName("Of 3,000 wrong keys most are rejected with 429, no lock is taken, one line without a key is logged, and a valid key still works")
	void manyWrongKeys(CapturedOutput output) {
		try (RunningService own = RunningService.start()) {
			int[] statuses = new int[600];
			for (int begin = 0; begin < 3_000; begin += 100) {
				List<CompletableFuture<Response>> responses = new ArrayList<>();
				for (int i = begin; i < begin + 100; i++) {
					responses.add(own.sendWithoutKey("PUT", "/locks/guessed", "X-API-Key", "guess-number-" + i));
				}
				responses.forEach((response) -> statuses[response.join().status()]++);
			}
			assertThat(statuses[401] + statuses[429]).isEqualTo(3_000);
			assertThat(statuses[429]).isGreaterThan(2_000);
			Response tooMany = own.sendWithoutKey("PUT", "/locks/guessed", "X-API-Key", "one-guess-more").join();
			assertThat(tooMany.problem()).isEqualTo("too-many-wrong-keys");
			assertThat(Integer.parseInt(tooMany.header("Retry-After"))).isBetween(1, 60);
			assertThat(own.isHeld("guessed")).isFalse();
			assertThat(output.getAll()).doesNotContain("guess-number");
			// Two lines are logged if the minute ends during the requests.
			assertThat(output.getAll().split("wrong API keys", -1)).hasSizeBetween(2, 3);

		}
	}

	@Test
	@DisplayName("On any platform, wrong keys count for the address of the connection, whatever a request says")
	void forgedAddress(CapturedOutput output) {
		try (RunningService own = RunningService.start("spring.main.cloud-platform=kubernetes")) {
			assertThat(statusesOfWrongKeys(own, "X-Forwarded-For", "192.0.2.%d")).contains(429);
			assertThat(statusesOfWrongKeys(own, "Forwarded", "for=192.0.2.%d")).containsOnly(429);
			assertThat(output.getAll()).contains("Address 127.0.0.1 has sent").doesNotContain("192.0.2.");
		}
	}

	@Test
	@DisplayName("Behind a proxy that is trusted, wrong keys count for the client's address, and no other text is logged")
	void forwardedAddress(CapturedOutput output) {
		try (RunningService own = RunningService.start("server.forward-headers-strategy=native")) {
			assertThat(statusesOfWrongKeys(own, "X-Forwarded-For", "192.0.2.%d")).containsOnly(401);
			assertThat(statusesOfWrongKeys(own, "X-Forwarded-For", "192.0.2.200")).contains(429);
			assertThat(statusesOfWrongKeys(own, "X-Forwarded-For", "2001:db8::7")).contains(429);
			assertThat(statusesOfWrongKeys(own, "X-Forwarded-For", "forged-%d")).contains(429);
			assertThat(output.getAll())
				.contains("Address 192.0.2.200 has sent", "Address 2001:db8:0:0:0:0:0:7 has",
						"Address unknown has sent")
				.doesNotContain("forged");
		}
	}

	/** Sends more wrong keys than one address may send. */
	private static List<Integer> statusesOfWrongKeys(RunningService service, String header, String value) {
		return IntStream.range(0, 40)
			.mapToObj((i) -> service.sendWithoutKey("PUT", "/locks/guessed", "X-API-Key", "guess-number-" + i, header,
					value.formatted(i)))
			.map((response) -> response.join().status())
			.toList();
	}

	@Test
	@DisplayName("The health endpoint and the OpenAPI document need no key")
	void publicPaths() {
		for (String path : List.of("/actuator/health/liveness", "/actuator/health/readiness", "/openapi")) {
			assertThat(service.sendWithoutKey("GET", path).join().status()).as(path).isEqualTo(200);
		}
	}

	@Test
	@DisplayName("An open service needs no key, and all clients share the lock names")
	void open() {
		try (RunningService open = RunningService.startBare("lock.store=memory", "lock.service.open=true")) {
			assertThat(open.sendWithoutKey("PUT", "/locks/open").join().status()).isEqualTo(201);
			assertThat(open.sendWithoutKey("PUT", "/locks/open", "X-API-Key", "any").join().status()).isEqualTo(409);
		}
	}

}
