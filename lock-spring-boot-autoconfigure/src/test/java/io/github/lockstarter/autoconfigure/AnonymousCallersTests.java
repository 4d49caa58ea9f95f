package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays to requests without a principal, or whose principal has no name.
 */
class AnonymousCallersTests {

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("With lock.replay.anonymous=reject, only a request with a principal runs")
	void rejected(String type) throws Exception {
		try (TestServer server = start(type, "lock.replay.anonymous=reject")) {
			HttpResponse<String> rejected = post(server);
			assertThat(rejected.statusCode()).isEqualTo(400);
			assertThat(rejected.body()).contains("/problems/key-missing\"");
			assertThat(post(server, "X-User", "taro").body()).isEqualTo("run 1");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A principal without a name shares no response with requests that have no principal")
	void withoutName(String type) throws Exception {
		try (TestServer server = start(type)) {
			assertThat(post(server, "X-User", "").body()).isEqualTo("run 1");
			assertThat(post(server).body()).isEqualTo("run 2");
			assertThat(post(server, "X-User", "").body()).isEqualTo("run 1");
			assertThat(post(server).headers().firstValue("Idempotent-Replayed")).hasValue("true");
		}
	}

	private static TestServer start(String type, String... properties) {
		ComparedRequestsTests.Handlers.runs = 0;
		Class<?> principals = type.equals("servlet") ? ReplayHandlers.ServletPrincipals.class
				: ReplayHandlers.ReactivePrincipals.class;
		return TestServer.start(
				new Class<?>[] { TestServer.Application.class, ComparedRequestsTests.Handlers.class, principals },
				with(properties, "lock.store=memory", "spring.main.web-application-type=" + type));
	}

	private static HttpResponse<String> post(TestServer server, String... headers) throws Exception {
		return server.post("/not-read", with(headers, "Idempotency-Key", "key"));
	}

	private static String[] with(String[] some, String... more) {
		return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
	}

}
