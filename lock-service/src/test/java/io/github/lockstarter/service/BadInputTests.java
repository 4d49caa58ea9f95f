package io.github.lockstarter.service;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An invalid request gets a 4xx problem, takes no lock, and leaves no secret in the log.
 */
@ExtendWith(OutputCaptureExtension.class)
class BadInputTests {

	private static final JsonMapper json = new JsonMapper();

	private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	private static RunningService service;

	@BeforeAll
	static void start() {
		service = RunningService.start();
	}

	@AfterAll
	static void stop() {
		service.close();
	}

	@Test
	@DisplayName("The problem types of the library and of the service start with lock.web.problem-base-uri, wherever the response is made")
	void baseUri() {
		String base = "https://locks.example.com/problems/";
		try (RunningService own = RunningService.start("lock.web.problem-base-uri=" + base,
				"lock.service.clients.taro.max-ttl=1m")) {
			assertThat(own.send("PUT", "/locks/a").status()).isEqualTo(201);
			assertThat(Stream
				.of(own.send("PUT", "/locks/a"), own.send("PUT", "/locks/a?wait=1ms"),
						own.send("DELETE", "/locks/a", "Lock-Token", "somebody-elses-token"),
						own.send("PUT", "/locks/b?ttl=1h"), own.send("PUT", "/locks/b?ttl=0"), own.send("GET", "/lock"),
						own.send("PUT", "/locks/c;d"), own.send("PUT", "/locks/" + "x".repeat(10_000)),
						own.sendWithoutKey("PUT", "/locks/a").join(),
						own.sendWithoutKey("PUT", "/locks/a", "X-API-Key", "x".repeat(20)).join())
				.map((response) -> response.json().get("type").asString().replace(base, ""))).containsExactly(
						"request-in-progress", "wait-timeout", "not-holder", "limit-exceeded", "invalid-request",
						"invalid-request", "invalid-request", "invalid-request", "api-key-missing", "api-key-unknown");
		}
	}

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("badRequests")
	@DisplayName("An invalid request")
	void badRequests(String name, int status, String line, List<String> headers, CapturedOutput output)
			throws IOException {
		String response = raw(line, headers.toArray(String[]::new));
		assertThat(response).startsWith("HTTP/1.1 " + status + " ");
		assertThat(response).containsIgnoringCase("content-type: application/problem+json")
			.containsIgnoringCase("cache-control: no-store");
		JsonNode problem = json.readTree(response.substring(response.indexOf("\r\n\r\n")));
		assertThat(problem.get("status").asInt()).isEqualTo(status);
		assertThat(problem.get("title").asString()).isNotEmpty();
		assertThat(response).doesNotContain(RunningService.KEY);
		assertThat(output.getAll()).doesNotContain(RunningService.KEY);
		assertThat(service.isHeld("bad")).isFalse();
	}

