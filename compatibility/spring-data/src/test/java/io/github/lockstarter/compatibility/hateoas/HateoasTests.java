package io.github.lockstarter.compatibility.hateoas;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.hateoas.CollectionModel;
import org.springframework.hateoas.EntityModel;
import org.springframework.hateoas.Link;
import org.springframework.hateoas.PagedModel;
import org.springframework.hateoas.RepresentationModel;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Responses of Spring HATEOAS are replayed as they were sent, although their models are
 * written as more than is read.
 */
class HateoasTests {

	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(new Class<?>[] { Application.class, Orders.class }, "lock.store=memory",
				"spring.main.web-application-type=servlet");
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/paged", "/entity", "/collection", "/response", "/wildcard" })
	@DisplayName("A duplicate gets equal bytes, with templated links")
	void templatedLinks(String path) throws Exception {
		String key = UUID.randomUUID().toString();
		HttpResponse<String> first = server.post(path, "Idempotency-Key", key);
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.body()).contains("\"templated\":true");
		HttpResponse<String> again = server.post(path, "Idempotency-Key", key);
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(again.headers().firstValue("Content-Type")).isEqualTo(first.headers().firstValue("Content-Type"));
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	record Order(int number) {
	}

	@RestController
	@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "1h")
	static class Orders {

		private static final Link NEXT = Link.of("/orders{?page}", "next");

		private final AtomicInteger runs = new AtomicInteger();

		private Order next() {
			return new Order(this.runs.incrementAndGet());
		}

		@PostMapping("/paged")
		PagedModel<EntityModel<Order>> paged() {
			return PagedModel.of(List.of(EntityModel.of(next(), Link.of("/orders/1"))),
					new PagedModel.PageMetadata(1, 0, 10), NEXT);
		}

		@PostMapping("/entity")
		EntityModel<Order> entity() {
			return EntityModel.of(next(), NEXT);
		}

		@PostMapping("/collection")
		CollectionModel<Order> collection() {
			return CollectionModel.of(List.of(next()), NEXT);
		}

		@PostMapping("/response")
		ResponseEntity<RepresentationModel<?>> response() {
			return ResponseEntity.ok(EntityModel.of(next(), NEXT));
		}

		@PostMapping("/wildcard")
		ResponseEntity<?> wildcard() {
			return ResponseEntity.ok(EntityModel.of(next(), NEXT));
		}

	}

}
