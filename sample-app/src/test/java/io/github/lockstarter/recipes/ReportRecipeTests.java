package io.github.lockstarter.recipes;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class ReportRecipeTests {

	private final Jobs jobs = new Jobs();

	private final AtomicInteger runs = new AtomicInteger();

	private List<RecipeServer> instances = List.of();

	@BeforeEach
	void start() {
		String[] properties = Stream
			.concat(Stream.of(TestRedis.properties()), Stream.of("lock.redis.key-prefix=recipe-report"))
			.toArray(String[]::new);
		this.instances = IntStream.range(0, 2)
			.mapToObj((i) -> RecipeServer.start("An expensive report", ReportController.class, Sales.class, this::sum,
					properties))
			.toList();
	}

	@AfterEach
	void stop() {
		this.instances.forEach(RecipeServer::close);
	}

	@Test
	@DisplayName("Of six requests for one report at two instances one makes it, and the others get the same")
	void shared() throws Exception {
		List<CompletableFuture<HttpResponse<String>>> responses = IntStream.range(0, 6)
			.mapToObj((i) -> this.instances.get(i % 2).getAsync("/reports/2026"))
			.toList();
		Awaitility.await().until(() -> contended() == 5);
		this.jobs.get("2026").finish();
		assertThat(responses).allSatisfy((response) -> {
			assertThat(response.join().statusCode()).isEqualTo(200);
			assertThat(response.join().body()).isEqualTo("{\"year\":2026,\"sum\":1}");
		});
		assertThat(responses).filteredOn((response) -> Responses.isReplayed(response.join())).hasSize(5);
		assertThat(this.runs).hasValue(1);
	}

	@Test
	@DisplayName("A request after the response makes the report again, and another year does not wait")
	void notCached() throws Exception {
		CompletableFuture<HttpResponse<String>> slow = this.instances.get(0).getAsync("/reports/2026");
		this.jobs.get("2026").awaitBegun();
		this.jobs.get("2025").finish();
		assertThat(this.instances.get(0).get("/reports/2025").body()).contains("\"sum\":2");
		this.jobs.get("2026").finish();
		assertThat(slow.join().body()).contains("\"sum\":1");
		assertThat(this.instances.get(1).get("/reports/2025").body()).contains("\"sum\":3");
	}

	/** Returns the number of the run. */
	private long sum(int year) {
		int run = this.runs.incrementAndGet();
		this.jobs.get(Integer.toString(year)).run();
		return run;
	}

	private long contended() {
		return this.instances.stream().mapToLong((instance) -> instance.count("report", Event.CONTENDED)).sum();
	}

}
