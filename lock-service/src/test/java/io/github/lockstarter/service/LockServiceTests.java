package io.github.lockstarter.service;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.service.RunningService.Response;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The HTTP interface, operation by operation.
 */
class LockServiceTests {

	private static final String TOKEN = "chosen-by-the-client-1";

	private static RunningService service;

	@BeforeAll
	static void start() {
		service = RunningService.start("lock.ttl=20s");
	}

	@AfterAll
	static void stop() {
		service.close();
	}

	@Test
	@DisplayName("A free lock is acquired with 201; the response has its name, a token, a fencing token and the remaining time")
	void acquires() {
		Response acquired = service.send("PUT", "/locks/free?ttl=30s");
		assertThat(acquired.status()).isEqualTo(201);
		assertThat(acquired.header("Content-Type")).isEqualTo("application/json");
		assertThat(acquired.header("Cache-Control")).isEqualTo("no-store");
		assertThat(acquired.json().get("name").asString()).isEqualTo("free");
		assertThat(acquired.token()).hasSize(32);
		assertThat(acquired.json().get("fencingToken").asLong()).isPositive();
		assertThat(acquired.json().get("expiresInMillis").asLong()).isBetween(20_001L, 30_000L);
	}

	@Test
	@DisplayName("Without a ttl, a lock lasts for lock.ttl")
	void defaultTtl() {
		assertThat(service.send("PUT", "/locks/default").json().get("expiresInMillis").asLong()).isBetween(10_000L,
				20_000L);
	}

