package io.github.lockstarter.service;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.service.RunningService.Response;
import io.github.lockstarter.testing.LocalDynamoDb;
import io.github.lockstarter.testing.LocalMemcached;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the service with each store that can be shared.
 */
@Tag("jdk")
@ParameterizedClass
@ValueSource(strings = { "redis", "memcached", "dynamodb" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedStoresTests {

	private static final String TOKEN = "chosen-by-the-client-1";

	@Parameter
	String store;

	private final List<AutoCloseable> started = new ArrayList<>();

	private RunningService first;

	private RunningService second;

	private String path;

	@BeforeParameterizedClassInvocation
	void start() {
		List<String> properties = new ArrayList<>(List.of(RunningService.TARO, "lock.store=" + this.store));
		switch (this.store) {
			case "redis" -> properties.addAll(List.of(TestRedis.properties()));
			case "memcached" -> {
				LocalMemcached memcached = LocalMemcached.started();
				this.started.add(memcached);
				properties.add("lock.memcached.servers=" + memcached.address());
				properties.add("lock.memcached.command-timeout=30s");
			}
			default -> {
				LocalDynamoDb dynamoDb = LocalDynamoDb.started();
				this.started.add(dynamoDb);
				Stream.of(dynamoDb.systemProperties())
					.map((property) -> property.split("=", 2))
					.forEach((property) -> System.setProperty(property[0], property[1]));
				properties.add("lock.dynamodb.create-table=true");
				properties.add("lock.dynamodb.command-timeout=30s");
			}
		}
		this.first = RunningService.startBare(properties.toArray(String[]::new));
		this.second = RunningService.startBare(properties.toArray(String[]::new));
		// The first command to a store may take longer than the ttl of the locks in these
		// tests.
		Stream.of(this.first, this.second)
			.forEach((each) -> assertThat(each.send("PUT", "/locks/" + UUID.randomUUID()).status()).isEqualTo(201));
	}

	@AfterParameterizedClassInvocation
	void stop() throws Exception {
		this.first.close();
		this.second.close();
		for (AutoCloseable each : this.started) {
			each.close();
		}
		List.of("aws.region", "aws.accessKeyId", "aws.secretAccessKey", "aws.endpointUrlDynamoDb")
			.forEach(System::clearProperty);
	}

	@BeforeEach
	void name() {
		this.path = "/locks/" + UUID.randomUUID();
	}

	@Test
	@DisplayName("A lock granted by one instance is held, extended and released at the other")
	void servesAtEveryServer() {
		Response acquired = this.first.send("PUT", this.path + "?ttl=30s");
		assertThat(acquired.status()).isEqualTo(201);
		Response rejected = this.second.send("PUT", this.path);
		assertThat(rejected.status()).isEqualTo(409);
		assertThat(Integer.parseInt(rejected.header("Retry-After"))).isBetween(20, 31);
		assertThat(this.second.send("GET", this.path).json().get("expiresInMillis").asLong()).isBetween(20_000L,
				31_000L);
		Response extended = this.second.send("PUT", this.path + "?ttl=1m", "Lock-Token", acquired.token());
		assertThat(extended.status()).isEqualTo(200);
		assertThat(this.first.send("GET", this.path).json().get("expiresInMillis").asLong()).isGreaterThan(40_000);
		assertThat(this.second.send("DELETE", this.path, "Lock-Token", TOKEN).status()).isEqualTo(409);
		assertThat(this.second.send("DELETE", this.path, "Lock-Token", acquired.token()).status()).isEqualTo(204);
		assertThat(this.first.send("GET", this.path).json().get("held").asBoolean()).isFalse();
		Response next = this.first.send("PUT", this.path);
		assertThat(next.status()).isEqualTo(201);
		assertThat(next.json().get("fencingToken").asLong())
			.isGreaterThan(extended.json().get("fencingToken").asLong());
	}

	@Test
	@DisplayName("A client whose response was lost repeats the request at the other instance with the same token")
	void lostResponse() {
		assertThat(this.first.send("PUT", this.path, "Lock-Token", TOKEN).status()).isEqualTo(201);
		assertThat(this.second.send("PUT", this.path, "Lock-Token", TOKEN).status()).isEqualTo(200);
		assertThat(this.second.send("DELETE", this.path, "Lock-Token", TOKEN).status()).isEqualTo(204);
	}

	@Test
	@DisplayName("A waiter at one instance is granted the lock that is released at the other")
	void waitsForOtherServer() {
		String token = this.first.send("PUT", this.path + "?ttl=5m").token();
		LockCounts counts = this.second.context().getBean(LockCounts.class);
		long before = counts.get("service.taro", Event.CONTENDED);
		CompletableFuture<Response> waiting = this.second.sendAsync("PUT", this.path + "?wait=1m");
		Awaitility.await().until(() -> counts.get("service.taro", Event.CONTENDED) > before);
		assertThat(this.first.send("DELETE", this.path, "Lock-Token", token).status()).isEqualTo(204);
		assertThat(waiting).succeedsWithin(20, TimeUnit.SECONDS);
		assertThat(waiting.join().status()).isEqualTo(201);
	}

	@Test
	@DisplayName("Of 40 concurrent requests for one lock at two instances, one is granted and 39 are rejected")
	void oneWinner() {
		List<CompletableFuture<Response>> responses = IntStream.range(0, 40)
			.mapToObj((i) -> ((i % 2 == 0) ? this.first : this.second).sendAsync("PUT", this.path))
			.toList();
		List<Integer> statuses = responses.stream().map((response) -> response.join().status()).toList();
		assertThat(statuses).filteredOn((status) -> status == 201).hasSize(1);
		assertThat(statuses).filteredOn((status) -> status == 409).hasSize(39);
	}

	@Test
	@DisplayName("A lock that is not released expires, whichever instance granted it")
	void expires() {
		this.first.send("PUT", this.path + "?ttl=3s");
		assertThat(this.second.send("PUT", this.path).status()).isEqualTo(409);
		Awaitility.await().until(() -> this.second.send("PUT", this.path).status() == 201);
	}

	@Test
	@DisplayName("The service is ready")
	void ready() {
		assertThat(this.first.sendWithoutKey("GET", "/actuator/health/readiness").join().body())
			.isEqualTo("{\"status\":\"UP\"}");
	}

}
