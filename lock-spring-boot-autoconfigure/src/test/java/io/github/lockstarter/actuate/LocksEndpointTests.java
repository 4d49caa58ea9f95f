package io.github.lockstarter.actuate;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

class LocksEndpointTests {

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private static final String LOCKS = "/actuator/locks";

	@ParameterizedTest
	@CsvSource({ "SERVLET,/orders", "REACTIVE,/reactive" })
	@DisplayName("Shows holders and waiters, with request paths and key digests, and the totals")
	void shows(WebApplicationType type, String path) throws Exception {
		TestServer server = server(type);
		Instant start = Instant.now();
		CompletableFuture<HttpResponse<String>> first = server.postAsync(path + "/taro");
		Awaitility.await().until(() -> lock(server) != null);
		CompletableFuture<HttpResponse<String>> second = server.postAsync(path + "/taro");
		Awaitility.await().until(() -> lock(server).path("waiting").size() == 1);
		JsonNode lock = lock(server);
		assertThat(lock.path("name").asString()).isEqualTo("orders");
		assertThat(lock.path("key").asString()).isEqualTo(LockKey.ofDigest("orders", "taro").key());
		assertThat(lock.path("held").path("request").asString()).isEqualTo("POST " + path + "/{number}");
		assertThat(lock.path("held").path("remainingMillis").asLong()).isBetween(1L, 10_000L);
		assertThat(lock.path("held").path("fencingToken").asLong()).isPositive();
		assertThat(Instant.parse(lock.path("held").path("since").asString())).isBetween(start, Instant.now());
		assertThat(lock.path("waiting").get(0).path("request").asString()).isEqualTo("POST " + path + "/{number}");
		assertThat(Instant.parse(lock.path("waiting").get(0).path("since").asString()))
			.isBetween(Instant.parse(lock.path("held").path("since").asString()), Instant.now());
		server.context().getBean(WatchedApplication.Orders.class).finish();
		assertThat(List.of(first, second))
			.allSatisfy((response) -> assertThat(response).succeedsWithin(Duration.ofSeconds(20))
				.satisfies((done) -> assertThat(done.statusCode()).isEqualTo(200)));
		Awaitility.await().until(() -> lock(server) == null);
		JsonNode totals = json(server).path("totals").path("orders");
		assertThat(totals.path("granted").asLong()).isEqualTo(2);
		assertThat(totals.path("contended").asLong()).isOne();
		assertThat(totals.path("handed-off").asLong() + totals.path("released").asLong()).isGreaterThan(1);
	}

	@Test
	@DisplayName("Shows when a method whose calls may be skipped last ran in this instance, and when it was last skipped")
	void showsLastRuns() throws Exception {
		TestServer server = server(WebApplicationType.SERVLET);
		WatchedApplication.Jobs jobs = server.context().getBean(WatchedApplication.Jobs.class);
		assertThat(json(server).path("lastRuns").isEmpty()).isTrue();
		Instant start = Instant.now();
		try (Lease other = server.context().getBean(LockRegistry.class).acquire("nightly")) {
			jobs.nightly();
			JsonNode skipped = json(server).path("lastRuns").path("nightly");
			assertThat(Instant.parse(skipped.path("skipped").asString())).isBetween(start, Instant.now());
			assertThat(skipped.path("ran").isString()).isFalse();
			assertThat(other.isHeld()).isTrue();
		}
		jobs.nightly();
		JsonNode ran = json(server).path("lastRuns").path("nightly");
		assertThat(Instant.parse(ran.path("ran").asString())).isBetween(start, Instant.now());
		assertThat(ran.path("fencingToken").asLong()).isPositive();
		assertThat(ran.path("method").asString()).endsWith("Jobs.nightly");
		assertThat(json(server).path("instance").asString()).startsWith(ProcessHandle.current().pid() + "@");
	}

