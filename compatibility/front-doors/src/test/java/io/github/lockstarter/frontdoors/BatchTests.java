package io.github.lockstarter.frontdoors;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.configuration.annotation.StepScope;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.scope.context.ChunkContext;
import org.springframework.batch.core.step.StepContribution;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.core.step.tasklet.Tasklet;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.infrastructure.item.support.ListItemReader;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks in the steps of Spring Batch.
 */
@SpringBootTest(classes = BatchTests.BatchApplication.class, webEnvironment = WebEnvironment.NONE,
		properties = { "doors.batch=", "spring.batch.job.enabled=false" })
class BatchTests {

	@Autowired
	private Work work;

	@Autowired
	private JobOperator jobs;

	@Autowired
	private ApplicationContext context;

	@AfterEach
	void reset() {
		this.work.reset();
	}

	@ParameterizedTest
	@ValueSource(strings = { "tasklet", "stepScoped", "processor" })
	@DisplayName("Of two executions at once one runs, and the step of the other one fails with the conflict")
	void oneRuns(String job) throws Exception {
		CompletableFuture<JobExecution> first = start(job, 1);
		this.work.awaitBegun();
		JobExecution second = start(job, 2).join();
		assertThat(second.getStatus()).isEqualTo(BatchStatus.FAILED);
		assertThat(second.getAllFailureExceptions()).anySatisfy((failure) -> assertThat(failure).satisfiesAnyOf(
				(it) -> assertThat(it).isInstanceOf(LockConflictException.class),
				(it) -> assertThat(it).hasRootCauseInstanceOf(LockConflictException.class)));
		this.work.end();
		assertThat(first.join().getStatus()).isEqualTo(BatchStatus.COMPLETED);
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("With SKIP, the step of the other execution is completed without its work")
	void skips() {
		CompletableFuture<JobExecution> first = start("skipped", 1);
		this.work.awaitBegun();
		assertThat(start("skipped", 2).join().getStatus()).isEqualTo(BatchStatus.COMPLETED);
		this.work.end();
		assertThat(first.join().getStatus()).isEqualTo(BatchStatus.COMPLETED);
		assertThat(this.work.runs()).isEqualTo(1);
	}

	private CompletableFuture<JobExecution> start(String job, long run) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				return this.jobs.start(this.context.getBean(job + "Job", Job.class),
						new JobParametersBuilder().addLong("run", run).toJobParameters());
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}, Work.THREADS);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Import42.class, SkippedImport.class, Scoped.class, Payments.class })
	static class BatchApplication {

		@Bean
		Work work() {
			return new Work();
		}

		@Bean
		Job taskletJob(JobRepository repository, Import42 tasklet) {
			return job("tasklet", repository, new StepBuilder("step", repository).tasklet(tasklet).build());
		}

		@Bean
		Job skippedJob(JobRepository repository, SkippedImport tasklet) {
			return job("skipped", repository, new StepBuilder("step", repository).tasklet(tasklet).build());
		}

		@Bean
		Job stepScopedJob(JobRepository repository, Scoped tasklet) {
			return job("stepScoped", repository, new StepBuilder("step", repository).tasklet(tasklet).build());
		}

		@Bean
		@StepScope
		ListItemReader<String> orders() {
			return new ListItemReader<>(List.of("42"));
		}

		@Bean
		Job processorJob(JobRepository repository, Payments processor, ListItemReader<String> orders) {
			return job("processor", repository,
					new StepBuilder("step", repository).<String, Integer>chunk(1)
						.reader(orders)
						.processor(processor)
						.writer((paid) -> {
						})
						.build());
		}

		private static Job job(String name, JobRepository repository, Step step) {
			return new JobBuilder(name, repository).start(step).build();
		}

	}

	static class Import42 implements Tasklet {

		private final Work work;

		Import42(Work work) {
			this.work = work;
		}

		@Override
		@ExclusiveRequest(name = "import")
		public RepeatStatus execute(StepContribution contribution, ChunkContext chunk) {
			this.work.run();
			return RepeatStatus.FINISHED;
		}

	}

	static class SkippedImport implements Tasklet {

		private final Work work;

		SkippedImport(Work work) {
			this.work = work;
		}

		@Override
		@ExclusiveRequest(name = "import", onConflict = OnConflict.SKIP)
		public @Nullable RepeatStatus execute(StepContribution contribution, ChunkContext chunk) {
			this.work.run();
			return RepeatStatus.FINISHED;
		}

	}

	@StepScope
	static class Scoped implements Tasklet {

		private final Work work;

		private final long run;

		Scoped(Work work, @Value("#{jobParameters['run']}") long run) {
			this.work = work;
			this.run = run;
		}

		@Override
		@ExclusiveRequest(name = "import", key = "#chunk.stepContext.jobName")
		public RepeatStatus execute(StepContribution contribution, ChunkContext chunk) {
			assertThat(this.run).isPositive();
			this.work.run();
			return RepeatStatus.FINISHED;
		}

	}

	static class Payments implements ItemProcessor<String, Integer> {

		private final Work work;

		Payments(Work work) {
			this.work = work;
		}

		@Override
		@ExclusiveRequest(name = "payment", key = "#id")
		public Integer process(String id) {
			return this.work.run();
		}

	}

}
