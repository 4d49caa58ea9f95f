package io.github.lockstarter.compatibility;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers of Spring WebFlux behind Spring Security.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveCallerTests {

	private TestServer server;

	@BeforeAll
	void start() {
		this.server = TestServer.start(new Class<?>[] { Application.class }, "lock.store=memory",
				"spring.main.web-application-type=reactive", "server.shutdown=immediate");
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/mono", "/entity", "/share" })
	@DisplayName("A reactive handler runs as its caller, whether or not it has waited")
	void caller(String path) throws Exception {
		assertThat(post(path, "alice").join().body()).isEqualTo("alice alice");
		HttpResponse<String> waited = new Waiters(this.server.context())
			.contended(new LockKey("own", "alice"), () -> post(path, "alice"))
			.get();
		assertThat(waited.statusCode()).isEqualTo(200);
		assertThat(waited.body()).isEqualTo("alice alice");
	}

	@Test
	@DisplayName("The key of one user does not hold up another one")
	void others() throws Exception {
		try (Lease held = this.server.context().getBean(LockRegistry.class).acquire("own:alice")) {
			assertThat(post("/mono", "bob").join().body()).isEqualTo("bob bob");
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A replayed response is only for the user whose response it is")
	void replayed() {
		assertThat(post("/replay?key=1", "alice").join().body()).isEqualTo("1");
		assertThat(post("/replay?key=1", "bob").join().body()).isEqualTo("2");
		assertThat(post("/replay?key=1", "alice").join().body()).isEqualTo("1");
		assertThat(post("/replay?key=1", "bob").join().body()).isEqualTo("2");
	}

	@Test
	@DisplayName("An anonymous client has no principal")
	void anonymous() throws Exception {
		assertThat(this.server.post("/open/own").statusCode()).isEqualTo(400);
	}

	@Test
	@DisplayName("The principal may be set by a filter of the application, for the subscriber only")
	void ownFilter() throws Exception {
		assertThat(this.server.post("/open/own", "X-Token", "carol").statusCode()).isEqualTo(200);
		try (Lease held = this.server.context().getBean(LockRegistry.class).acquire("own:carol")) {
			assertThat(this.server.post("/open/own", "X-Token", "carol").statusCode()).isEqualTo(409);
			assertThat(held.isHeld()).isTrue();
		}
	}

	private CompletableFuture<HttpResponse<String>> post(String path, String user) {
		String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
		return this.server.postAsync(path, "Authorization", "Basic " + credentials);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class Application {

		@Bean
		SecurityWebFilterChain chain(ServerHttpSecurity http) {
			return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.httpBasic(Customizer.withDefaults())
				.anonymous(Customizer.withDefaults())
				.authorizeExchange(
						(exchanges) -> exchanges.pathMatchers("/open/**").permitAll().anyExchange().authenticated())
				.build();
		}

		@Bean
		ReactiveUserDetailsService users() {
			return (name) -> Mono.just(User.withUsername(name).password("{noop}secret").roles("USER").build());
		}

		@Bean
		WebFilter tokenFilter() {
			return (exchange, chain) -> {
				String user = exchange.getRequest().getHeaders().getFirst("X-Token");
				Mono<Void> filtered = chain.filter(exchange);
				return (user == null) ? filtered : filtered.contextWrite(ReactiveSecurityContextHolder
					.withAuthentication(new TestingAuthenticationToken(user, "", "ROLE_USER")));
			};
		}

	}

	@RestController
	static class Handlers {

		private final AtomicInteger runs = new AtomicInteger();

		@PostMapping("/mono")
		@ExclusiveRequest(name = "own", key = "principal.name", waitTime = "5m")
		Mono<String> mono(Principal principal) {
			return caller(principal);
		}

		@PostMapping("/share")
		@ExclusiveRequest(name = "own", key = "principal", onConflict = OnConflict.SHARE, waitTime = "5m")
		Mono<String> share(Principal principal) {
			return caller(principal);
		}

		@PostMapping("/entity")
		@ExclusiveRequest(name = "own", key = "principal.name", waitTime = "5m")
		ResponseEntity<String> entity(Principal principal) {
			return ResponseEntity.ok(principal.getName() + " " + principal.getName());
		}

		@PostMapping("/replay")
		@ExclusiveRequest(name = "replay", key = "#key", replay = "1h")
		Mono<Integer> replay(@RequestParam String key) {
			return Mono.fromSupplier(this.runs::incrementAndGet);
		}

		@PostMapping("/open/own")
		@ExclusiveRequest(name = "own", key = "principal.name")
		Mono<String> open() {
			return Mono.just("done");
		}

		private static Mono<String> caller(Principal principal) {
			return ReactiveSecurityContextHolder.getContext()
				.map((context) -> context.getAuthentication().getName() + " " + principal.getName());
		}

	}

}