	@Test
	@DisplayName("Shows keys if show-keys is always")
	void showsKeys() throws Exception {
		TestServer server = server(WebApplicationType.SERVLET, "management.endpoint.locks.show-keys=always");
		try (Lease held = server.context().getBean(LockRegistry.class).acquire("team:42")) {
			assertThat(lock(server).path("key").asString()).isEqualTo("42");
			assertThat(lock(server).path("held").path("request").isString()).isFalse();
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("Hides keys from unauthenticated users if show-keys is when-authorized")
	void showsKeysWhenAuthorized() throws Exception {
		TestServer server = server(WebApplicationType.SERVLET, "management.endpoint.locks.show-keys=when-authorized");
		try (Lease held = server.context().getBean(LockRegistry.class).acquire("team:42")) {
			assertThat(lock(server).path("key").asString()).isEqualTo(LockKey.ofDigest("team", "42").key());
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("By default, releases no lock")
	void readOnly() throws Exception {
		TestServer server = server(WebApplicationType.SERVLET);
		try (Lease held = server.context().getBean(LockRegistry.class).acquire("team:42")) {
			assertThat(server.delete(LOCKS + "/team?key=42").statusCode()).isEqualTo(405);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "SERVLET,42", "REACTIVE,42", "SERVLET,", "SERVLET,digest" })
	@DisplayName("If allowed, releases a lock by its key or key digest: the holder is notified, and the lock is free")
	void forcedRelease(WebApplicationType type, String key) throws Exception {
		String lock = (key != null) ? "team:42" : "team";
		String query = (key == null) ? ""
				: "?key=" + (key.equals("digest") ? LockKey.ofDigest("team", "42").key() : key);
		TestServer server = server(type, "management.endpoint.locks.access=unrestricted");
		LockRegistry locks = server.context().getBean(LockRegistry.class);
		Lease held = locks.acquire(lock);
		try (Lease other = locks.acquire("team:43")) {
			AtomicBoolean told = new AtomicBoolean();
			held.onLost(() -> told.set(true));
			assertThat(server.delete(LOCKS + "/team" + query).statusCode()).isEqualTo(204);
			assertThat(held.isHeld()).isFalse();
			Awaitility.await().untilTrue(told);
			assertThat(other.isHeld()).isTrue();
			locks.acquire(lock).close();
			assertThat(server.delete(LOCKS + "/team" + query).statusCode()).isEqualTo(404);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	@DisplayName("Counts the stored results of a name, and if allowed removes them, so that duplicates run again")
	void storedResults(WebApplicationType type) throws Exception {
		TestServer server = server(type, "management.endpoint.locks.access=unrestricted");
		server.post("/kept/1");
		server.post("/kept/2");
		assertThat(server.post("/kept/2").headers().firstValue("Idempotent-Replayed")).hasValue("true");
		HttpResponse<String> shown = server.get(LOCKS + "/kept");
		JsonNode kept = new JsonMapper().readTree(shown.body());
		assertThat(kept.path("storedResults").asLong()).isEqualTo(2);
		assertThat(kept.path("totals").path("replayed").asLong()).isOne();
		assertThat(kept.path("locks")).isEmpty();
		assertThat(server.delete(LOCKS + "/kept/others").statusCode()).isEqualTo(404);
		assertThat(server.delete(LOCKS + "/kept/results").body()).isEqualTo("{\"removed\":2}");
		assertThat(server.delete(LOCKS + "/kept/results").body()).isEqualTo("{\"removed\":0}");
		assertThat(server.post("/kept/2").headers().firstValue("Idempotent-Replayed")).isEmpty();
		assertThat(server.get(LOCKS + "/unknown").statusCode()).isEqualTo(404);
		assertThat(server.get(LOCKS).body()).doesNotContain("storedResults");
	}

	@Test
	@DisplayName("By default, removes no stored results")
	void keepsResults() throws Exception {
		TestServer server = server(WebApplicationType.SERVLET);
		server.post("/kept/1");
		assertThat(server.delete(LOCKS + "/kept/results").statusCode()).isIn(404, 405);
		assertThat(server.post("/kept/1").headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	@Test
	@DisplayName("Is not available unless exposed")
	void absent() throws Exception {
		try (TestServer server = TestServer.start(new Class<?>[] { WatchedApplication.class }, "lock.store=memory")) {
			assertThat(server.get(LOCKS).statusCode()).isEqualTo(404);
		}
	}

	private static TestServer server(WebApplicationType type, String... properties) {
		String[] all = Stream.concat(Stream.of("spring.main.web-application-type=" + type, "lock.store=memory",
				"management.endpoints.web.exposure.include=locks"), Stream.of(properties))
			.toArray(String[]::new);
		return servers.get(new Class<?>[] { WatchedApplication.class }, all);
	}

	private static JsonNode json(TestServer server) throws Exception {
		return new JsonMapper().readTree(server.get(LOCKS).body());
	}

	/** Returns the only lock, if any. */
	private static JsonNode lock(TestServer server) throws Exception {
		return json(server).path("locks").get(0);
	}

}
