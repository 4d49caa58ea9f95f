package io.github.lockstarter.autoconfigure;

import java.security.Principal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The ways to write a controller, in both web stacks.
 */
@Tag("jdk")
class HandlerSignaturesTests {

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("An annotation is found on an interface with the mapping, on a generic superclass and on a method")
	void signatures(String type) throws Exception {
		TestServer server = server(type);
		LockRegistry locks = server.context().getBean(LockRegistry.class);
		for (String handler : new String[] { "contract", "generic", "own" }) {
			assertThat(server.post("/" + handler + "?key=taro").body()).isEqualTo(handler + " taro, held: true");
			try (Lease held = locks.acquire(handler + ":taro")) {
				assertThat(server.post("/" + handler + "?key=taro").statusCode()).isEqualTo(409);
				assertThat(server.post("/" + handler + "?key=jiro").statusCode()).isEqualTo(200);
				assertThat(held.isHeld()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("An asynchronous handler gets its Lease, and its key expression can read the request")
	void lease(String type) throws Exception {
		TestServer server = server(type);
		assertThat(server.post("/mono", "X-Tenant", "a").body()).isEqualTo("held: true, in context: true");
		assertThat(server.post("/mono").statusCode()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A plain Future that is already done is treated as a value")
	void doneFuture(String type) throws Exception {
		TestServer server = server(type);
		LockRegistry locks = server.context().getBean(LockRegistry.class);
		Done done = server.context().getBean(Done.class);
		assertThat(done.done().get()).isEqualTo("done");
		locks.acquire("done").close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "true" })
	@DisplayName("A handler with a plain return value fails on an event loop, with advice, and locked on threads that may block")
	void plainValueInWebFlux(String virtual) throws Exception {
		boolean available = Runtime.version().feature() >= 21;
		try (TestServer server = start("reactive", Plain.class, "spring.threads.virtual.enabled=" + virtual)) {
			int status = server.post("/plain").statusCode();
			assertThat(status).isEqualTo((available && virtual.equals("true")) ? 200 : 500);
			try (Lease held = server.context().getBean(LockRegistry.class).acquire("plain")) {
				assertThat(server.post("/plain").statusCode())
					.isEqualTo((available && virtual.equals("true")) ? 409 : 500);
				assertThat(held.isHeld()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "lock.web.release-on=response, Later.stage", "lock.web.release-on=response, Plain.plain",
			"lock.wait=1s, Reading.stage", "lock.wait=1s, Nested.stage" })
	@DisplayName("A WebFlux handler prevents startup if a lock cannot cover its work, or if it needs the request but cannot get it")
	void notForWebFlux(String property, String handler) {
		Class<?> type = Stream.of(Later.class, Plain.class, Reading.class, Nested.class)
			.filter((each) -> handler.startsWith(each.getSimpleName()))
			.findFirst()
			.orElseThrow();
		assertThatThrownBy(() -> start("reactive", type, property).close())
			.isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining(handler)
			.hasMessageContaining("in Spring WebFlux");
	}

	@Test
	@DisplayName("A key expression gets the principal that an application's filter has set")
	void principal() throws Exception {
		try (TestServer server = start("reactive", Principals.class)) {
			assertThat(server.post("/principal", "X-User", "taro").body()).isEqualTo("taro");
			assertThat(server.post("/principal").statusCode()).isEqualTo(400);
		}
	}

	private static TestServer server(String type) {
		return servers.get(new Class<?>[] { TestServer.Application.class, Contracted.class, Inheriting.class, Own.class,
				Seeing.class, Done.class }, "spring.main.web-application-type=" + type, "lock.store=memory");
	}

	private static TestServer start(String type, Object... controllersAndProperties) {
		return TestServer.start(
				Stream
					.concat(Stream.of(TestServer.Application.class),
							Stream.of(controllersAndProperties)
								.filter(Class.class::isInstance)
								.map((each) -> (Class<?>) each))
					.toArray(Class<?>[]::new),
				Stream
					.concat(Stream.of("spring.main.web-application-type=" + type, "lock.store=memory"),
							Stream.of(controllersAndProperties)
								.filter(String.class::isInstance)
								.map((each) -> (String) each))
					.toArray(String[]::new));
	}

	interface Contract {

		@PostMapping("/contract")
		@ExclusiveRequest(name = "contract", key = "#key")
		Mono<String> contract(@RequestParam String key, Lease lease);

	}

	@RestController
	static class Contracted implements Contract {

		@Override
		public Mono<String> contract(String key, Lease lease) {
			return Mono.fromSupplier(() -> "contract " + key + ", held: " + lease.isHeld());
		}

	}

	abstract static class Generic<T> {

		@PostMapping("/generic")
		@ExclusiveRequest(name = "generic", key = "#key")
		public Mono<T> generic(@RequestParam String key, Lease lease) {
			return Mono.fromSupplier(() -> value("generic " + key + ", held: " + lease.isHeld()));
		}

		abstract T value(String text);

	}

	@RestController
	static class Inheriting extends Generic<String> {

		@Override
		String value(String text) {
			return text;
		}

	}

	@RestController
	static class Own {

		@PostMapping("/own")
		@ExclusiveRequest(name = "own", key = "#key")
		CompletableFuture<String> own(@RequestParam String key, Lease lease) {
			return CompletableFuture.supplyAsync(() -> "own " + key + ", held: " + lease.isHeld());
		}

	}

	@RestController
	static class Seeing {

		@PostMapping("/mono")
		@ExclusiveRequest(name = "seen", key = "{path, header('X-Tenant')}")
		Mono<String> mono(Lease lease) {
			return Mono.deferContextual((context) -> Mono
				.just("held: %s, in context: %s".formatted(lease.isHeld(), context.get(Lease.class) == lease)));
		}

	}

	@RestController
	static class Plain {

		@PostMapping("/plain")
		@ExclusiveRequest(name = "plain")
		String plain() {
			return "plain";
		}

	}

	@RestController
	static class Later {

		@PostMapping("/stage")
		@ExclusiveRequest
		CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("done");
		}

	}

	@RestController
	static class Reading {

		@PostMapping("/stage")
		@ExclusiveRequest(key = "header('X-Tenant')")
		CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("done");
		}

	}

	@RestController
	static class Nested {

		@PostMapping("/stage")
		@ExclusiveRequest
		CompletableFuture<ResponseEntity<Flux<String>>> stage() {
			return CompletableFuture.completedFuture(ResponseEntity.ok(Flux.just("done")));
		}

	}

	@RestController
	static class Principals implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			String user = exchange.getRequest().getHeaders().getFirst("X-User");
			return chain.filter((user != null) ? exchange.mutate().principal(Mono.just(() -> user)).build() : exchange);
		}

		@PostMapping("/principal")
		@ExclusiveRequest(name = "principal", key = "principal.name")
		Mono<String> principal(Principal principal) {
			return Mono.just(principal.getName());
		}

	}

	/** Resembles the futures of some libraries. */
	interface ListenableFuture<T> extends Future<T> {

	}

	static class Done {

		@ExclusiveRequest(name = "done")
		public ListenableFuture<String> done() {
			return new DoneFuture();
		}

	}

	private static final class DoneFuture implements ListenableFuture<String> {

		@Override
		public boolean cancel(boolean mayInterrupt) {
			return false;
		}

		@Override
		public boolean isCancelled() {
			return false;
		}

		@Override
		public boolean isDone() {
			return true;
		}

		@Override
		public String get() {
			return "done";
		}

		@Override
		public String get(long timeout, TimeUnit unit) {
			return get();
		}

	}

}
