package io.github.lockstarter.sample.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page reports about an instance that it kills.
 */
@Tag("once")
class KillTests {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final Instance own = instance("127.0.0.1:8080");

	private final Client client = new Client();

	@Test
	@DisplayName("Before the kill, the story says which instance holds the lock")
	void before() {
		assertThat(story(new CompletableFuture<>()))
			.isEqualTo("Instance B runs request 1 and holds the lock. It will be killed in a moment.");
	}

	@Test
	@DisplayName("An instance is killed when the connection breaks, and the lock expires at its ttl")
	void killed() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, LOOPBACK)) {
			CompletableFuture<Kill.Outcome> kill = this.client
				.kill(instance(server.getInetAddress().getHostAddress() + ":" + server.getLocalPort()));
			server.accept().close();
			assertThat(kill).succeedsWithin(PATIENCE);
			assertThat(story(kill)).startsWith("Instance B was killed after ")
				.endsWith("The lock expires at its ttl, 5.0 s after its last renewal.");
		}
	}

	@Test
	@DisplayName("An instance that responds was not killed, and the story gives the status")
	void responds() throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(LOOPBACK, 0), 0);
		server.createContext("/", (exchange) -> {
			exchange.sendResponseHeaders(403, -1);
			exchange.close();
		});
		server.start();
		try {
			CompletableFuture<Kill.Outcome> kill = this.client
				.kill(instance("127.0.0.1:" + server.getAddress().getPort()));
			assertThat(kill).succeedsWithin(PATIENCE);
			assertThat(story(kill)).isEqualTo("Instance B was not killed: it responded with 403.");
		}
		finally {
			server.stop(0);
		}
	}

	@Test
	@DisplayName("A run that fails before the kill says so, and ends")
	void failsEarlier() throws IOException {
		Executions executions = new Executions(JdbcClient.create(new DriverManagerDataSource())) {

			@Override
			void forgetBefore(Instant time) {
			}

			@Override
			List<Execution> of(String userName) {
				throw new IllegalStateException("no database");
			}

		};
		// The request gets no response before the failure.
		try (ServerSocket silent = new ServerSocket(0, 50, LOOPBACK)) {
			Instance other = instance("127.0.0.1:" + silent.getLocalPort());
			Run run = new Runs(this.client, executions).fireAndKill(other, List.of(own, other)).orElseThrow();
			assertThat(run.kill().future()).succeedsWithin(PATIENCE);
			assertThat(run.sent()).succeedsWithin(PATIENCE);
			assertThat(story(run.kill().future())).startsWith("Instance B was not killed: the run has failed: ")
				.contains("no database");
			assertThat(run.isKilled(other)).isFalse();
		}
	}

	private static String story(CompletableFuture<Kill.Outcome> outcome) {
		Instance other = instance("127.0.0.1:8081");
		Kill kill = new Kill(other, outcome);
		Run run = new Run(Instant.now(), true, List.of(own, other), Lane.of(Policy.UNGUARDED, 3),
				Lane.of(Policy.WAIT, 3), kill, new CompletableFuture<>());
		LaneTimeline none = new LaneTimeline(Policy.WAIT, 3, 0, 0, Map.of(), List.of());
		return new Story(none, none, false).ofKill(run, kill, Duration.ofSeconds(5));
	}

	private static Instance instance(String address) {
		return new Instance("http://" + address, "an-id", true, "redis");
	}

}
