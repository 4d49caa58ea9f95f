package io.github.lockstarter.published;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A program with {@code lock-client}, with and without Jackson.
 */
class ClientTests {

	private static final SmallProject project = SmallProject.of("client");

	private static final Response DONE = new Response(200, "none", null);

	private static final Response LEASE_LOST = new Response(409, "lease-lost", null);

	/** The responses that are left. */
	private static final Queue<Response> responses = new ConcurrentLinkedQueue<>();

	/** The path and the key of each request. */
	private static final List<String> requests = new CopyOnWriteArrayList<>();

	private static HttpServer server;

	@TempDir
	private static Path output;

	@BeforeAll
	static void start() throws IOException {
		project.compile(output, "client");
		server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", ClientTests::respond);
		server.start();
	}

	@AfterAll
	static void stop() {
		server.stop(0);
	}

	@Test
	@DisplayName("lock-client brings spring-web, and nothing else")
	void classPath() {
		assertThat(project.artifacts()).containsExactlyInAnyOrder("lock-client", "spring-web", "spring-beans",
				"spring-core", "commons-logging", "jspecify", "micrometer-observation", "micrometer-commons");
	}

	@Test
	@DisplayName("Without Jackson, it repeats what was rejected with Retry-After, but no other conflict")
	void withoutJackson() {
		assertThat(statuses(project.jars("runtime"), new Response(409, "request-in-progress", 1),
				new Response(503, "lock-store-unavailable", 0), DONE, LEASE_LOST))
			.containsExactly("status: 200", "status: 409");
	}

	@Test
	@DisplayName("With Jackson, it repeats what was rejected with the problem type of a lock, but no other conflict")
	void withJackson() {
		List<Path> jars = new ArrayList<>(project.jars("runtime"));
		SmallProject.of("boot/memcached")
			.jars("runtime")
			.stream()
			.filter((jar) -> SmallProject.artifact(jar).startsWith("jackson-"))
			.forEach(jars::add);
		assertThat(statuses(jars, new Response(409, "request-in-progress", null),
				new Response(503, "lock-store-unavailable", 0), DONE, new Response(409, "sold-out", 1)))
			.containsExactly("status: 200", "status: 409");
	}

	/**
	 * Sends two orders, of which the first one gets three responses, and returns their
	 * statuses.
	 */
	private static List<String> statuses(List<Path> jars, Response... script) {
		responses.clear();
		responses.addAll(List.of(script));
		requests.clear();
		List<Path> classPath = new ArrayList<>(List.of(output));
		classPath.addAll(jars);
		String api = "http://127.0.0.1:" + server.getAddress().getPort();
		List<String> lines = SmallProject.run(classPath, List.of(), "Client", api + "/first", api + "/second");
		assertThat(requests).hasSize(4).noneMatch((request) -> request.endsWith("null"));
		assertThat(requests.subList(0, 3)).containsOnly(requests.get(0));
		assertThat(requests.get(3)).startsWith("/second");
		return lines;
	}

	private static void respond(HttpExchange exchange) throws IOException {
		exchange.getRequestBody().readAllBytes();
		requests.add(exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
		Response response = responses.remove();
		byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/problem+json");
		if (response.retryAfter() != null) {
			exchange.getResponseHeaders().set("Retry-After", response.retryAfter().toString());
		}
		exchange.sendResponseHeaders(response.status(), body.length);
		exchange.getResponseBody().write(body);
		exchange.close();
	}

	/** What the API responds. */
	private record Response(int status, String problem, @Nullable Integer retryAfter) {

		String body() {
			return "{\"type\":\"https://example.org/problems/%s\"}".formatted(this.problem);
		}

	}

}
