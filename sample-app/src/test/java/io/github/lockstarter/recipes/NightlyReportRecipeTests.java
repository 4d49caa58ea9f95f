package io.github.lockstarter.recipes;

import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class NightlyReportRecipeTests {

	private final Jobs jobs = new Jobs();

	private final AtomicInteger runs = new AtomicInteger();

	private final List<RecipeServer> instances = new ArrayList<>();

	private final ExecutorService clocks = Executors.newCachedThreadPool();

	@AfterEach
	void stop() {
		this.instances.forEach(RecipeServer::close);
		this.clocks.shutdownNow();
	}

	@Test
	@DisplayName("At three o'clock one of two instances writes the report, and the other skips it")
	void once() throws Exception {
		start("recipe-nightly");
		CompletableFuture<Void> first = itIsThree(0);
		this.jobs.get("report").awaitBegun();
		assertThat(itIsThree(1)).succeedsWithin(Duration.ofMinutes(1));
		assertThat(this.instances.get(1).count("nightly-report", Event.SKIPPED)).isEqualTo(1);
		this.jobs.get("report").finish();
		assertThat(first).succeedsWithin(Duration.ofMinutes(1));
		assertThat(this.runs).hasValue(1);
	}

	@Test
	@DisplayName("An instance whose clock is late skips the report as well, although it has been written already")
	void lateClock() {
		start("recipe-late");
		this.jobs.get("report").finish();
		assertThat(itIsThree(0)).succeedsWithin(Duration.ofMinutes(1));
		assertThat(itIsThree(1)).succeedsWithin(Duration.ofMinutes(1));
		assertThat(this.instances.get(1).count("nightly-report", Event.SKIPPED)).isEqualTo(1);
		assertThat(this.runs).hasValue(1);
	}

	@Test
	@DisplayName("The next night the report is written again")
	void nextNight() {
		start("recipe-next", "lock.names.nightly-report.hold-at-least=1s");
		this.jobs.get("report").finish();
		itIsThree(0).join();
		Awaitility.await().untilAsserted(() -> {
			itIsThree(1).join();
			assertThat(this.runs).hasValue(2);
		});
	}

	private void start(String keyPrefix, String... more) {
		String[] properties = Stream
			.of(Stream.of(TestRedis.properties()), Stream.of("lock.redis.key-prefix=" + keyPrefix), Stream.of(more))
			.flatMap((each) -> each)
			.toArray(String[]::new);
		for (int i = 0; i < 2; i++) {
			this.instances
				.add(RecipeServer.start("A nightly job", Nightly.class, Reports.class, this::write, properties));
		}
	}

	/** Does what the scheduler of an instance does at three o'clock. */
	private CompletableFuture<Void> itIsThree(int instance) {
		return CompletableFuture
			.runAsync(() -> assertThat(this.instances.get(instance).bean(ScheduledTaskHolder.class).getScheduledTasks())
				.singleElement()
				.satisfies((task) -> assertThat(task.getTask()).isInstanceOfSatisfying(CronTask.class, (cron) -> {
					assertThat(cron.getExpression()).isEqualTo("0 0 3 * * *");
					cron.getRunnable().run();
				})), this.clocks);
	}

	private void write() {
		this.runs.incrementAndGet();
		this.jobs.get("report").run();
	}

	@EnableScheduling
	static class Nightly extends NightlyReport {

		Nightly(Reports reports) {
			super(reports);
		}

		/** Its clock stands at noon: only the test says that it is three. */
		@Bean
		static ThreadPoolTaskScheduler taskScheduler() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			ZoneId zone = ZoneId.systemDefault();
			scheduler.setClock(Clock.fixed(LocalDate.of(2026, 1, 1).atTime(12, 0).atZone(zone).toInstant(), zone));
			return scheduler;
		}

	}

}