	static Stream<Arguments> badRequests() {
		String longName = "x".repeat(1_000_000);
		return Stream.of(bad("no name", 404, "PUT /locks/"), bad("no name at all", 404, "PUT /locks"),
				bad("no hash", 400, "GET /lock"), bad("an empty hash", 400, "GET /lock?hash="),
				bad("a blank name", 400, "PUT /locks/%20"), bad("a name of 1 MB", 414, "PUT /locks/" + longName),
				bad("a hash of 1 MB", 414, "GET /lock?hash=" + longName),
				bad("a name of 256 characters", 400, "PUT /locks/" + "x".repeat(256)),
				bad("the name of a directory", 400, "PUT /locks/%2E%2E"),
				bad("a control character", 400, "PUT /locks/a%00b"), bad("a line break", 400, "PUT /locks/a%0D%0Ab"),
				bad("no UTF-8", 400, "PUT /locks/%ff"), bad("no UTF-8 in a hash", 400, "GET /lock?hash=%ff"),
				bad("no percent-encoding", 400, "PUT /locks/%zz"), bad("a quote", 400, "PUT /locks/a\"b"),
				bad("a parameter in the path", 400, "PUT /locks/bad;x=1"),
				bad("a ttl that is no duration", 400, "PUT /locks/bad?ttl=soon"),
				bad("a ttl without a unit", 400, "PUT /locks/bad?ttl=30"),
				bad("a ttl of 0", 400, "PUT /locks/bad?ttl=0s"),
				bad("a ttl below 1 ms", 400, "PUT /locks/bad?ttl=10us"),
				bad("an empty ttl", 400, "PUT /locks/bad?ttl="), bad("a negative ttl", 400, "PUT /locks/bad?ttl=-1s"),
				bad("a negative wait", 400, "PUT /locks/bad?wait=-1s"),
				bad("a ttl beyond all numbers", 400, "PUT /locks/bad?ttl=99999999999999999999d"),
				bad("a ttl above the limit", 403, "PUT /locks/bad?ttl=2h"),
				bad("a wait above the limit", 403, "PUT /locks/bad?wait=2h"),
				bad("a token that is too short", 400, "PUT /locks/bad", "Lock-Token: short"),
				bad("a token that is too long", 400, "PUT /locks/bad", "Lock-Token: " + "t".repeat(129)),
				bad("a token with blanks", 400, "PUT /locks/bad", "Lock-Token: not a token at all"),
				bad("an empty token", 400, "PUT /locks/bad", "Lock-Token:"),
				bad("an empty token to release with", 400, "DELETE /locks/bad", "Lock-Token:"),
				bad("no token to release with", 400, "DELETE /locks/bad"),
				bad("a wrong token", 409, "DELETE /locks/bad", "Lock-Token: 0123456789abcdef"),
				bad("a method that does not fit", 405, "POST /locks/bad"),
				bad("an unknown method", 405, "TAKE /locks/bad"), bad("an unknown path", 404, "GET /unknown"),
				bad("a directory above", 404, "GET /../etc/passwd"),
				bad("headers of 100 KB", 431, "PUT /locks/bad", "Large: " + "x".repeat(100_000)),
				bad("bytes that are not percent-encoded", 400, "PUT /locks/\u00e9"),
				bad("a body that is too long", 413, "PUT /locks/bad", "Content-Length: 70000", "", "x".repeat(70_000)),
				bad("a chunk that is none", 400, "PUT /locks/bad", "Transfer-Encoding: chunked", "", "zz", "abc"));
	}

	private static Arguments bad(String name, int status, String line, String... headers) {
		return Arguments.of(name, status, line, List.of(headers));
	}

	@Test
	@DisplayName("The log contains no token and no lock name, even of malformed requests")
	void logsNoSecrets(CapturedOutput output) throws IOException {
		String begin = "DELETE /lock?hash=secret-name&token=secret-token-0123 ";
		for (String request : List.of(begin + "HTTP/2.0\r\nHost: a\r\n\r\n",
				begin + "HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
				"DELETE /locks/secret-name HTTP/1.1\r\nHost: a\r\nLock-Token: secret-token-0123\r\n\r\n")) {
			try (Socket socket = new Socket("127.0.0.1", service.port())) {
				socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
				socket.shutdownOutput();
				responseOf(socket);
			}
		}
		assertThat(output.getAll()).doesNotContain("secret-name", "secret-token", "\"ERROR\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/csv", "foo", "text/html", BROWSER })
	@DisplayName("The Accept header is ignored: browsers get problem details, too")
	void acceptIsIgnored(String accept) {
		String token = service.send("PUT", "/locks/accept", "Accept", accept).token();
		assertThat(service.send("GET", "/locks/accept", "Accept", accept).status()).isEqualTo(200);
		assertProblem(service.send("GET", "/locks/%20", "Accept", accept), 400, "invalid-request");
		assertProblem(service.send("PUT", "/locks/accept", "Accept", accept), 409, "request-in-progress");
		assertProblem(service.send("PUT", "/locks/accept?wait=1ms", "Accept", accept), 409, "wait-timeout");
		assertProblem(service.send("GET", "/lock?hash=accept", "Accept", accept), 409, "request-in-progress");
		assertProblem(service.sendWithoutKey("GET", "/locks/accept", "Accept", accept).join(), 401, "api-key-missing");
		assertProblem(service.send("GET", "/unknown", "Accept", accept), 404, "");
		assertThat(service.send("DELETE", "/locks/accept", "Lock-Token", token, "Accept", accept).status())
			.isEqualTo(204);
		assertThat(service.send("GET", "/actuator/health", "Accept", accept).status()).isEqualTo(200);
	}

