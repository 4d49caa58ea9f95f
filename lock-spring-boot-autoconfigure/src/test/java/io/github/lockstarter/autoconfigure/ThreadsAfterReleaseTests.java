package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

class ThreadsAfterReleaseTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withBean(Service.class);

	@ParameterizedTest(name = "called on {0}, work on {1}, declared: {2}: on {3}")
	@CsvSource({ "immediate, immediate, true, boundedElastic", "immediate, boundedElastic, true, boundedElastic",
			"immediate, parallel, true, parallel", "parallel, immediate, true, parallel",
			"parallel, boundedElastic, true, boundedElastic", "parallel, parallel, true, parallel",
			"immediate, immediate, false, boundedElastic", "immediate, boundedElastic, false, boundedElastic",
			"immediate, parallel, false, parallel" })
	@DisplayName("Operators after a reactive method run on a thread that may block if its work ended on one, and never on a thread of the registry")
	void continuesOnThread(String caller, String worker, boolean declared, String expected) {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			Scheduler scheduler = scheduler(worker);
			for (boolean fails : new boolean[] { false, true }) {
				Mono<?> work = Mono.defer(() -> (Mono<?>) (declared ? service.work(scheduler, fails)
						: service.undeclared(scheduler, fails)));
				String thread = work.map((value) -> Thread.currentThread().getName())
					.onErrorResume(IllegalStateException.class,
							(failure) -> Mono.fromSupplier(() -> Thread.currentThread().getName()))
					.subscribeOn(scheduler(caller))
					.block(Duration.ofSeconds(10));
				assertThat(thread).as("fails: " + fails).startsWith(expected + "-");
			}
		});
	}

	private static Scheduler scheduler(String name) {
		return switch (name) {
			case "parallel" -> Schedulers.parallel();
			case "boundedElastic" -> Schedulers.boundedElastic();
			default -> Schedulers.immediate();
		};
	}

	static class Service {

		@ExclusiveRequest
		public Mono<String> work(Scheduler scheduler, boolean fails) {
			return Mono.fromCallable(() -> {
				if (fails) {
					throw new IllegalStateException("failed as asked");
				}
				return "done";
			}).subscribeOn(scheduler);
		}

		@ExclusiveRequest
		public Object undeclared(Scheduler scheduler, boolean fails) {
			return work(scheduler, fails);
		}

	}

}
