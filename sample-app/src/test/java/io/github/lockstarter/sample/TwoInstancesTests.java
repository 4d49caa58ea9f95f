package io.github.lockstarter.sample;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the application with one Redis and one database. The test controls
 * when points are granted, so that requests overlap deterministically.
 */
@Tag("jdk")
class TwoInstancesTests {

	private static final ControlledPoints points = new ControlledPoints();

	private static TestServer first;

	private static TestServer second;

	@BeforeAll
	static void start() {
		first = startInstance();
		second = startInstance();
	}

	@AfterAll
	static void stop() {
		first.close();
		second.close();
	}

	@BeforeEach
	void holdPoints() {
		points.hold();
	}

	@Test
	@DisplayName("Of 40 concurrent registrations of one name, one gets 201 and 39 get 409, and there is one row")
	void oneWinner() throws Exception {
		long before = Redis.calls("evalsha", "delex", "delifeq");
		List<CompletableFuture<HttpResponse<String>>> responses = IntStream.range(0, 40)
			.mapToObj((i) -> ((i % 2 == 0) ? first : second).postAsync("/users?userName=taro"))
			.toList();
		Awaitility.await().until(() -> responses.stream().filter(CompletableFuture::isDone).count() == 39);
		assertThat(Redis.keys("two:{*")).hasSize(1);
		points.grant();
		List<Integer> statuses = responses.stream().map((each) -> each.join().statusCode()).toList();
		assertThat(statuses).filteredOn((status) -> status == 201).hasSize(1);
		assertThat(statuses).filteredOn((status) -> status == 409).hasSize(39);
		assertThat(rows("taro")).isOne();
		assertThat(Redis.keys("two:{*")).isEmpty();
		assertThat(Redis.calls("evalsha", "delex", "delifeq") - before)
			.as("two commands for the winner, none for others on its instance, at most one for those on the other")
			.isBetween(3L, 22L);
		assertThat(second.post("/users?userName=taro").statusCode()).isEqualTo(422);
		assertThat(second.get("/users?userName=taro").body()).contains("\"points\":100");
	}

	@Test
	@DisplayName("Different names do not wait for each other")
	void differentNames() throws Exception {
		List<CompletableFuture<HttpResponse<String>>> responses = Stream
			.of(first.postAsync("/users?userName=jiro"), second.postAsync("/users?userName=saburo"))
			.toList();
		points.awaitRequests(2);
		points.grant();
		assertThat(responses).allSatisfy((each) -> assertThat(each.join().statusCode()).isEqualTo(201));
	}

	@Test
	@DisplayName("Without the annotation, two concurrent requests create two rows")
	void unguarded() throws Exception {
		List<CompletableFuture<HttpResponse<String>>> responses = Stream
			.of(first.postAsync("/unguarded/users?userName=shiro"), second.postAsync("/unguarded/users?userName=shiro"))
			.toList();
		points.awaitRequests(2);
		points.grant();
		assertThat(responses).allSatisfy((each) -> assertThat(each.join().statusCode()).isEqualTo(201));
		assertThat(rows("shiro")).isEqualTo(2);
	}

	private static TestServer startInstance() {
		String[] properties = Stream
			.concat(Stream.of(TestRedis.properties()),
					Stream.of("lock.redis.key-prefix=two", "spring.datasource.url=jdbc:h2:mem:two;DB_CLOSE_DELAY=-1"))
			.toArray(String[]::new);
		return points.start(properties);
	}

	private static long rows(String userName) {
		return first.context()
			.getBean(JdbcClient.class)
			.sql("select count(*) from users where user_name = ?")
			.param(userName)
			.query(Long.class)
			.single();
	}

}
