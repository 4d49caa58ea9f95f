package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;
import io.github.lockstarter.web.LockProblems;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The source of the status of a rejection.
 */
class ConflictStatusTests {

	private static final String[] CONFIGURED = { "lock.store=memory", "lock.web.conflict-status=423",
			"lock.names.named.conflict-status=429" };

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private final List<Lease> held = new ArrayList<>();

	@AfterEach
	void release() {
		this.held.forEach(Lease::close);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("The status of a name precedes that of the annotation, which precedes the default, even if it is 409")
	void annotated(String type) throws Exception {
		TestServer server = server(type);
		hold(server, "plain", "own", "usual", "named");
		assertStatus(server, "/plain", 423);
		assertStatus(server, "/own", 422);
		assertStatus(server, "/usual", 409);
		assertStatus(server, "/named", 429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("Handlers that wait, blocking or not, and handlers that share respond with the configured status")
	void everyWayToWait(String type) throws Exception {
		TestServer server = server(type);
		hold(server, "own");
		for (String path : new String[] { "/waiting", "/future", "/mono", "/shared-mono", "/shared-entity" }) {
			assertStatus(server, path, 422);
		}
	}

	@Test
	@DisplayName("A Spring MVC handler that shares and blocks its thread responds with the configured status")
	void shared() throws Exception {
		TestServer server = server("servlet");
		hold(server, "own");
		assertStatus(server, "/shared", 422);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("With several locks, the status is that of the held lock")
	void several(String type) throws Exception {
		TestServer server = server(type);
		try (Lease lease = locks(server).acquire("own")) {
			assertThat(lease.isHeld()).isTrue();
			assertStatus(server, "/several", 422);
			assertStatus(server, "/several-later", 422);
		}
		hold(server, "named");
		assertStatus(server, "/several", 429);
		assertStatus(server, "/several-later", 429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("When the registry rejects code that calls it, the status is the configured default, not that of the surrounding method")
	void programmatic(String type) throws Exception {
		TestServer server = server(type);
		hold(server, "named:1", "other:1");
		assertStatus(server, "/code?lock=named:1", 429);
		assertStatus(server, "/code?lock=other:1", 423);
		assertStatus(server, "/code-later?lock=named:1", 429);
		assertStatus(server, "/code-later?lock=other:1", 423);
		assertStatus(server, "/under-own?lock=named:1", 429);
		assertStatus(server, "/chosen?lock=named:1", 422);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("An application's own advice sees the configured status, including when the conflict is a cause")
	void ownAdvice(String type) throws Exception {
		TestServer server = server(type, OwnAdvice.class);
		hold(server, "named", "own", "other");
		assertResponse(server, "/code?lock=named", 429, "own advice");
		assertResponse(server, "/code?lock=other", 423, "own advice");
		assertResponse(server, "/code-later?lock=named", 429, "own advice");
		assertResponse(server, "/wrapped?lock=named", 429, "own advice");
		assertResponse(server, "/chosen?lock=named", 422, "own advice");
		assertResponse(server, "/named", 429, "own advice");
		assertResponse(server, "/own", 422, "own advice");
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A controller's exception handler sees the configured status")
	void ownHandler(String type) throws Exception {
		TestServer server = server(type);
		hold(server, "named");
		assertResponse(server, "/handled", 429, "own handler");
	}

	@Test
	@DisplayName("A functional endpoint of Spring MVC responds with the configured status, also to a conflict that it creates itself")
	void function() throws Exception {
		TestServer server = server("servlet");
		hold(server, "named");
		assertThat(server.post("/function").statusCode()).isEqualTo(429);
		assertThat(server.post("/created-function").statusCode()).isEqualTo(429);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("The handler of the documentation keeps the texts and the headers")
	void documentedHandler(String type) throws Exception {
		TestServer server = server(type, DocumentedAdvice.class);
		hold(server, "named");
		HttpResponse<String> response = server.post("/named");
		assertThat(response.statusCode()).isEqualTo(429);
		assertThat(response.headers().firstValue("Retry-After")).isPresent();
		assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
		assertThat(response.body()).contains("Request already in progress", "retryAfterMillis", "\"detail\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A conflict that a controller creates has the configured status, also as a cause, but 409 for an application's own advice and handler")
	void created(String type) throws Exception {
		assertStatus(server(type), "/created", 429);
		assertStatus(server(type), "/created-with-status", 422);
		assertStatus(server(type), "/created-wrapped", 429);
		TestServer withAdvice = server(type, OwnAdvice.class);
		assertResponse(withAdvice, "/created", 409, "own advice");
		assertResponse(withAdvice, "/created-wrapped", 409, "own advice");
		assertResponse(withAdvice, "/created-with-status", 422, "own advice");
		assertResponse(server(type), "/created-handled", 409, "own handler");
	}

	@Test
	@DisplayName("Outside a web application, the exception has the status of the annotation")
	void withoutWeb() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(TestServer.Application.class,
				Controller.class)
			.web(WebApplicationType.NONE)
			.properties(CONFIGURED)
			.run()) {
			LockRegistry locks = context.getBean(LockRegistry.class);
			Controller controller = context.getBean(Controller.class);
			assertThat(AopUtils.isAopProxy(controller)).isTrue();
			try (Lease own = locks.acquire("own"); Lease named = locks.acquire("named")) {
				assertThat(own.isHeld() && named.isHeld()).isTrue();
				assertThatExceptionOfType(LockConflictException.class).isThrownBy(controller::own)
					.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(422));
				assertThatExceptionOfType(LockConflictException.class).isThrownBy(controller::named)
					.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(429));
			}
		}
	}

	private static void assertStatus(TestServer server, String path, int status) throws Exception {
		assertThat(server.post(path).statusCode()).as(path).isEqualTo(status);
		assertThat(server.post(path).body()).as(path)
			.contains("\"status\":" + status, "https://lockstarter.github.io/problems/");
	}

	private static void assertResponse(TestServer server, String path, int status, String body) throws Exception {
		HttpResponse<String> response = server.post(path);
		assertThat(response.statusCode()).as(path).isEqualTo(status);
		assertThat(response.body()).as(path).isEqualTo(body);
	}

	private static TestServer server(String type, Class<?>... more) {
		Stream<Class<?>> controllers = Stream.of(TestServer.Application.class, BlockingHandlers.class, Controller.class,
				HandlingController.class);
		Stream<Class<?>> ofServlets = "servlet".equals(type) ? Stream.of(SharingController.class, Functions.class)
				: Stream.empty();
		return servers.get(
				Stream.of(controllers, ofServlets, Stream.of(more)).flatMap((each) -> each).toArray(Class<?>[]::new),
				Stream.concat(Stream.of("spring.main.web-application-type=" + type), Stream.of(CONFIGURED))
					.toArray(String[]::new));
	}

	private void hold(TestServer server, String... keys) {
		Stream.of(keys).map(locks(server)::acquire).forEach(this.held::add);
	}

	private static LockConflictException conflict() {
		return new LockConflictException(LockKey.of("named"), LockOptions.of(Duration.ofSeconds(5)), Duration.ZERO);
	}

	private static LockRegistry locks(TestServer server) {
		return server.context().getBean(LockRegistry.class);
	}

	@RestController
	static class Controller {

		private final LockRegistry locks;

		Controller(LockRegistry locks) {
			this.locks = locks;
		}

		@PostMapping("/plain")
		@ExclusiveRequest(name = "plain")
		public Mono<String> plain() {
			return Mono.just("done");
		}

		@PostMapping("/own")
		@ExclusiveRequest(name = "own", status = 422)
		public String own() {
			return "done";
		}

		@PostMapping("/usual")
		@ExclusiveRequest(name = "usual", status = 409)
		public String usual() {
			return "done";
		}

		@PostMapping("/named")
		@ExclusiveRequest(name = "named", status = 422)
		public String named() {
			return "done";
		}

		@PostMapping("/waiting")
		@ExclusiveRequest(name = "own", status = 422, waitTime = "10ms")
		public String waiting() {
			return "done";
		}

		@PostMapping("/future")
		@ExclusiveRequest(name = "own", status = 422, waitTime = "10ms")
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("done");
		}

		@PostMapping("/mono")
		@ExclusiveRequest(name = "own", status = 422, waitTime = "10ms")
		public Mono<String> mono() {
			return Mono.just("done");
		}

		@PostMapping("/shared-mono")
		@ExclusiveRequest(name = "own", status = 422, waitTime = "10ms", onConflict = OnConflict.SHARE)
		public Mono<String> sharedMono() {
			return Mono.just("done");
		}

		@PostMapping("/shared-entity")
		@ExclusiveRequest(name = "own", status = 422, waitTime = "10ms", onConflict = OnConflict.SHARE)
		public Mono<ResponseEntity<String>> sharedEntity() {
			return Mono.just(ResponseEntity.ok("done"));
		}

		@PostMapping("/several")
		@ExclusiveRequest(name = "own", status = 422)
		@ExclusiveRequest(name = "named")
		public String several() {
			return "done";
		}

		@PostMapping("/several-later")
		@ExclusiveRequest(name = "own", status = 422, waitTime = "10ms")
		@ExclusiveRequest(name = "named", waitTime = "10ms")
		public Mono<String> severalLater() {
			return Mono.just("done");
		}

		@PostMapping("/code")
		public String code(String lock) {
			try (Lease lease = this.locks.acquire(lock)) {
				return String.valueOf(lease.fencingToken());
			}
		}

		@PostMapping("/code-later")
		public Mono<String> codeLater(String lock) {
			return Mono.fromCompletionStage(() -> this.locks.acquireAsync(lock))
				.map((lease) -> String.valueOf(lease.fencingToken()));
		}

		@PostMapping("/under-own")
		@ExclusiveRequest(name = "own", status = 422)
		public String underOwn(String lock) {
			return code(lock);
		}

		@PostMapping("/wrapped")
		public String wrapped(String lock) {
			return this.locks.acquireAsync(lock).thenApply(Lease::key).toCompletableFuture().join().name();
		}

		@PostMapping("/created")
		public String created() {
			throw conflict();
		}

		@PostMapping("/created-with-status")
		public String createdWithStatus() {
			throw conflict().withStatusCode(HttpStatus.UNPROCESSABLE_CONTENT);
		}

		@PostMapping("/created-wrapped")
		public String createdWrapped() {
			throw new IllegalStateException(conflict());
		}

		@PostMapping("/chosen")
		public String chosen(String lock) {
			try {
				return code(lock);
			}
			catch (LockConflictException ex) {
				throw ex.withStatusCode(HttpStatus.UNPROCESSABLE_CONTENT);
			}
		}

	}

	@RestController
	static class SharingController {

		@PostMapping("/shared")
		@ExclusiveRequest(name = "own", status = 422, waitTime = "10ms", onConflict = OnConflict.SHARE)
		public String shared() {
			return "done";
		}

	}

	@RestController
	static class HandlingController {

		private final LockRegistry locks;

		HandlingController(LockRegistry locks) {
			this.locks = locks;
		}

		@PostMapping("/handled")
		public String handled() {
			try (Lease lease = this.locks.acquire("named")) {
				return String.valueOf(lease.fencingToken());
			}
		}

		@PostMapping("/created-handled")
		public String created() {
			throw conflict();
		}

		@ExceptionHandler
		ResponseEntity<String> handle(LockConflictException exception) {
			return ResponseEntity.status(exception.getStatusCode()).body("own handler");
		}

	}

	/** Spring WebFlux calls handlers that block on other threads. */
	static class BlockingHandlers implements WebFluxConfigurer {

		@Override
		public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
			configurer.setExecutor(new SimpleAsyncTaskExecutor("handler-"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Functions {

		@Bean
		RouterFunction<ServerResponse> functions(LockRegistry locks) {
			return RouterFunctions.route()
				.POST("/function", (request) -> ServerResponse.ok().body(locks.acquire("named").fencingToken()))
				.POST("/created-function", (request) -> {
					throw conflict();
				})
				.build();
		}

	}

	@RestControllerAdvice
	static class DocumentedAdvice {

		private final LockProblems problems;

		DocumentedAdvice(LockProblems problems) {
			this.problems = problems;
		}

		@ExceptionHandler
		ResponseEntity<ProblemDetail> handle(LockConflictException exception, Locale locale) {
			ProblemDetail body = this.problems.describe(exception, locale);
			return ResponseEntity.status(exception.getStatusCode()).headers(exception.getHeaders()).body(body);
		}

	}

	@RestControllerAdvice
	static class OwnAdvice {

		@ExceptionHandler
		ResponseEntity<String> handle(LockConflictException exception) {
			return ResponseEntity.status(exception.getStatusCode()).body("own advice");
		}

	}

}
