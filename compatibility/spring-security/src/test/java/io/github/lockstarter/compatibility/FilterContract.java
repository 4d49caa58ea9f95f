package io.github.lockstarter.compatibility;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The response to a request that has waited is, byte for byte, that to a request that has
 * not, whatever the filters of the application do with it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FilterContract {

	private static final HttpClient client = HttpClient.newHttpClient();

	private final String waiting;

	private TestServer server;

	/**
	 * Creates the tests.
	 * @param waiting the property that determines how requests wait
	 */
	FilterContract(String waiting) {
		this.waiting = waiting;
	}

	@BeforeAll
	void start() {
		this.server = TestServer.start(new Class<?>[] { FilteredApplication.class }, "lock.store=memory", this.waiting,
				"server.shutdown=immediate");
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("A filter that wraps the response gets the same response after a wait as without one")
	void wrapped(String filter, String policy) throws Exception {
		HttpResponse<byte[]> atOnce = post(filter + policy + "?key=free" + filter + policy).join();
		assertThat(atOnce.body()).isNotEmpty();
		HttpResponse<byte[]> waited = contended(filter + policy, "held" + filter + policy);
		assertThat(waited.statusCode()).isEqualTo(atOnce.statusCode());
		assertThat(waited.body()).isEqualTo(atOnce.body());
		assertThat(headers(waited)).isEqualTo(headers(atOnce));
	}

	@ParameterizedTest
	@FieldSource("io.github.lockstarter.compatibility.FilteredApplication#WRAPPERS")
	@DisplayName("A filter that wraps the response gets the same response for a duplicate as for the first request")
	void replayed(String filter) throws Exception {
		HttpResponse<byte[]> first = contended(filter + "/replay", "replayed" + filter);
		HttpResponse<byte[]> duplicate = post(filter + "/replay?key=replayed" + filter).join();
		assertThat(duplicate.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(duplicate.statusCode()).isEqualTo(first.statusCode());
		assertThat(first.body()).isNotEmpty();
		assertThat(duplicate.body()).isEqualTo(first.body());
	}

	private static Stream<Object[]> wrapped() {
		return FilteredApplication.WRAPPERS.stream()
			.flatMap((filter) -> Stream.of("/reject", "/wait", "/write", "/share", "/replay")
				.map((policy) -> new Object[] { filter, policy }));
	}

	/** Sends a request while its lock is held, and returns the response. */
	HttpResponse<byte[]> contended(String path, String key) throws Exception {
		return new Waiters(this.server.context()).contended(new LockKey("page", key), () -> post(path + "?key=" + key))
			.get();
	}

	private CompletableFuture<HttpResponse<byte[]>> post(String path) {
		URI uri = URI.create("http://127.0.0.1:" + this.server.port() + path);
		return client.sendAsync(HttpRequest.newBuilder(uri)
			.timeout(Duration.ofMinutes(1))
			.header("X-Tenant", "blue")
			.POST(BodyPublishers.noBody())
			.build(), BodyHandlers.ofByteArray());
	}

	private static Map<String, List<String>> headers(HttpResponse<?> response) {
		Map<String, List<String>> headers = new TreeMap<>(response.headers().map());
		headers.remove("date");
		return headers;
	}

}
