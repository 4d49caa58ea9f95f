package io.github.lockstarter.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.Jobs.Job;
import io.github.lockstarter.testing.TcpProxy;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The clients with an application that has an annotated handler.
 */
class ReplayedRequestsTests {

	private static final String KEY = "\"order-4711\"";

	private final RetryLimits limits = new RetryLimits(1000, Duration.ofMinutes(1));

	private TestServer server;

	private TcpProxy proxy;

	private Orders orders;

	private Job work;

	@BeforeEach
	void start() {
		this.server = TestServer.start(new SpringApplication(TestServer.Application.class, Orders.class, Jobs.class),
				"lock.store=memory", "lock.ttl=5s", "spring.main.web-application-type=servlet");
		this.proxy = new TcpProxy(this.server.port());
		this.orders = this.server.context().getBean(Orders.class);
		this.work = this.server.context().getBean(Jobs.class).get("order");
	}

	@AfterEach
	void stop() {
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("Two clients that send the same key concurrently get the same response, and the order is placed once")
	void together(boolean reactive) throws Exception {
		CompletableFuture<ResponseEntity<String>> first = post(false);
		this.work.awaitBegun();
		CompletableFuture<ResponseEntity<String>> second = post(reactive);
		LockCounts counts = this.server.context().getBean(LockCounts.class);
		Awaitility.await().until(() -> counts.get("orders", Event.CONTENDED) > 0);
		this.work.finish();
		ResponseEntity<String> placed = first.get(1, TimeUnit.MINUTES);
		ResponseEntity<String> replayed = second.get(1, TimeUnit.MINUTES);
		assertThat(placed.getStatusCode().value()).isEqualTo(201);
		assertThat(placed.getBody()).isEqualTo("2 books, 1");
		assertThat(replayed.getStatusCode()).isEqualTo(placed.getStatusCode());
		assertThat(replayed.getBody()).isEqualTo(placed.getBody());
		assertThat(replayed.getHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
		assertThat(this.orders.placed()).isOne();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A client whose response was lost in transit gets it by repetition, and the order is placed once")
	void lostResponse(boolean reactive) throws Exception {
		CompletableFuture<ResponseEntity<String>> client = post(reactive);
		this.work.awaitBegun();
		this.proxy.dropReplies();
		this.work.finish();
		Awaitility.await().until(() -> this.orders.placed() == 1);
		this.proxy.reset();
		ResponseEntity<String> response = client.get(1, TimeUnit.MINUTES);
		assertThat(response.getStatusCode().value()).isEqualTo(201);
		assertThat(response.getBody()).isEqualTo("2 books, 1");
		assertThat(response.getHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
		assertThat(this.orders.placed()).isOne();
	}

	private CompletableFuture<ResponseEntity<String>> post(boolean reactive) {
		String url = "http://127.0.0.1:" + this.proxy.port() + "/orders";
		if (reactive) {
			return WebClient.builder()
				.filter(new IdempotentRetryFilter(this.limits))
				.build()
				.post()
				.uri(url)
				.header("Idempotency-Key", KEY)
				.bodyValue("2 books")
				.retrieve()
				.toEntity(String.class)
				.toFuture();
		}
		RestClient client = RestClient.builder()
			.requestFactory(new JdkClientHttpRequestFactory())
			.requestInterceptor(new IdempotentRetryInterceptor(this.limits))
			.build();
		return CompletableFuture.supplyAsync(() -> client.post()
			.uri(url)
			.header("Idempotency-Key", KEY)
			.body("2 books")
			.retrieve()
			.toEntity(String.class));
	}

	@RestController
	static class Orders {

		private final AtomicInteger placed = new AtomicInteger();

		private final Jobs jobs;

		Orders(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/orders")
		@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "24h")
		ResponseEntity<String> place(@RequestBody String order) {
			this.jobs.get("order").run();
			return ResponseEntity.status(201).body(order + ", " + this.placed.incrementAndGet());
		}

		int placed() {
			return this.placed.get();
		}

	}

}