	private static void assertProblem(RunningService.Response response, int status, String problem) {
		assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(response.status()).isEqualTo(status);
		assertThat(response.problem()).isEqualTo(problem);
	}

	@Test
	@DisplayName("A request that is not HTTP gets 400 and problem details")
	void noHttp() throws IOException {
		try (Socket socket = new Socket("127.0.0.1", service.port())) {
			socket.getOutputStream().write("take the lock\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThat(responseOf(socket)).startsWith("HTTP/1.1 400 ").contains("application/problem+json");
		}
	}

	@Test
	@DisplayName("Over HTTP/2, too, a path with ';' is rejected instead of truncated")
	void http2() throws Exception {
		try (RunningService http2 = RunningService.start("server.http2.enabled=true")) {
			HttpResponse<String> response = HttpClient.newBuilder()
				.version(HttpClient.Version.HTTP_2)
				.build()
				.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/locks/bad;x=1".formatted(http2.port())))
					.header("X-API-Key", RunningService.KEY)
					.build(), HttpResponse.BodyHandlers.ofString());
			assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
			assertThat(response.statusCode()).isEqualTo(400);
			assertThat(response.body()).contains("invalid-request");
		}
	}

	@Test
	@DisplayName("A request that breaks off in its headers or its body takes no lock")
	void truncated() throws IOException {
		for (String begin : List.of("PUT /locks/bad HTTP/1.1\r\nHost: a\r\nX-API-Key: " + RunningService.KEY + "\r\n",
				"PUT /locks/bad HTTP/1.1\r\nHost: a\r\nX-API-Key: " + RunningService.KEY
						+ "\r\nContent-Length: 100\r\n\r\nabc")) {
			try (Socket socket = new Socket("127.0.0.1", service.port())) {
				socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
				// A later request is processed while this one is incomplete.
				assertThat(service.isHeld("bad")).isFalse();
			}
			Awaitility.await().during(Duration.ofMillis(100)).until(() -> !service.isHeld("bad"));
		}
	}

	@Test
	@DisplayName("A malformed request gets no response in place of an earlier request on the same connection")
	void malformedBehindAnother() throws IOException {
		String token = service.send("PUT", "/locks/before").token();
		try (Socket socket = service.sendRaw("PUT /locks/before?wait=20s")) {
			socket.getOutputStream()
				.write("GET /locks/%zz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThat(responseOf(socket)).isEmpty();
		}
		assertThat(service.send("DELETE", "/locks/before", "Lock-Token", token).status()).isEqualTo(204);
		Awaitility.await().until(() -> !service.isHeld("before"));
	}

	@Test
	@DisplayName("A request whose body does not end gets 408")
	void slowBody() throws IOException {
		try (Socket socket = service.sendRaw("PUT /locks/bad", "Content-Length: 100")) {
			socket.getOutputStream().write('a');
			assertThat(responseOf(socket)).startsWith("HTTP/1.1 408 ").contains("application/problem+json");
		}
		assertThat(service.isHeld("bad")).isFalse();
	}

	@Test
	@DisplayName("An unexpected request body is read and ignored")
	void needlessBody() throws IOException {
		try (Socket socket = service.sendRaw("PUT /locks/body", "Content-Length: 3", "Connection: close")) {
			socket.getOutputStream().write("abc".getBytes(StandardCharsets.US_ASCII));
			assertThat(responseOf(socket)).startsWith("HTTP/1.1 201 ");
		}
	}

	@Test
	@DisplayName("The log is written as JSON lines")
	void structuredLog(CapturedOutput output) {
		try (RunningService other = RunningService.start()) {
			assertThat(other.port()).isPositive();
		}
		List<String> lines = output.getOut().lines().filter((line) -> line.contains("Netty started")).toList();
		assertThat(lines).isNotEmpty()
			.allSatisfy(
					(line) -> assertThat(json.readTree(line).at("/service/name").asString()).isEqualTo("lock-service"));
	}

	private static String raw(String line, String... headers) throws IOException {
		String[] all = Stream.concat(Stream.of("Connection: close"), Stream.of(headers)).toArray(String[]::new);
		try (Socket socket = service.sendRaw(line, all)) {
			return responseOf(socket);
		}
	}

	private static String responseOf(Socket socket) throws IOException {
		return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

}
