package io.github.lockstarter.frontdoors;

import java.util.concurrent.CompletableFuture;

import io.rsocket.exceptions.ApplicationErrorException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.messaging.handler.annotation.MessageExceptionHandler;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.messaging.rsocket.RSocketRequester.RetrieveSpec;
import org.springframework.stereotype.Controller;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks in RSocket.
 */
@SpringBootTest(classes = RSocketTests.RSocketApplication.class, webEnvironment = WebEnvironment.NONE,
		properties = { "spring.rsocket.server.port=0", "spring.rsocket.server.address=127.0.0.1" })
@ExtendWith(OutputCaptureExtension.class)
class RSocketTests {

	@Autowired
	private Work work;

	@Autowired
	private LockInspector inspector;

	private RSocketRequester client;

	@BeforeEach
	void connect(@Autowired RSocketRequester.Builder builder, @Value("${local.rsocket.server.port}") int port) {
		this.client = builder.tcp("127.0.0.1", port);
	}

	@AfterEach
	void disconnect() {
		this.client.dispose();
		this.work.reset();
	}

	@ParameterizedTest
	@ValueSource(strings = { "pay", "pay.stream" })
	@DisplayName("Of two requests at once one runs, and the other one gets an error frame with the message")
	void oneRuns(String route) {
		CompletableFuture<Integer> first = send(route).toFuture();
		this.work.awaitBegun();
		assertThatExceptionOfType(ApplicationErrorException.class).isThrownBy(() -> send(route).block())
			.withMessage("Lock 'payment' is held by another caller");
		this.work.end();
		assertThat(first.join()).isEqualTo(1);
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("With WAIT, the second request runs after the first one")
	void waits() {
		CompletableFuture<Integer> first = send("pay.patiently").toFuture();
		this.work.awaitBegun();
		CompletableFuture<Integer> second = send("pay.patiently").toFuture();
		await().until(() -> this.inspector.waiters("payment") == 1);
		this.work.end();
		this.work.awaitBegun();
		this.work.end();
		assertThat(first.join()).isEqualTo(1);
		assertThat(second.join()).isEqualTo(2);
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("A handler of the application maps a conflict to a value")
	void mapped() {
		CompletableFuture<Integer> first = send("mapped.pay").toFuture();
		this.work.awaitBegun();
		assertThat(send("mapped.pay").block()).isEqualTo(-1);
		this.work.end();
		assertThat(first.join()).isEqualTo(1);
	}

	@Test
	@DisplayName("A method that returns a plain value is rejected on an event loop, and says so")
	void plainValue() {
		assertThatExceptionOfType(ApplicationErrorException.class).isThrownBy(() -> send("pay.plain").block())
			.withMessageContaining("payPlain")
			.withMessageContaining("event loop");
		assertThat(this.work.runs()).isZero();
	}

	@Test
	@DisplayName("A key that reads a header has no request to read")
	void header() {
		assertThatExceptionOfType(ApplicationErrorException.class).isThrownBy(() -> send("order").block())
			.withMessage("The key of lock 'order' reads the HTTP request, but this call belongs to none");
	}

	@Test
	@DisplayName("A fire-and-forget request that is rejected is lost, and the log has its error")
	void forgotten(CapturedOutput output) {
		CompletableFuture<Integer> first = send("pay").toFuture();
		this.work.awaitBegun();
		this.client.route("pay.forgotten").data("42").send().block();
		await().until(() -> output.getAll().contains("Lock 'payment' is held"));
		this.work.end();
		first.join();
		assertThat(this.work.runs()).isEqualTo(1);
	}

	private Mono<Integer> send(String route) {
		RetrieveSpec request = this.client.route(route).data("42");
		return route.equals("pay.stream") ? request.retrieveFlux(Integer.class).single()
				: request.retrieveMono(Integer.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ PaymentController.class, MappedController.class })
	static class RSocketApplication {

		@Bean
		Work work() {
			return new Work();
		}

	}

	@Controller
	static class PaymentController {

		private final Work work;

		PaymentController(Work work) {
			this.work = work;
		}

		@MessageMapping("pay")
		@ExclusiveRequest(name = "payment", key = "#id")
		public Mono<Integer> pay(@Payload String id) {
			return Mono.fromCallable(this.work::run).subscribeOn(Schedulers.boundedElastic());
		}

		@MessageMapping("pay.stream")
		@ExclusiveRequest(name = "payment", key = "#id")
		public Flux<Integer> payInStream(@Payload String id) {
			return Flux.from(Mono.fromCallable(this.work::run).subscribeOn(Schedulers.boundedElastic()));
		}

		@MessageMapping("pay.patiently")
		@ExclusiveRequest(name = "payment", key = "#id", onConflict = OnConflict.WAIT, waitTime = "30s")
		public Mono<Integer> payPatiently(@Payload String id) {
			return Mono.fromCallable(this.work::run).subscribeOn(Schedulers.boundedElastic());
		}

		@MessageMapping("pay.forgotten")
		@ExclusiveRequest(name = "payment", key = "#id")
		public Mono<Void> payForgotten(@Payload String id) {
			return Mono.fromRunnable(this.work::run);
		}

		@MessageMapping("pay.plain")
		@ExclusiveRequest(name = "payment", key = "#id")
		public int payPlain(@Payload String id) {
			return this.work.run();
		}

		@MessageMapping("order")
		@ExclusiveRequest(name = "order", key = "header('X-Order')")
		public Mono<Integer> order(@Payload String id) {
			return Mono.fromCallable(this.work::run);
		}

	}

	@Controller
	static class MappedController {

		private final Work work;

		MappedController(Work work) {
			this.work = work;
		}

		@MessageMapping("mapped.pay")
		@ExclusiveRequest(name = "payment", key = "#id")
		public Mono<Integer> pay(@Payload String id) {
			return Mono.fromCallable(this.work::run).subscribeOn(Schedulers.boundedElastic());
		}

		@MessageExceptionHandler
		Mono<Integer> rejected(LockConflictException conflict) {
			return Mono.just(-1);
		}

	}

}
