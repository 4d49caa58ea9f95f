package io.github.lockstarter.service;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.util.UriUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs an example client as a process, against a service in this process. Each example
 * has a test class and a service of its own. All tests run concurrently, because they
 * wait most of the time, so each of them has a lock of its own. The ttl of each test
 * leaves enough time for a machine that stands still for a second.
 */
@Execution(ExecutionMode.CONCURRENT)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ExampleTests {

	private static final String OTHER_CLIENT = "token-of-another-client";

	/** Prints "ended" when SIGTERM ends it, and exits when its standard input ends. */
	private static final String[] ENDS_ON_TERM = { "sh", "-c",
			"trap 'echo ended; exit 1' TERM; echo begun; read line" };

	/** Prints "ended" at SIGTERM, and exits when its standard input ends. */
	private static final String[] REPORTS_TERM = { "sh", "-c",
			"trap 'echo ended; read line; exit 1' TERM; echo begun; read line" };

	private RunningService service;

	private final String file;

	ExampleTests(String file) {
		this.file = file;
	}

	@BeforeAll
	void start() {
		Example.checkTools();
		this.service = RunningService.start();
	}

	@AfterAll
	void stop() {
		this.service.close();
	}

	@Test
	@DisplayName("No line of the source is longer than 100 characters")
	void lineLength() throws IOException {
		assertThat(Files.readAllLines(Example.DIRECTORY.resolve(this.file)))
			.allSatisfy((line) -> assertThat(line).hasSizeLessThanOrEqualTo(100));
	}

	@Test
	@DisplayName("Without a name or a command, the exit code is 64, and the usage is printed")
	void usage() {
		assertUsage(environment(url(), RunningService.KEY, "30"), "report");
		assertUsage(environment(url(), RunningService.KEY, "30"), "", "echo", "was run");
	}

	@ParameterizedTest
	@ValueSource(strings = { "2", "0", "-30", "3.5", "030", "30s", "86401", "99999999999999999999" })
	@DisplayName("With an invalid LOCK_TTL, the exit code is 64, and the command does not run")
	void invalidTtl(String ttl) {
		try (Example example = Example.start(this.file, environment(url(), RunningService.KEY, ttl), "report", "echo",
				"was run")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(64);
			assertThat(example.output()).contains("LOCK_TTL").doesNotContain("was run");
		}
	}

	@Test
	@DisplayName("The command runs with the lock and its standard input; a concurrent run of the example exits with 75; the lock is released")
	void runsUnderTheLock() {
		try (Example first = start("report", "sh", "-c", "echo begun; cat")) {
			first.await("begun");
			assertThat(held("report")).isTrue();
			try (Example second = start("report", "echo", "second was run")) {
				assertThat(second.exitCode()).as(second.output()).isEqualTo(75);
				assertThat(second.output()).doesNotContain("second was run");
			}
			assertThat(held("report")).as("after the rejection").isTrue();
			first.input("all of the input");
			assertThat(first.exitCode()).as(first.output()).isZero();
			assertThat(first.output()).contains("all of the input");
			assertThat(held("report")).isFalse();
		}
	}

	@Test
	@DisplayName("The exit code of a failed command is passed on, and the lock is released")
	void failure() {
		try (Example example = start("failing", "sh", "-c", "exit 7")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(7);
			assertThat(held("failing")).isFalse();
		}
	}

	@Test
	@DisplayName("When signal n ends the command, the exit code is 128 + n")
	void killedCommand() {
		try (Example example = start("killed", "sh", "-c", "kill -KILL $$")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(137);
			assertThat(held("killed")).isFalse();
		}
	}

	@Test
	@DisplayName("When the command does not exist, the exit code is 127, and the lock is released")
	void noSuchCommand() {
		try (Example example = start("missing", "/no/such/command")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(127);
			assertThat(example.output()).contains("/no/such/command");
			assertThat(held("missing")).isFalse();
		}
	}

	@Test
	@DisplayName("When the command cannot be executed, the exit code is 126, and the lock is released")
	void commandNotExecutable() {
		String command = Example.DIRECTORY.resolveSibling("pom.xml").toString();
		try (Example example = start("not-executable", command)) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(126);
			assertThat(example.output()).contains(command);
			assertThat(held("not-executable")).isFalse();
		}
	}

	@ParameterizedTest
	@CsvSource({ "HUP, 129", "INT, 130", "TERM, 143" })
	@DisplayName("Signal n to the example ends the command, and then releases the lock; the exit code is 128 + n")
	void signals(String signal, int exitCode) {
		String name = "signalled-" + signal;
		try (Example example = start(name, ENDS_ON_TERM)) {
			example.await("begun");
			assertThat(held(name)).isTrue();
			example.signal(signal);
			assertThat(example.exitCode()).as(example.output()).isEqualTo(exitCode);
			assertThat(example.output()).contains("ended");
			assertThat(held(name)).isFalse();
		}
	}

	@Test
	@DisplayName("SIGTERM while the lock is requested ends the example with 143, and the command does not run")
	void signalWhileAcquiring() throws IOException {
		try (Relay relay = Relay.start(this.service.port(), Relay.Fault.HANGING);
				Example example = Example.start(this.file, environment(relay.url(), RunningService.KEY, "12"),
						"requested", "echo", "was run")) {
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> relay.received() > 0);
			example.signal("TERM");
			assertThat(example.exitCode()).as(example.output()).isEqualTo(143);
			assertThat(example.output()).doesNotContain("was run");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " " })
	@DisplayName("Without an API key the exit code is 69, and the message says that none was sent")
	void noKey(String key) {
		try (Example example = Example.start(this.file, environment(url(), key, "30"), "keyless", "echo", "was run")) {
			assertThat(example.exitCode()).isEqualTo(69);
			assertThat(example.output()).contains("401: {", "No API key").doesNotContain("was run");
		}
	}

	@Test
	@DisplayName("Space around the API key, such as a line break at its end, is ignored")
	void spaceAroundKey() {
		try (Example example = Example.start(this.file, environment(url(), RunningService.KEY + "\n", "30"), "space",
				"echo", "was run")) {
			assertThat(example.exitCode()).as(example.output()).isZero();
			assertThat(example.output()).contains("was run");
		}
	}

	@Test
	@DisplayName("When the example is killed, the command is ended while the lock is still held")
	void killed() {
		try (Example example = Example.start(this.file, environment(url(), RunningService.KEY, "15"), "orphaned", "sh",
				"-c", "trap 'echo ended; exit 1' TERM; echo begun; for i in $(seq 600); do sleep 0.1; done")) {
			example.await("begun");
			// The command, and the process that ends it when the example is killed.
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> example.children() == 2);
			example.signal("KILL");
			assertThat(example.exitCode()).isEqualTo(137);
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> example.output().contains("ended"));
			assertThat(held("orphaned")).isTrue();
		}
	}

	@Test
	@DisplayName("With a wrong API key the command does not run, the exit code is 69, and the status is printed")
	void wrongKey() {
		try (Example example = Example.start(this.file, environment(url(), "a-key-that-nobody-has", "30"), "keyless",
				"echo", "was run")) {
			assertThat(example.exitCode()).isEqualTo(69);
			assertThat(example.output()).contains("401").doesNotContain("was run");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b/ü?&%", "%2F..;x=1#+", "\"'$(id)`\\", "漢字 😀" })
	@DisplayName("Any text can be the name of a lock")
	void hostileNames(String name) {
		try (Example example = start(name, "sh", "-c", "echo begun; cat")) {
			example.await("begun");
			assertThat(held(name)).isTrue();
			example.input("");
			assertThat(example.exitCode()).as(example.output()).isZero();
			assertThat(held(name)).isFalse();
		}
	}

	@Test
	@DisplayName("A request without a response, or with a 503, is repeated with the same token")
	void lostResponses() throws IOException {
		try (Relay relay = Relay.start(this.service.port(), Relay.Fault.UNAVAILABLE, Relay.Fault.RESPONSE_LOST);
				Example example = Example.start(this.file, environment(relay.url(), RunningService.KEY, "30"), "lost",
						"echo", "was run")) {
			assertThat(example.exitCode()).as(example.output()).isZero();
			assertThat(example.output()).contains("was run");
			assertThat(relay.responses()).containsExactly("PUT 201", "PUT 200", "DELETE 204");
			assertThat(relay.token()).hasSizeGreaterThanOrEqualTo(16);
		}
	}

	@Test
	@DisplayName("The lock is extended while the command runs; when it is lost, the command is ended")
	void heartbeat() throws Exception {
		try (Relay relay = Relay.start(this.service.port());
				Example example = Example.start(this.file, environment(relay.url(), RunningService.KEY, "9"), "long",
						ENDS_ON_TERM)) {
			example.await("begun");
			Awaitility.await()
				.atMost(1, TimeUnit.MINUTES)
				.untilAsserted(() -> assertThat(relay.responses()).startsWith("PUT 201", "PUT 200"));
			assertThat(status("DELETE", "long", relay.token())).isEqualTo(204);
			assertThat(status("PUT", "long", OTHER_CLIENT)).isEqualTo(201);
			assertThat(example.exitCode()).as(example.output()).isEqualTo(70);
			assertThat(example.output()).contains("ended");
			assertThat(status("DELETE", "long", OTHER_CLIENT)).as("still held by the other client").isEqualTo(204);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 4 })
	@DisplayName("When renewals fail and then get no response, the command is ended while the lock is still held")
	void failingRenewals(int unavailable) throws IOException {
		// The command is ended two seconds before the end of the lock, or earlier.
		// That is enough time to see the lock held.
		String name = "no-response-" + unavailable;
		try (Relay relay = Relay.start(this.service.port());
				Example example = Example.start(this.file, environment(relay.url(), RunningService.KEY, "12"), name,
						REPORTS_TERM)) {
			example.await("begun");
			relay.failNext(Collections.nCopies(unavailable, Relay.Fault.UNAVAILABLE));
			relay.failNext(Collections.nCopies(9, Relay.Fault.HANGING));
			example.await("ended");
			assertThat(held(name)).as(example.output()).isTrue();
			assertThat(relay.responses()).containsExactly("PUT 201");
		}
	}

	@Test
	@DisplayName("After a slow response, too, the lock is extended a third of its ttl after the request")
	void slowResponse() throws IOException {
		try (Relay relay = Relay.start(this.service.port(), Relay.Fault.SLOW);
				Example example = Example.start(this.file, environment(relay.url(), RunningService.KEY, "15"), "slow",
						"cat")) {
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> relay.responses().size() == 1);
			// A third that counted from the response would end three seconds later.
			Awaitility.await().atMost(7, TimeUnit.SECONDS).until(() -> relay.responses().size() == 2);
			assertThat(relay.responses()).as(example.output()).containsExactly("PUT 201", "PUT 200");
		}
	}

	@Test
	@DisplayName("The time for a response also limits a response that arrives byte by byte")
	void drippingResponse() throws IOException {
		try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			Thread dripping = new Thread(() -> drip(server));
			dripping.setDaemon(true);
			dripping.start();
			String url = "http://127.0.0.1:" + server.getLocalPort();
			try (Example example = Example.start(this.file, environment(url, RunningService.KEY, "3"), "dripping",
					"echo", "was run")) {
				assertThat(example.exitCode()).as(example.output()).isEqualTo(69);
				assertThat(example.output()).doesNotContain("was run");
			}
		}
	}

	/** Sends each client a response without an end, until the server is closed. */
	private static void drip(ServerSocket server) {
		List<Socket> clients = new ArrayList<>();
		try {
			server.setSoTimeout(100);
			while (true) {
				try {
					Socket client = server.accept();
					client.getOutputStream().write("HTTP/1.1 200 OK\r\nEndless: ".getBytes(StandardCharsets.US_ASCII));
					clients.add(client);
				}
				catch (SocketTimeoutException ex) {
					clients.removeIf((client) -> !sends(client));
				}
			}
		}
		catch (IOException ex) {
			// The server was closed.
		}
	}

	private static boolean sends(Socket client) {
		try {
			client.getOutputStream().write('a');
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@ParameterizedTest
	@CsvSource({ "SLOWLY, 401, 69, 401: a", "QUICKLY, 401, 69, 401: a", "SLOWLY, 409, 75, held by another client",
			"QUICKLY, 409, 75, held by another client", "SLOWLY, 503, 69, 503: a", "QUICKLY, 503, 69, 503: a" })
	@DisplayName("The status of a rejection counts, although its body never ends")
	void endlessRejection(Pace pace, int status, int exitCode, String message) throws IOException {
		HttpServer endless = server((exchange) -> respondWithoutEnd(exchange, status, pace));
		try (Example example = Example.start(this.file, environment(url(endless), RunningService.KEY, "9"), "endless",
				"echo", "was run")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(exitCode);
			assertThat(example.output()).contains(message)
				.doesNotContain("was run", "Traceback", "    at ")
				.hasSizeLessThan(2_000);
		}
		finally {
			endless.stop(0);
		}
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("The status of a success counts, although its body never ends")
	void endlessSuccess(Pace pace) throws IOException {
		List<String> received = new CopyOnWriteArrayList<>();
		HttpServer endless = server((exchange) -> {
			received.add(exchange.getRequestMethod());
			respondWithoutEnd(exchange, 200, pace);
		});
		try (Example example = Example.start(this.file, environment(url(endless), RunningService.KEY, "9"), "endless",
				"sh", "-c", "echo begun; cat")) {
			example.await("begun");
			// When the second one arrives, the time for the first response is over.
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> received.size() > 1);
			example.input("");
			assertThat(example.exitCode()).as(example.output()).isZero();
			assertThat(received).startsWith("PUT", "PUT").endsWith("DELETE");
		}
		finally {
			endless.stop(0);
		}
	}

	/**
	 * Only the release gets a full response, because it would double the time of a test.
	 */
	private static void respondWithoutEnd(HttpExchange exchange, int status, Pace pace) throws IOException {
		if (exchange.getRequestMethod().equals("DELETE")) {
			exchange.sendResponseHeaders(204, -1);
			return;
		}
		exchange.sendResponseHeaders(status, 0);
		OutputStream body = exchange.getResponseBody();
		if (pace == Pace.SLOWLY) {
			sendSlowly(body);
			return;
		}
		byte[] part = "a".repeat(1_000).getBytes(StandardCharsets.US_ASCII);
		while (true) {
			body.write(part);
		}
	}

	private static void sendSlowly(OutputStream body) {
		try {
			body.write('a');
			body.flush();
			CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(() -> sendSlowly(body));
		}
		catch (IOException ex) {
			// The client has closed the connection, or the server was stopped.
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 301, 302, 303, 307, 308 })
	@DisplayName("A redirection is an error: the API key and the token are not sent to another server")
	void redirection(int status) throws IOException {
		List<String> received = new CopyOnWriteArrayList<>();
		HttpServer other = server((exchange) -> {
			received.add(exchange.getRequestMethod());
			exchange.sendResponseHeaders(201, -1);
		});
		HttpServer redirecting = server((exchange) -> {
			exchange.getResponseHeaders().set("Location", url(other) + exchange.getRequestURI());
			exchange.sendResponseHeaders(status, -1);
		});
		try (Example example = Example.start(this.file, environment(url(redirecting), RunningService.KEY, "30"),
				"redirected", "echo", "was run")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(69);
			assertThat(example.output()).contains(status + ": ").doesNotContain("was run");
			assertThat(received).isEmpty();
		}
		finally {
			redirecting.stop(0);
			other.stop(0);
		}
	}

	@Test
	@DisplayName("Of a long response, only a part is printed, and the example ends in time")
	void longResponse() throws IOException {
		HttpServer verbose = server((exchange) -> {
			exchange.sendResponseHeaders(400, 0);
			try (OutputStream body = exchange.getResponseBody()) {
				body.write("}{".repeat(1_000_000).getBytes(StandardCharsets.US_ASCII));
			}
		});
		try (Example example = Example.start(this.file, environment(url(verbose), RunningService.KEY, "9"), "verbose",
				"echo", "was run")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(69);
			assertThat(example.output()).contains("400: ").doesNotContain("was run").hasSizeLessThan(2_000);
		}
		finally {
			verbose.stop(0);
		}
	}

	/** Starts a server whose requests do not wait for each other. */
	private static HttpServer server(HttpHandler handler) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", handler);
		server.setExecutor((request) -> {
			Thread thread = new Thread(request);
			thread.setDaemon(true);
			thread.start();
		});
		server.start();
		return server;
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost", "http://[", "http://localhost:port" })
	@DisplayName("With a malformed LOCK_URL the command does not run, and the exit code is 69")
	void malformedUrl(String url) {
		try (Example example = Example.start(this.file, environment(url, RunningService.KEY, "3"), "malformed", "echo",
				"was run")) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(69);
			assertThat(example.output()).contains("could not be acquired").doesNotContain("was run", "Traceback");
		}
	}

	@Test
	@DisplayName("An empty LOCK_URL is the default")
	void emptyUrl() {
		try (Example example = Example.start(this.file, environment("", RunningService.KEY, "3"), "default", "true")) {
			// Any service, or none, may listen on the default port.
			assertThat(example.exitCode()).as(example.output()).isIn(0, 69);
			assertThat(example.output()).doesNotContain("URL", "unknown url type");
		}
	}

	private void assertUsage(Map<String, String> environment, String lock, String... command) {
		try (Example example = Example.start(this.file, environment, lock, command)) {
			assertThat(example.exitCode()).as(example.output()).isEqualTo(64);
			assertThat(example.output()).contains("usage: ").contains(this.file).doesNotContain("was run");
		}
	}

	private Example start(String lock, String... command) {
		return Example.start(this.file, environment(url(), RunningService.KEY, "30"), lock, command);
	}

	private static Map<String, String> environment(String url, String key, String ttl) {
		return Map.of("LOCK_URL", url, "LOCK_API_KEY", key, "LOCK_TTL", ttl);
	}

	private boolean held(String lock) {
		return this.service.isHeld(UriUtils.encode(lock, StandardCharsets.UTF_8));
	}

	private int status(String method, String lock, String token) {
		return this.service.send(method, "/locks/" + lock, "Lock-Token", token).status();
	}

	private String url() {
		return "http://127.0.0.1:" + this.service.port();
	}

	private static String url(HttpServer server) {
		return "http://127.0.0.1:" + server.getAddress().getPort();
	}

	/** How fast a server sends a body without an end. */
	private enum Pace {

		SLOWLY, QUICKLY

	}

}
