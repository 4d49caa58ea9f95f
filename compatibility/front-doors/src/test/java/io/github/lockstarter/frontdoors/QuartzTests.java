package io.github.lockstarter.frontdoors;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.listeners.JobListenerSupport;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.quartz.QuartzJobBean;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks on jobs of Quartz, which the job factory of Spring creates, and which are no
 * beans.
 */
@SpringBootTest(classes = QuartzTests.QuartzApplication.class, webEnvironment = WebEnvironment.NONE,
		properties = "doors.quartz=")
class QuartzTests {

	@Autowired
	private Work work;

	@Autowired
	private Scheduler scheduler;

	/** The failure of each job that has ended. */
	private final BlockingQueue<Optional<Throwable>> ends = new LinkedBlockingQueue<>();

	@BeforeEach
	void listen() throws SchedulerException {
		this.scheduler.getListenerManager().addJobListener(new JobListenerSupport() {

			@Override
			public String getName() {
				return "ends";
			}

			@Override
			public void jobWasExecuted(JobExecutionContext context, @Nullable JobExecutionException failure) {
				QuartzTests.this.ends.add(Optional.ofNullable(failure));
			}

		});
	}

	@AfterEach
	void reset() throws SchedulerException {
		this.scheduler.getListenerManager().removeJobListener("ends");
		this.work.reset();
	}

	@ParameterizedTest
	@ValueSource(classes = { PaymentJob.class, PaymentJobBean.class })
	@DisplayName("Of two executions at once one runs, and the other one fails with the conflict")
	void oneRuns(Class<? extends Job> job) throws Exception {
		start(job);
		this.work.awaitBegun();
		start(job);
		assertThat(awaitEnd()).get()
			.satisfies((failure) -> assertThat(failure).hasRootCauseInstanceOf(LockConflictException.class));
		this.work.end();
		assertThat(awaitEnd()).isEmpty();
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("With SKIP, the other execution ends without a failure")
	void skips() throws Exception {
		start(SkippedJob.class);
		this.work.awaitBegun();
		start(SkippedJob.class);
		assertThat(awaitEnd()).isEmpty();
		this.work.end();
		assertThat(awaitEnd()).isEmpty();
		assertThat(this.work.runs()).isEqualTo(1);
	}

	private void start(Class<? extends Job> job) throws SchedulerException {
		this.scheduler.scheduleJob(JobBuilder.newJob(job).usingJobData("id", "42").build(),
				TriggerBuilder.newTrigger().startNow().build());
	}

	private Optional<Throwable> awaitEnd() throws InterruptedException {
		Optional<Throwable> end = this.ends.poll(30, TimeUnit.SECONDS);
		assertThat(end).as("a job has ended within 30 s").isNotNull();
		return end;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class QuartzApplication {

		@Bean
		Work work() {
			return new Work();
		}

	}

	static class PaymentJob implements Job {

		private final Work work;

		PaymentJob(Work work) {
			this.work = work;
		}

		@Override
		@ExclusiveRequest(name = "payment", key = "#context.mergedJobDataMap['id']")
		public void execute(JobExecutionContext context) {
			this.work.run();
		}

	}

	static class PaymentJobBean extends QuartzJobBean {

		private final Work work;

		private @Nullable String id;

		PaymentJobBean(Work work) {
			this.work = work;
		}

		public void setId(String id) {
			this.id = id;
		}

		@Override
		@ExclusiveRequest(name = "payment", key = "#context.mergedJobDataMap['id']")
		protected void executeInternal(JobExecutionContext context) {
			assertThat(this.id).isEqualTo("42");
			this.work.run();
		}

	}

	static class SkippedJob implements Job {

		private final Work work;

		SkippedJob(Work work) {
			this.work = work;
		}

		@Override
		@ExclusiveRequest(name = "payment", onConflict = OnConflict.SKIP)
		public void execute(JobExecutionContext context) {
			this.work.run();
		}

	}

}
