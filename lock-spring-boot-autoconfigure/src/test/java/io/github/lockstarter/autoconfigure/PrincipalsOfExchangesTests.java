package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebSession;
import org.springframework.web.server.session.DefaultWebSessionManager;
import org.springframework.web.server.session.WebSessionManager;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In Spring WebFlux, reading the principal may load a session, so it is read only if a
 * lock depends on it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrincipalsOfExchangesTests {

	private TestServer server;

	private Security security;

	@BeforeAll
	void start() {
		this.server = TestServer.start(new Class<?>[] { TestServer.Application.class, Security.class, Handlers.class },
				"lock.store=memory", "spring.main.web-application-type=reactive");
		this.security = this.server.context().getBean(Security.class);
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	@BeforeEach
	void reset() {
		this.security.principals.set(0);
		this.security.sessions.set(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/key", "/header", "/condition", "/entity", "/share", "/elements" })
	@DisplayName("A lock that does not depend on the principal reads neither the principal nor the session")
	void untouched(String path) throws Exception {
		HttpResponse<String> response = this.server.post(path + "?id=1", "X-Id", "1");
		assertThat(response.body()).isEqualTo("1");
		assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
		assertThat(this.security.principals).hasValue(0);
		assertThat(this.security.sessions).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/principal", "/root", "/index", "/by-condition", "/call", "/replay", "/projection",
			"/selection" })
	@DisplayName("A lock that depends on the principal reads it once")
	void asked(String path) throws Exception {
		assertThat(this.server.post(path + "?id=1").body()).isEqualTo("1");
		assertThat(this.security.principals).hasValue(1);
	}

	@Test
	@DisplayName("A key expression that reads the principal by a name from the request gets it")
	void dynamicName() throws Exception {
		assertThat(this.server.post("/dynamic?id=principal").statusCode()).isEqualTo(200);
		assertThat(this.security.principals).hasValue(1);
	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		private final AtomicInteger principals = new AtomicInteger();

		private final AtomicInteger sessions = new AtomicInteger();

		@Bean
		WebSessionManager webSessionManager() {
			DefaultWebSessionManager sessions = new DefaultWebSessionManager();
			return (exchange) -> Mono.defer(() -> {
				this.sessions.incrementAndGet();
				return sessions.getSession(exchange);
			});
		}

		@Bean
		WebFilter principalOfSession() {
			return (exchange, chain) -> chain.filter(new OfSession(exchange, this.principals));
		}

	}

	/** Reads the principal from the session, as Spring Security does. */
	static class OfSession extends ServerWebExchangeDecorator {

		private final AtomicInteger principals;

		OfSession(ServerWebExchange delegate, AtomicInteger principals) {
			super(delegate);
			this.principals = principals;
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T extends Principal> Mono<T> getPrincipal() {
			return (Mono<T>) Mono.defer(() -> {
				this.principals.incrementAndGet();
				return getSession().map(WebSession::getId).map((id) -> (Principal) () -> "taro");
			});
		}

	}

	@RestController
	static class Handlers {

		@PostMapping("/key")
		@ExclusiveRequest(name = "key", key = "#id")
		Mono<String> key(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/header")
		@ExclusiveRequest(name = "header", key = "header('X-Id') + path + #root.path")
		Mono<String> header(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/condition")
		@ExclusiveRequest(name = "condition", key = "#id", condition = "#id != '2'")
		Mono<String> condition(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/entity")
		@ExclusiveRequest(name = "entity", key = "#id")
		ResponseEntity<String> entity(@RequestParam String id) {
			return ResponseEntity.ok(id);
		}

		@PostMapping("/share")
		@ExclusiveRequest(name = "share", key = "#id", onConflict = OnConflict.SHARE)
		Mono<String> share(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/elements")
		@ExclusiveRequest(name = "elements", key = "{#id}.![#this + 1]")
		Mono<String> elements(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/projection")
		@ExclusiveRequest(name = "projection", key = "{#id}.![#root.principal.name + #this]")
		Mono<String> projection(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/selection")
		@ExclusiveRequest(name = "selection", key = "#id", condition = "{1}.?[#root.principal == null].empty")
		Mono<String> selection(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/principal")
		@ExclusiveRequest(name = "principal", key = "principal.name")
		Mono<String> principal(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/root")
		@ExclusiveRequest(name = "root", key = "{#id, #root.principal}")
		Mono<String> root(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/index")
		@ExclusiveRequest(name = "index", key = "#root['principal']")
		Mono<String> index(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/by-condition")
		@ExclusiveRequest(name = "by-condition", key = "#id", condition = "principal != null")
		Mono<String> byCondition(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/call")
		@ExclusiveRequest(name = "call", key = "#id", condition = "#root != #id")
		Mono<String> call(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/replay")
		@ExclusiveRequest(name = "replay", key = "#id", replay = "1h")
		Mono<String> replay(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/dynamic")
		@ExclusiveRequest(name = "dynamic", key = "#root[#id]")
		Mono<String> dynamic(@RequestParam String id) {
			return Mono.just(id);
		}

	}

}
