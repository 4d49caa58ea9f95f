package io.github.lockstarter.web.reactive;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;
import io.github.lockstarter.web.RejectedRequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ExtendWith(OutputCaptureExtension.class)
class ReactiveLockExceptionHandlersTests {

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private static final String HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	/** All ways in which an exception can leave an application. */
	private static final List<String> WAYS = List.of("/controller/thrown", "/controller/mono", "/controller/flux",
			"/function/thrown", "/function/mono", "/function/body", "/filter/thrown", "/filter/mono");

	@ParameterizedTest
	@CsvSource({ "false, false", "false, true", "true, false", "true, true" })
	@DisplayName("A conflict is a problem, with problem details on or off, and with or without an application's handler of all exceptions")
	void conflict(boolean problemDetails, boolean ownAdvice) throws Exception {
		TestServer server = server(ownAdvice ? ApplicationAdvices.EveryException.class : Nothing.class,
				"spring.webflux.problemdetails.enabled=" + problemDetails);
		String user = hold(server, "users");
		HttpResponse<String> response = server.post("/users?userName=" + user);
		RejectedRequests.assertConflict(response, "/users", user);
		assertThat(server.post("/users?userName=jiro").statusCode()).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "false, false", "false, true", "true, false", "true, true" })
	@DisplayName("Functional endpoints and filters get the same responses as controllers, for thrown and signalled exceptions")
	void everyWay(boolean problemDetails, boolean ownAdvice) throws Exception {
		TestServer server = server(ownAdvice ? ApplicationAdvices.EveryException.class : Nothing.class,
				"spring.webflux.problemdetails.enabled=" + problemDetails);
		for (String way : WAYS) {
			HttpResponse<String> response = server.post(way + "/conflict");
			assertThat(response.statusCode()).as(way).isEqualTo(422);
			assertThat(response.headers().map()).as(way)
				.containsEntry("Retry-After", List.of("2"))
				.containsEntry("Cache-Control", List.of("no-store"))
				.containsEntry("Content-Type", List.of("application/problem+json"));
			assertThat(response.body()).contains("\"instance\":\"" + way + "/conflict\"")
				.contains("\"retryAfterMillis\":1840");
		}
	}

	@ParameterizedTest
	@CsvSource({ "conflict, 422, wait-timeout, Request still in progress",
			"lost, 409, lease-lost, Exclusive use was lost",
			"store, 503, lock-store-unavailable, Service temporarily unavailable",
			"key, 400, key-missing, Required value missing" })
	@DisplayName("Each exception has its own status, type and title, and is never cached")
	void everyProblem(String problem, int status, String type, String title) throws Exception {
		TestServer server = server(ApplicationAdvices.EveryException.class);
		for (String way : WAYS) {
			HttpResponse<String> response = server.post(way + "/" + problem);
			assertThat(response.statusCode()).as(way).isEqualTo(status);
			assertThat(response.headers().allValues("Cache-Control")).as(way).containsExactly("no-store");
			assertThat(response.headers().firstValue("Content-Type")).as(way).hasValue("application/problem+json");
			assertThat(response.body()).contains("/problems/" + type).contains(title).doesNotContain("secret");
		}
	}

	@ParameterizedTest
	@CsvSource({ "false, false", "false, true", "true, false", "true, true" })
	@DisplayName("A browser gets the application's HTML error page with the same status and headers")
	void html(boolean problemDetails, boolean ownAdvice) throws Exception {
		TestServer server = server(ownAdvice ? ApplicationAdvices.EveryException.class : Nothing.class,
				"spring.webflux.problemdetails.enabled=" + problemDetails);
		for (String way : WAYS) {
			HttpResponse<String> response = server.post(way + "/conflict", "Accept", HTML);
			assertThat(response.statusCode()).as(way).isEqualTo(422);
			assertThat(response.headers().firstValue("Content-Type"))
				.hasValueSatisfying((type) -> assertThat(type).as(way).startsWith("text/html"));
			assertHeadersOnce(response, way);
			assertThat(response.body()).contains("status=422").doesNotContain("secret");
		}
	}

	@Test
	@DisplayName("Without an error page, a browser gets the status and headers, once")
	void noErrorPage() throws Exception {
		TestServer server = server(Nothing.class, "spring.web.error.whitelabel.enabled=false");
		for (String way : WAYS) {
			HttpResponse<String> response = server.post(way + "/conflict", "Accept", HTML);
			assertThat(response.statusCode()).as(way).isEqualTo(422);
			assertHeadersOnce(response, way);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "*/*", "application/json", "application/problem+json", "application/json, text/html;q=0.9",
			"application/xml", "text/plain", "image/png" })
	@DisplayName("Any other client gets the problem")
	void notHtml(String accept) throws Exception {
		TestServer server = server(Nothing.class);
		for (String way : WAYS) {
			HttpResponse<String> response = server.post(way + "/conflict", "Accept", accept);
			assertThat(response.statusCode()).as(way).isEqualTo(422);
			assertThat(response.headers().firstValue("Content-Type")).as(way).hasValue("application/problem+json");
		}
	}

	@Test
	@DisplayName("The response is in the language of the request, or in English without a translation")
	void languages() throws Exception {
		TestServer server = server(Nothing.class);
		for (String way : WAYS) {
			assertThat(server.post(way + "/conflict", "Accept-Language", "ja-JP").body())
				.contains("\"title\":\"リクエストはまだ処理中です\"");
			assertThat(server.post(way + "/conflict", "Accept-Language", "fr").body())
				.contains("\"title\":\"Request still in progress\"");
		}
	}

	@Test
	@DisplayName("If the application determines the language, the response is in that language")
	void fixedLanguage() throws Exception {
		TestServer server = server(Nothing.class, "spring.web.locale=ja", "spring.web.locale-resolver=fixed");
		for (String way : WAYS) {
			assertThat(server.post(way + "/conflict", "Accept-Language", "en").body())
				.contains("\"title\":\"リクエストはまだ処理中です\"");
		}
	}

	@Test
	@DisplayName("An application's own handler of one exception replaces the library's for that exception only, also outside controllers")
	void ownHandler() throws Exception {
		TestServer server = server(ApplicationAdvices.OwnConflictHandler.class);
		for (String way : WAYS) {
			HttpResponse<String> conflict = server.post(way + "/conflict");
			assertThat(conflict.statusCode()).as(way).isEqualTo(418);
			assertThat(conflict.headers().firstValue("Retry-After")).as(way).isEmpty();
			assertThat(conflict.body()).isEqualTo("own");
			HttpResponse<String> store = server.post(way + "/store");
			assertThat(store.statusCode()).as(way).isEqualTo(503);
			assertThat(store.body()).contains("lock-store-unavailable");
		}
	}

	@Test
	@DisplayName("An application's ResponseEntityExceptionHandler responds, also outside controllers")
	void ownFormat() throws Exception {
		TestServer server = server(ApplicationAdvices.OwnResponseEntityExceptionHandler.class);
		for (String way : WAYS) {
			HttpResponse<String> store = server.post(way + "/store");
			assertThat(store.statusCode()).as(way).isEqualTo(503);
			assertThat(store.body()).as(way).isEqualTo("own: Service temporarily unavailable");
		}
	}

	@Test
	@DisplayName("If an application's handler applies to some controllers, the library's applies to the others")
	void ownHandlerElsewhere() throws Exception {
		TestServer server = server(ApplicationAdvices.OwnHandlerElsewhere.class);
		for (String way : WAYS) {
			assertThat(server.post(way + "/conflict").body()).as(way).contains("Request still in progress");
		}
	}

	@Test
	@DisplayName("An application's advice that is ordered before the library's takes precedence")
	void orderedBefore() throws Exception {
		TestServer server = server(ApplicationAdvices.EveryExceptionFirst.class);
		for (String way : WAYS) {
			assertThat(server.post(way + "/conflict").body()).as(way).isEqualTo("first");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "false" })
	@DisplayName("Without the library's advice, status and headers are correct")
	void withoutAdvice(String problemDetails) throws Exception {
		TestServer server = server(NoAdvice.class, "spring.webflux.problemdetails.enabled=" + problemDetails);
		for (String way : WAYS) {
			HttpResponse<String> response = server.post(way + "/annotated");
			assertThat(response.statusCode()).as(way).isEqualTo(422);
			assertHeadersOnce(response, way);
			assertThat(response.body()).doesNotContain("secret");
		}
	}

	@Test
	@DisplayName("If the response has begun, it is aborted, and the log has the reason")
	void committed(CapturedOutput output) {
		TestServer server = server(Nothing.class);
		assertThatThrownBy(() -> server.post("/stream")).isInstanceOf(IOException.class);
		assertThat(output).contains("The lease of lock 'some' was lost")
			.doesNotContain("UnsupportedOperationException")
			.doesNotContain("secret");
	}

	@Test
	@DisplayName("Other exceptions are not handled")
	void others() throws Exception {
		TestServer server = server(Nothing.class);
		HttpResponse<String> response = server.post("/nowhere");
		assertThat(response.statusCode()).isEqualTo(404);
		assertThat(response.headers().firstValue("Cache-Control")).isEmpty();
	}

	private static void assertHeadersOnce(HttpResponse<String> response, String way) {
		assertThat(response.headers().allValues("Retry-After")).as(way).containsExactly("2");
		assertThat(response.headers().allValues("Cache-Control")).as(way).containsExactly("no-store");
	}

	private static TestServer server(Class<?> extra, String... properties) {
		String[] all = Stream.concat(Stream.of("lock.store=memory", "spring.main.web-application-type=reactive",
				"lock.names.some.conflict-status=422"), Stream.of(properties))
			.toArray(String[]::new);
		return servers.get(new Class<?>[] { FailingApplication.class, extra }, all);
	}

	/** Acquires a lock of the name with a unique key, and returns the key. */
	private static String hold(TestServer server, String name) {
		String key = UUID.randomUUID().toString();
		server.context()
			.getBean(LockRegistry.class)
			.acquire(new LockKey(name, key), LockOptions.of(Duration.ofSeconds(30)));
		return key;
	}

	static class Nothing {

	}

	static class NoAdvice implements BeanDefinitionRegistryPostProcessor {

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
			Stream.of(registry.getBeanDefinitionNames())
				.filter((name) -> name.startsWith(ReactiveLockExceptionHandlers.class.getName()))
				.forEach(registry::removeBeanDefinition);
		}

	}

}
