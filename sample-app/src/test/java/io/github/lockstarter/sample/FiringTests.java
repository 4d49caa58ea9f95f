package io.github.lockstarter.sample;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requests that the page fires, and their targets, tested without a browser.
 */
@Tag("once")
class FiringTests {

	private static final ControlledPoints points = new ControlledPoints();

	private static TestServer server;

	@BeforeAll
	static void start() {
		server = startInstance();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void holdPoints() {
		points.hold();
	}

	@AfterEach
	void grantPoints() {
		points.grant();
		Awaitility.await().until(FiringTests::allRunsAreOver);
	}

	@ParameterizedTest
	@CsvSource({ "policy=LOOSE&requests=2, Choose one of the five.",
			"policy=UNGUARDED&requests=2, Choose one of the five.", "requests=2, Choose one of the five.",
			"policy=WAIT&requests=0, Enter a whole number from 1 to 20.",
			"policy=WAIT&requests=21, Enter a whole number from 1 to 20.",
			"policy=WAIT&requests=99999999999, Enter a whole number from 1 to 20.",
			"policy=WAIT&requests=%3Cb%3E, Enter a whole number from 1 to 20.",
			"policy=WAIT, Enter a whole number from 1 to 20.",
			"kill=true, 'No instance that may be killed, with its locks in the same store, is running.'" })
	@DisplayName("Wrong input is rejected with a page that says what is wrong, and nothing is fired")
	void wrongInput(String form, String problem) throws Exception {
		int before = get("/").split("href=\"/runs/").length;
		HttpResponse<String> response = server.post("/runs?" + form);
		assertThat(response.statusCode()).isEqualTo(422);
		assertThat(response.body()).containsPattern("role=\"alert\"\\s*>" + problem).doesNotContain("<b>");
		assertThat(get("/").split("href=\"/runs/")).hasSize(before);
	}

	@Test
	@DisplayName("While two runs are in progress, a third is rejected with 429")
	void tooManyRuns() throws Exception {
		for (int i = 0; i < 2; i++) {
			assertThat(fire("REJECT", 1).statusCode()).isEqualTo(303);
		}
		assertThat(fire("REJECT", 1)).returns(429, HttpResponse::statusCode)
			.extracting(HttpResponse::body)
			.asString()
			.contains("2 runs are under way");
	}

	@Test
	@DisplayName("Without JavaScript, a reloaded page shows the progress of a run")
	void withoutScript() throws Exception {
		String run = fire("REJECT", 20).headers().firstValue("Location").orElseThrow();
		Awaitility.await().until(() -> get(run).contains("<strong>409</strong> × 19"));
		assertThat(get(run)).contains("data-over=\"false\"", "1 to come", "<noscript>", "id=\"instances\"");
		assertThat(get(run.replace("#run", "") + "/timeline")).as("part of the page that changes")
			.contains("1 to come")
			.doesNotContain("id=\"instances\"");
		points.grant();
		Awaitility.await().until(() -> get(run).contains("data-over=\"true\""));
		assertThat(get(run)).contains("<strong>201</strong>").doesNotContain("<noscript>", "<script");
	}

	@Test
	@DisplayName("Two runs of twenty registrations at once make twenty rows each without a lock, on one instance, too")
	void manyRows() throws Exception {
		String one = fire("REJECT", 20).headers().firstValue("Location").orElseThrow();
		String other = fire("WAIT", 20).headers().firstValue("Location").orElseThrow();
		points.awaitRequests(42);
		points.grant();
		for (String run : List.of(one, other)) {
			Awaitility.await().until(() -> get(run).contains("data-over=\"true\""));
			assertThat(get(run)).contains("<strong>20</strong>: 19 too many");
		}
	}

	@Test
	@DisplayName("An unknown run has no page: 404")
	void unknownRun() throws Exception {
		assertThat(server.get("/runs/%3Cb%3E")).returns(404, HttpResponse::statusCode)
			.extracting(HttpResponse::body)
			.asString()
			.contains("<h1>Not found</h1>")
			.doesNotContain("<b>");
		assertThat(server.get("/runs/taro/timeline").statusCode()).isEqualTo(404);
	}

	@Test
	@DisplayName("The address of the runs in the address bar of a browser leads to the page")
	void runs() throws Exception {
		assertThat(server.get("/runs")).returns(302, HttpResponse::statusCode)
			.extracting((response) -> response.headers().firstValue("Location").orElseThrow())
			.asString()
			.endsWith("/");
	}

	@ParameterizedTest
	@CsvSource({ "/nothing, 404, <h1>Not found</h1>", "/demo/reject, 405, <h1>Not accepted</h1>",
			"/orders, 405, There is no page at this address.", "/reports, 400, A value is missing or not valid.",
			"/users/abc, 400, A value is missing or not valid." })
	@DisplayName("A rejection by Spring MVC is a page for a browser, and problem details for a program")
	void errorPages(String path, int status, String title) throws Exception {
		assertThat(server.send("GET", path, "Accept", "text/html,*/*;q=0.8")).returns(status, HttpResponse::statusCode)
			.extracting(HttpResponse::body)
			.asString()
			.contains(title);
		assertThat(server.get(path)).returns(status, HttpResponse::statusCode)
			.extracting(HttpResponse::body)
			.asString()
			.startsWith("{")
			.contains("\"status\":" + status);
	}

	@Test
	@DisplayName("The page can be loaded more often than there are database connections")
	void leavesConnections() throws Exception {
		for (int i = 0; i < 70; i++) {
			assertThat(server.get("/").statusCode()).isEqualTo(200);
		}
	}

	@Test
	@DisplayName("A running instance is listed; an instance that was killed, or whose port is used by another program, is removed")
	void instances() throws Exception {
		String another;
		try (TestServer second = startInstance()) {
			another = "127.0.0.1:" + second.port();
			assertThat(get("/")).contains("Instance B: " + another);
		}
		assertThat(urls()).containsExactly(own());
		server.context()
			.getBean(JdbcClient.class)
			.sql("insert into instance (url, instance_id) values (?, 'killed'), ('http://localhost:%d', 'other')"
				.formatted(server.port()))
			.param("http://" + another)
			.update();
		assertThat(get("/")).contains("Instance A: 127.0.0.1:" + server.port()).doesNotContain(another, "localhost");
		assertThat(urls()).containsExactly(own());
	}

	private static List<String> urls() {
		return server.context().getBean(JdbcClient.class).sql("select url from instance").query(String.class).list();
	}

	private static HttpResponse<String> fire(String policy, int requests) throws Exception {
		return server.post("/runs?policy=%s&requests=%d".formatted(policy, requests));
	}

	private static boolean allRunsAreOver() throws Exception {
		for (MatchResult run : Pattern.compile("/runs/taro_\\w+").matcher(get("/")).results().toList()) {
			if (get(run.group()).contains("data-over=\"false\"")) {
				return false;
			}
		}
		return true;
	}

	private static String get(String path) throws Exception {
		return server.get(path).body();
	}

	private static String own() {
		return "http://127.0.0.1:" + server.port();
	}

	private static TestServer startInstance() {
		return points.start(
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.of("lock.redis.key-prefix=firing",
									"spring.datasource.url=jdbc:h2:mem:firing;DB_CLOSE_DELAY=-1"))
					.toArray(String[]::new));
	}

}
