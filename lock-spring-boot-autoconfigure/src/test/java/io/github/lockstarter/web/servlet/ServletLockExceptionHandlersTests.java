package io.github.lockstarter.web.servlet;

import java.net.http.HttpResponse;
import java.security.Principal;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;
import io.github.lockstarter.web.RejectedRequests;

import static org.assertj.core.api.Assertions.assertThat;

class ServletLockExceptionHandlersTests {

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private static final String HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	@ParameterizedTest
	@CsvSource({ "false, false", "false, true", "true, false", "true, true" })
	@DisplayName("A conflict is a problem, with problem details on or off, and with or without an application's handler of all exceptions")
	void conflict(boolean problemDetails, boolean ownAdvice) throws Exception {
		TestServer server = server(ownAdvice ? EveryException.class : Nothing.class,
				"spring.mvc.problemdetails.enabled=" + problemDetails);
		String user = hold(server, "users");
		HttpResponse<String> response = server.post("/users?userName=" + user);
		RejectedRequests.assertConflict(response, "/users", user);
		assertThat(server.post("/users?userName=jiro").statusCode()).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "/fail/conflict, 422, wait-timeout, Request still in progress",
			"/fail/lost, 409, lease-lost, Exclusive use was lost",
			"/fail/store, 503, lock-store-unavailable, Service temporarily unavailable",
			"/users?userName=, 400, key-missing, Required value missing",
			"/users?userName=%20, 400, key-missing, Required value missing",
			"/users, 400, key-missing, Required value missing" })
	@DisplayName("Each exception has its own status, type and title, and is never cached")
	void everyProblem(String path, int status, String type, String title) throws Exception {
		TestServer server = server(EveryException.class);
		HttpResponse<String> response = server.post(path);
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
		assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(response.body()).contains("/problems/" + type).contains(title).doesNotContain("secret");
	}

	@ParameterizedTest
	@CsvSource({ "false, false", "false, true", "true, false", "true, true" })
	@DisplayName("A browser gets the application's HTML error page with the same status and headers")
	void html(boolean problemDetails, boolean ownAdvice) throws Exception {
		TestServer server = server(ownAdvice ? EveryException.class : Nothing.class,
				"spring.mvc.problemdetails.enabled=" + problemDetails);
		String user = hold(server, "users");
		HttpResponse<String> response = server.post("/users?userName=" + user, "Accept", HTML);
		assertThat(response.statusCode()).isEqualTo(409);
		assertThat(response.headers().firstValue("Content-Type"))
			.hasValueSatisfying((type) -> assertThat(type).startsWith("text/html"));
		assertThat(response.headers().firstValue("Retry-After").orElseThrow()).matches("2\\d|30");
		assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
		assertThat(response.body()).contains("status=409").doesNotContain(user);
	}

	@ParameterizedTest
	@ValueSource(strings = { "*/*", "application/json", "application/problem+json", "application/json, text/html;q=0.9",
			"application/xml", "text/plain", "image/png" })
	@DisplayName("Any other client gets the problem")
	void notHtml(String accept) throws Exception {
		TestServer server = server(Nothing.class);
		String user = hold(server, "users");
		HttpResponse<String> response = server.post("/users?userName=" + user, "Accept", accept);
		assertThat(response.statusCode()).isEqualTo(409);
		assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
	}

	@Test
	@DisplayName("The response is in the language of the request, or in English without a translation")
	void languages() throws Exception {
		TestServer server = server(Nothing.class);
		String user = hold(server, "users");
		assertThat(server.post("/users?userName=" + user, "Accept-Language", "ja-JP").body())
			.contains("\"title\":\"リクエストは処理中です\"");
		assertThat(server.post("/users?userName=" + user, "Accept-Language", "fr").body())
			.contains("\"title\":\"Request already in progress\"");
	}

	@Test
	@DisplayName("The application's own messages take precedence, and a missing message is not replaced by its code")
	void ownMessages() throws Exception {
		TestServer server = server(OwnMessages.class);
		String user = hold(server, "users");
		assertThat(server.post("/users?userName=" + user).body()).contains("\"title\":\"Own title\"")
			.contains("Another request for the same resource");
	}

	@Test
	@DisplayName("An application may use a message source other than that of its context")
	void otherMessages() throws Exception {
		TestServer server = server(OtherMessages.class);
		String user = hold(server, "users");
		assertThat(server.post("/users?userName=" + user).body()).contains("\"title\":\"Request already in progress\"");
	}

	@Test
	@DisplayName("An application's own handler of one exception replaces the library's for that exception only")
	void ownHandler() throws Exception {
		TestServer server = server(OwnConflictHandler.class);
		HttpResponse<String> conflict = server.post("/fail/conflict");
		assertThat(conflict.statusCode()).isEqualTo(418);
		assertThat(conflict.body()).isEqualTo("own");
		assertThat(server.post("/fail/store").statusCode()).isEqualTo(503);
		assertThat(server.post("/fail/store").body()).contains("lock-store-unavailable");
	}

	@ParameterizedTest
	@ValueSource(
			classes = { OwnResponseEntityExceptionHandler.class, OwnStatusHandler.class, OwnHandlerOfSeveral.class })
	@DisplayName("An application's ResponseEntityExceptionHandler, or its handler of every ResponseStatusException, responses")
	void ownFormat(Class<?> advice) throws Exception {
		TestServer server = server(advice);
		String user = hold(server, "users");
		HttpResponse<String> response = server.post("/users?userName=" + user);
		assertThat(response.statusCode()).isEqualTo(409);
		assertThat(response.body()).isEqualTo("own: Request already in progress");
		assertThat(server.post("/fail/store").statusCode()).isEqualTo(503);
		assertThat(server.post("/users").body()).isEqualTo("own: Required value missing");
	}

	@Test
	@DisplayName("A ResponseEntityExceptionHandler without overrides responses with the library's type, title, detail and headers")
	void plainFormat() throws Exception {
		TestServer server = server(PlainResponseEntityExceptionHandler.class);
		String user = hold(server, "users");
		HttpResponse<String> response = server.post("/users?userName=" + user);
		assertThat(response.statusCode()).isEqualTo(409);
		assertThat(response.headers().firstValue("Retry-After")).isPresent();
		assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(response.body()).contains("problems/request-in-progress", "Request already in progress",
				"Retry later", "retryAfterMillis");
	}

	@Test
	@DisplayName("If an application's handler applies to some controllers, the library's applies to the others")
	void ownHandlerElsewhere() throws Exception {
		TestServer server = server(OwnHandlerElsewhere.class);
		assertThat(server.post("/fail/conflict").body()).contains("Request still in progress");
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "false" })
	@DisplayName("Without the library's advice, status and headers are correct")
	void withoutAdvice(String problemDetails) throws Exception {
		TestServer server = server(NoAdvice.class, "spring.mvc.problemdetails.enabled=" + problemDetails);
		assertThat(server.post("/fail/conflict").statusCode()).isEqualTo(409);
		HttpResponse<String> response = server.post("/fail/annotated");
		assertThat(response.statusCode()).isEqualTo(422);
		assertThat(response.headers().firstValue("Retry-After")).hasValue("2");
		assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
		assertThat(response.body()).doesNotContain("secret");
	}

	@Test
	@DisplayName("A key can be read from a header, the path and the principal")
	void requestValues() throws Exception {
		TestServer server = server(Nothing.class);
		hold(server, "header", "k1");
		assertThat(server.post("/header", "X-Request", "k1").statusCode()).isEqualTo(409);
		assertThat(server.post("/header", "X-Request", "k2").statusCode()).isEqualTo(200);
		assertThat(server.post("/header").statusCode()).isEqualTo(400);
		hold(server, "path", "/path/1");
		assertThat(server.post("/path/1").statusCode()).isEqualTo(409);
		assertThat(server.post("/path/2").statusCode()).isEqualTo(200);
		assertThat(server.post("/path/%31").statusCode()).isEqualTo(409);
		assertThat(server.post("/path/1;x=y").statusCode()).isEqualTo(409);
		hold(server, "principal", "ann");
		assertThat(server.post("/principal", "X-User", "ann").statusCode()).isEqualTo(409);
		assertThat(server.post("/principal", "X-User", "bob").statusCode()).isEqualTo(200);
		assertThat(server.post("/principal").statusCode()).isEqualTo(400);
	}

	private static TestServer server(Class<?> extra, String... properties) {
		String[] all = Stream
			.concat(Stream.of("lock.store=memory", "lock.names.some.conflict-status=422"), Stream.of(properties))
			.toArray(String[]::new);
		return servers.get(new Class<?>[] { Application.class, extra }, all);
	}

	/** Acquires a lock of the name with a unique key, and returns the key. */
	private static String hold(TestServer server, String name) {
		String key = UUID.randomUUID().toString();
		hold(server, name, key);
		return key;
	}

	private static void hold(TestServer server, String name, String key) {
		server.context()
			.getBean(LockRegistry.class)
			.acquire(new LockKey(name, key), LockOptions.of(Duration.ofSeconds(30)));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Controller controller() {
			return new Controller();
		}

		/** Replaces a login. */
		@Bean
		Filter login() {
			return (request, response, chain) -> chain
				.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {

					@Override
					public Principal getUserPrincipal() {
						String user = getHeader("X-User");
						return (user != null) ? () -> user : null;
					}

				}, response);
		}

	}

	@RestController
	static class Controller {

		private static final LockKey SECRET = new LockKey("some", "secret");

		private static final LockOptions WAITING = LockOptions.of(Duration.ofSeconds(5))
			.withWaitTime(Duration.ofSeconds(1));

		@PostMapping("/users")
		@ExclusiveRequest(name = "users", key = "#userName")
		public String register(@RequestParam(required = false) String userName) {
			return "registered";
		}

		@PostMapping("/header")
		@ExclusiveRequest(name = "header", key = "header('X-Request')")
		public String header() {
			return "ok";
		}

		@PostMapping("/path/{id}")
		@ExclusiveRequest(name = "path", key = "path")
		public String path(@PathVariable String id) {
			return id;
		}

		@PostMapping("/principal")
		@ExclusiveRequest(name = "principal", key = "principal")
		public String principal() {
			return "ok";
		}

		@PostMapping("/fail/conflict")
		public String conflict() {
			throw new LockConflictException(SECRET, WAITING, Duration.ofMillis(1840));
		}

		@PostMapping("/fail/annotated")
		public String annotated() {
			throw new LockConflictException(SECRET, WAITING, Duration.ofMillis(1840))
				.withStatusCode(HttpStatus.UNPROCESSABLE_CONTENT);
		}

		@PostMapping("/fail/lost")
		public String lost() {
			throw new LeaseLostException(SECRET);
		}

		@PostMapping("/fail/store")
		public String store() {
			throw new LockStoreException(SECRET, "down", new IllegalStateException("internal"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherMessages {

		@Bean
		MessageSource messageSource() {
			return new StaticMessageSource();
		}

		@Bean
		MessageSource textsOfMails() {
			return new StaticMessageSource();
		}

	}

	static class Nothing {

	}

	@RestControllerAdvice
	static class EveryException {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handle(Exception exception) {
			return ResponseEntity.internalServerError().body("own");
		}

	}

	@RestControllerAdvice
	static class OwnConflictHandler {

		@ExceptionHandler(LockConflictException.class)
		ResponseEntity<String> handle(LockConflictException exception) {
			return ResponseEntity.status(418).body("own");
		}

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handleAll(Exception exception) {
			return ResponseEntity.internalServerError().body("own");
		}

	}

	@RestControllerAdvice
	static class OwnResponseEntityExceptionHandler extends ResponseEntityExceptionHandler {

		@Override
		protected @Nullable ResponseEntity<Object> handleExceptionInternal(Exception exception, @Nullable Object body,
				HttpHeaders headers, HttpStatusCode status, WebRequest request) {
			return ResponseEntity.status(status)
				.headers(headers)
				.body("own: "
						+ ((ErrorResponse) exception).updateAndGetBody(getMessageSource(), Locale.ENGLISH).getTitle());
		}

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handleAll(Exception exception) {
			return ResponseEntity.internalServerError().body("any");
		}

	}

	@RestControllerAdvice
	static class PlainResponseEntityExceptionHandler extends ResponseEntityExceptionHandler {

	}

	@RestControllerAdvice
	static class OwnStatusHandler {

		@ExceptionHandler(ResponseStatusException.class)
		ResponseEntity<String> handle(ResponseStatusException exception) {
			return ResponseEntity.status(exception.getStatusCode())
				.body("own: " + exception.updateAndGetBody(null, Locale.ENGLISH).getTitle());
		}

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> handleAll(Exception exception) {
			return ResponseEntity.internalServerError().body("any");
		}

	}

	@RestControllerAdvice
	static class OwnHandlerOfSeveral {

		@ExceptionHandler({ LockException.class, Exception.class })
		ResponseEntity<String> handle(ErrorResponse exception) {
			return ResponseEntity.status(exception.getStatusCode())
				.body("own: " + exception.updateAndGetBody(null, Locale.ENGLISH).getTitle());
		}

	}

	@RestControllerAdvice(assignableTypes = String.class)
	static class OwnHandlerElsewhere {

		@ExceptionHandler(LockException.class)
		void handle(LockException exception) {
		}

	}

	static class NoAdvice implements BeanDefinitionRegistryPostProcessor {

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
			Stream.of(registry.getBeanDefinitionNames())
				.filter((name) -> name.startsWith(ServletLockExceptionHandlers.class.getName()))
				.forEach(registry::removeBeanDefinition);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnMessages {

		@Bean
		MessageSource messageSource() {
			StaticMessageSource messages = new StaticMessageSource();
			messages.setUseCodeAsDefaultMessage(true);
			messages.addMessage("problemDetail.title.lock.request-in-progress", Locale.ENGLISH, "Own title");
			messages.addMessage("problemDetail.title.lock.request-in-progress", Locale.getDefault(), "Own title");
			return messages;
		}

	}

}