	@Test
	@DisplayName("A held lock is rejected with 409, problem details and Retry-After")
	void rejects() {
		service.send("PUT", "/locks/held?ttl=30s");
		Response rejected = service.send("PUT", "/locks/held?ttl=30s");
		assertThat(rejected.status()).isEqualTo(409);
		assertThat(rejected.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(rejected.header("Cache-Control")).isEqualTo("no-store");
		assertThat(Integer.parseInt(rejected.header("Retry-After"))).isBetween(20, 30);
		assertThat(rejected.problem()).isEqualTo("request-in-progress");
		assertThat(rejected.json().get("title").asString()).isEqualTo("Request already in progress");
		assertThat(rejected.json().get("retryAfterMillis").asLong()).isBetween(20_000L, 30_000L);
	}

	@Test
	@DisplayName("A request with the holder's token extends the lock with 200, so a retry is safe")
	void extendsLock() {
		Response first = service.send("PUT", "/locks/extended?ttl=5s", "Lock-Token", TOKEN);
		assertThat(first.status()).isEqualTo(201);
		assertThat(first.token()).isEqualTo(TOKEN);
		Response second = service.send("PUT", "/locks/extended?ttl=30s", "Lock-Token", TOKEN);
		assertThat(second.status()).isEqualTo(200);
		assertThat(second.token()).isEqualTo(TOKEN);
		assertThat(second.json().get("expiresInMillis").asLong()).isGreaterThan(5_000);
		assertThat(service.send("PUT", "/locks/extended?ttl=1s", "Lock-Token", TOKEN).status()).isEqualTo(200);
		assertThat(service.send("GET", "/locks/extended").json().get("expiresInMillis").asLong()).as("never shortened")
			.isGreaterThan(5_000);
		assertThat(second.json().get("fencingToken").asLong())
			.isGreaterThanOrEqualTo(first.json().get("fencingToken").asLong());
		assertThat(service.send("PUT", "/locks/extended", "Lock-Token", "somebody-elses-token").status())
			.isEqualTo(409);
	}

	@Test
	@DisplayName("A token that the service generated extends the lock, too")
	void extendsDrawnToken() {
		String token = service.send("PUT", "/locks/drawn").token();
		assertThat(service.send("PUT", "/locks/drawn", "Lock-Token", token).status()).isEqualTo(200);
	}

	@Test
	@DisplayName("The holder releases the lock once, with 204; the next holder gets a larger fencing token")
	void releases() {
		Response first = service.send("PUT", "/locks/released");
		Response released = service.send("DELETE", "/locks/released", "Lock-Token", first.token());
		assertThat(released.status()).isEqualTo(204);
		assertThat(released.body()).isEmpty();
		Response again = service.send("DELETE", "/locks/released", "Lock-Token", first.token());
		assertThat(again.status()).isEqualTo(409);
		assertThat(again.problem()).isEqualTo("not-holder");
		assertThat(service.send("PUT", "/locks/released").json().get("fencingToken").asLong())
			.isGreaterThan(first.json().get("fencingToken").asLong());
	}

	@Test
	@DisplayName("A release without a token is rejected with 400, and a release with a wrong token with 409")
	void releaseNeedsToken() {
		service.send("PUT", "/locks/kept");
		assertThat(service.send("DELETE", "/locks/kept").status()).isEqualTo(400);
		assertThat(service.send("DELETE", "/locks/kept", "Lock-Token", "somebody-elses-token").status()).isEqualTo(409);
		assertThat(service.isHeld("kept")).isTrue();
	}

	@Test
	@DisplayName("An expired lock is free; its former holder can neither extend nor release the next holder's lock")
	void expires() {
		String late = service.send("PUT", "/locks/expired?ttl=500ms").token();
		Awaitility.await().until(() -> !service.isHeld("expired"));
		assertThat(service.send("DELETE", "/locks/expired", "Lock-Token", late).status()).isEqualTo(409);
		assertThat(service.send("PUT", "/locks/expired").status()).isEqualTo(201);
		assertThat(service.send("PUT", "/locks/expired", "Lock-Token", late).status()).isEqualTo(409);
		assertThat(service.send("DELETE", "/locks/expired", "Lock-Token", late).status()).isEqualTo(409);
		assertThat(service.isHeld("expired")).isTrue();
	}

	@Test
	@DisplayName("The state shows whether and for how long a lock is held, but no token")
	void tellsState() {
		Response free = service.send("GET", "/locks/state");
		assertThat(free.status()).isEqualTo(200);
		assertThat(free.body()).isEqualTo("{\"name\":\"state\",\"held\":false,\"expiresInMillis\":0}");
		String token = service.send("PUT", "/locks/state?ttl=30s").token();
		Response held = service.send("GET", "/locks/state");
		assertThat(held.json().get("held").asBoolean()).isTrue();
		assertThat(held.json().get("expiresInMillis").asLong()).isBetween(20_000L, 30_000L);
		assertThat(held.body()).doesNotContain(token);
	}

	@Test
	@DisplayName("The plain form acquires by GET with the token as text, and releases by DELETE with a header or parameter")
	void plainForm() {
		for (boolean byHeader : new boolean[] { true, false }) {
			Response acquired = service.send("GET", "/lock?hash=plain");
			assertThat(acquired.status()).isEqualTo(200);
			assertThat(acquired.header("Content-Type")).startsWith("text/plain");
			assertThat(acquired.header("Cache-Control")).isEqualTo("no-store");
			assertThat(acquired.body()).hasSize(32);
			assertThat(service.send("GET", "/lock?hash=plain").status()).isEqualTo(409);
			assertThat(service.isHeld("plain")).isTrue();
			assertThat(service.send("DELETE", "/lock?hash=plain").status()).isEqualTo(400);
			Response released = byHeader ? service.send("DELETE", "/lock?hash=plain", "Lock-Token", acquired.body())
					: service.send("DELETE", "/lock?hash=plain&token=" + acquired.body());
			assertThat(released.status()).isEqualTo(204);
		}
	}

	@Test
	@DisplayName("A HEAD request takes no lock")
	void headTakesNothing() {
		Response head = service.send("HEAD", "/lock?hash=head");
		assertThat(head.status()).isEqualTo(405);
		assertThat(head.header("Allow")).isEqualTo("GET,DELETE");
		assertThat(service.isHeld("head")).isFalse();
	}

	@Test
	@DisplayName("Percent-encoded characters are part of the name, and different names are different locks")
	void names() {
		for (String name : new String[] { "a%2Fb", "a%3Bb", "a%3Bc", "%3F", "%23", "%25", "a%20b", "..", "%F0%9F%94%92",
				"*", "a:b", "a" }) {
			assertThat(service.send("PUT", "/locks/n" + name).status()).as(name).isEqualTo(201);
		}
	}

}
