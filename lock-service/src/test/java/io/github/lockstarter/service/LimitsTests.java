package io.github.lockstarter.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.service.RunningService.Response;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limits of a client.
 */
class LimitsTests {

	private static final String HANAKO = "the-key-of-hanako-0123456789";

	private RunningService service;

	@BeforeEach
	void start() {
		this.service = RunningService.start("lock.ttl=30s", "lock.service.max-ttl=1m", "lock.service.max-wait=10s",
				"lock.service.clients.taro.max-ttl=20s", "lock.service.clients.taro.max-locks=3",
				"lock.service.clients.hanako.api-key=" + HANAKO);
	}

	@AfterEach
	void stop() {
		this.service.close();
	}

	@Test
	@DisplayName("A ttl or wait above the client's limit is rejected with 403, and no lock is taken")
	void longTimes() {
		for (String times : List.of("ttl=20001ms", "ttl=1h", "wait=11s", "ttl=PT1H", "ttl=9000d")) {
			Response rejected = this.service.send("PUT", "/locks/long?" + times);
			assertThat(rejected.status()).as(times).isEqualTo(403);
			assertThat(rejected.problem()).isEqualTo("limit-exceeded");
		}
		assertThat(this.service.isHeld("long")).isFalse();
		assertThat(this.service.send("PUT", "/locks/long?ttl=20s&wait=10s").status()).isEqualTo(201);
	}

	@Test
	@DisplayName("Without a ttl, a lock gets the default ttl, or the client's limit if that is shorter")
	void defaultWithinLimit() {
		assertThat(this.service.send("PUT", "/locks/d").json().get("expiresInMillis").asLong()).isBetween(15_000L,
				20_000L);
		assertThat(this.service.sendWithoutKey("PUT", "/locks/d", "X-API-Key", HANAKO)
			.join()
			.json()
			.get("expiresInMillis")
			.asLong()).isBetween(25_000L, 30_000L);
	}

	@Test
	@DisplayName("A lock beyond max-locks is rejected with 403; an extension does not count, and a release makes room")
	void maxLocks() {
		List<String> tokens = Stream.of("a", "b", "c")
			.map((name) -> this.service.send("PUT", "/locks/" + name).token())
			.toList();
		Response rejected = this.service.send("PUT", "/locks/d");
		assertThat(rejected.status()).isEqualTo(403);
		assertThat(rejected.problem()).isEqualTo("limit-exceeded");
		assertThat(this.service.isHeld("d")).isFalse();
		assertThat(this.service.send("PUT", "/locks/a", "Lock-Token", tokens.get(0)).status()).isEqualTo(200);
		assertThat(this.service.send("PUT", "/locks/a").status()).isEqualTo(409);
		assertThat(this.service.sendWithoutKey("PUT", "/locks/d", "X-API-Key", HANAKO).join().status()).isEqualTo(201);
		this.service.send("DELETE", "/locks/b", "Lock-Token", tokens.get(1));
		assertThat(this.service.send("PUT", "/locks/d").status()).isEqualTo(201);
		assertThat(this.service.send("PUT", "/locks/e").status()).isEqualTo(403);
	}

	@Test
	@DisplayName("Expired locks, rejected requests and invalid requests do not count against max-locks")
	void roomAfterExpiry() {
		Stream.of("a", "b", "c").forEach((name) -> this.service.send("PUT", "/locks/" + name + "?ttl=50ms"));
		Awaitility.await().until(() -> this.service.send("PUT", "/locks/d").status() == 201);
		IntStream.range(0, 5).forEach((i) -> {
			assertThat(this.service.send("PUT", "/locks/d").status()).isEqualTo(409);
			assertThat(this.service.send("PUT", "/locks/x" + i, "Lock-Token", "bad").status()).isEqualTo(400);
		});
		assertThat(this.service.send("PUT", "/locks/e").status()).isEqualTo(201);
		assertThat(this.service.send("PUT", "/locks/f").status()).isEqualTo(201);
	}

	@Test
	@DisplayName("Of 60 concurrent requests for different locks, exactly max-locks are granted")
	void manyAtOnce() {
		List<CompletableFuture<Response>> responses = IntStream.range(0, 60)
			.mapToObj((i) -> this.service.sendAsync("PUT", "/locks/many" + i))
			.toList();
		List<Integer> statuses = responses.stream().map((response) -> response.join().status()).toList();
		assertThat(statuses).filteredOn((status) -> status == 201).hasSize(3);
		assertThat(statuses).filteredOn((status) -> status == 403).hasSize(57);
	}

	@Test
	@DisplayName("A release at another instance makes room shortly afterwards")
	void releasedElsewhere() {
		TokenLocks elsewhere = this.service.context().getBean(TokenLocks.class);
		Stream.of("a", "b", "c").forEach((name) -> {
			String token = this.service.send("PUT", "/locks/" + name).token();
			assertThat(elsewhere.releaseAsync(new LockKey("service.taro", name), token).toCompletableFuture().join())
				.isTrue();
		});
		Awaitility.await().until(() -> this.service.send("PUT", "/locks/d").status() == 201);
		assertThat(this.service.send("PUT", "/locks/e").status()).isEqualTo(201);
		assertThat(this.service.send("PUT", "/locks/f").status()).isEqualTo(201);
		assertThat(this.service.send("PUT", "/locks/g").status()).isEqualTo(403);
	}

}
