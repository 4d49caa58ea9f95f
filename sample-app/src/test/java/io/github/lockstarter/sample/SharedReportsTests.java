package io.github.lockstarter.sample;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shared reports on two instances of the application with one Redis. The test controls
 * when a report is finished.
 */
class SharedReportsTests {

	private static final CountDownLatch made = new CountDownLatch(1);

	private static final AtomicInteger runs = new AtomicInteger();

	private static List<TestServer> instances;

	@BeforeAll
	static void start() {
		instances = List.of(startInstance(), startInstance());
	}

	@AfterAll
	static void stop() {
		instances.forEach(TestServer::close);
	}

	@Test
	@DisplayName("Of 200 concurrent requests at two instances, one creates the report and all get it, with few commands to Redis")
	void runsOnce() {
		long before = requests();
		long begin = System.nanoTime();
		List<CompletableFuture<HttpResponse<String>>> responses = IntStream.range(0, 200)
			.mapToObj((i) -> instances.get(i % 2).getAsync("/reports?values=1,2"))
			.toList();
		Awaitility.await().until(() -> contended() == 199);
		made.countDown();
		assertThat(responses).extracting((response) -> response.join().body())
			.containsOnly("{\"values\":[1,2],\"sum\":3,\"run\":1}");
		assertThat(responses)
			.filteredOn((response) -> response.join().headers().firstValue("Idempotent-Replayed").isEmpty())
			.hasSize(1);
		assertThat(runs).hasValue(1);
		long looks = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
		assertThat(requests() - before).as("two of the winner, three of each instance, and one a second")
			.isBetween(4L, 8 + 2 * looks);
		assertThat(instances.stream().mapToLong((instance) -> counts(instance).get("reports", Event.SHARED)).sum())
			.isEqualTo(199);
	}

	private static long contended() {
		return instances.stream().mapToLong((instance) -> counts(instance).get("reports", Event.CONTENDED)).sum();
	}

	private static LockCounts counts(TestServer instance) {
		return instance.context().getBean(LockCounts.class);
	}

	/** Scripts and subscriptions are the only commands. */
	private static long requests() {
		return Redis.calls("evalsha", "eval", "subscribe");
	}

	private static TestServer startInstance() {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.setMainApplicationClass(SampleApplication.class);
		application.addInitializers((context) -> context.getBeanFactory().addBeanPostProcessor(new Replacement()));
		return TestServer.start(application,
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.of("lock.redis.key-prefix=shared-reports", "sample.reports.latency=0s",
									"spring.datasource.url=jdbc:h2:mem:reports;DB_CLOSE_DELAY=-1"))
					.toArray(String[]::new));
	}

	private static final class Replacement implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			return (bean instanceof ReportController reports) ? new Held(reports) : bean;
		}

	}

	/** Not private, because the bean is proxied. */
	static class Held extends ReportController {

		private final ReportController reports;

		Held(ReportController reports) {
			super(null);
			this.reports = reports;
		}

		@Override
		Report report(List<Integer> values) throws InterruptedException {
			runs.incrementAndGet();
			made.await();
			return this.reports.report(values);
		}

	}

}
