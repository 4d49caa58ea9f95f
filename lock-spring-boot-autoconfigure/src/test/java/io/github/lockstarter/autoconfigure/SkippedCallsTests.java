package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.interceptor.LastRuns;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class SkippedCallsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@BeforeEach
	void reset() {
		Jobs.runs.set(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock.wait=0s", "lock.wait=1h" })
	@DisplayName("A call whose lock is held returns at once without running, whatever lock.wait says")
	void skips(String property) {
		this.runner.withPropertyValues(property).withBean(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			try (Lease other = context.getBean(LockRegistry.class).acquire("job")) {
				assertThat(other.isHeld()).isTrue();
				jobs.nothing();
				assertThat(jobs.text()).isNull();
				assertThat(jobs.optional()).isEmpty();
				assertThat(jobs.stage()).isCompletedWithValue(null);
				assertThat(jobs.mono().blockOptional()).isEmpty();
				assertThat(jobs.flux().collectList().block()).isEmpty();
			}
			assertThat(Jobs.runs).hasValue(0);
			assertThat(context.getBean(LockCounts.class).get("job", Event.SKIPPED)).isEqualTo(6);
			jobs.nothing();
			assertThat(jobs.text()).isEqualTo("done");
			assertThat(jobs.optional()).contains("done");
			assertThat(jobs.stage().join()).isEqualTo("done");
			assertThat(jobs.mono().block()).isEqualTo("done");
			assertThat(jobs.flux().collectList().block()).containsExactly("done");
			assertThat(Jobs.runs).hasValue(6);
		});
	}

	@Test
	@DisplayName("A skipped call logs nothing above DEBUG")
	void isQuiet(CapturedOutput output) {
		this.runner.withBean(Jobs.class).run((context) -> {
			int before = output.getAll().length();
			try (Lease other = context.getBean(LockRegistry.class).acquire("job")) {
				assertThat(other.isHeld()).isTrue();
				context.getBean(Jobs.class).nothing();
			}
			assertThat(output.getAll().substring(before)).doesNotContain("INFO", "WARN", "ERROR");
		});
	}

	@Test
	@DisplayName("With a wait time of its own, a call waits before it is skipped or runs")
	void waits() {
		this.runner.withPropertyValues("lock.names.job.wait=1m").withBean(Jobs.class).run((context) -> {
			CompletableFuture<Void> job;
			try (Lease other = context.getBean(LockRegistry.class).acquire("job")) {
				assertThat(other.isHeld()).isTrue();
				job = CompletableFuture.runAsync(context.getBean(Jobs.class)::nothing);
			}
			assertThat(job).succeedsWithin(Duration.ofMinutes(1));
			assertThat(Jobs.runs).hasValue(1);
		});
	}

	@Test
	@DisplayName("When a call is skipped at its second lock, the first is released")
	void releasesOtherLocks() {
		this.runner.withBean(TwoLocks.class).run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			try (Lease other = locks.acquire("second")) {
				assertThat(other.isHeld()).isTrue();
				context.getBean(TwoLocks.class).both();
				locks.acquire("first").close();
			}
			assertThat(Jobs.runs).hasValue(0);
			assertThat(context.getBean(LastRuns.class).byLockName().values()).allSatisfy((run) -> {
				assertThat(run.ran()).isNull();
				assertThat(run.skipped()).isNotNull();
			});
		});
	}

	@Test
	@DisplayName("hold-at-least of a name is limited by the ttl of its annotation, which may exceed the default ttl")
	void shortestHoldOfName() {
		this.runner.withPropertyValues("lock.names.patient.hold-at-least=30s")
			.withBean(Patient.class)
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("lock.names.patient.hold-at-least=61s")
			.withBean(Patient.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("The shortest hold (hold-at-least)"));
		this.runner.withPropertyValues("lock.names.patient.hold-at-least=11s", "lock.names.patient.ttl=10s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("The shortest hold (hold-at-least)"));
	}

	@Test
	@DisplayName("SKIP on a request handler, or with a primitive or non-null return type, prevents startup")
	void failsStartup() {
		assertFailsStartup(OfRequests.class, "without a response: use REJECT, WAIT or SHARE");
		assertFailsStartup(Counting.class, "SKIP has no int to return: declare void, Optional or a class");
		assertFailsStartup(Promising.class, "declare @Nullable, Optional or void");
	}

	private <T> void assertFailsStartup(Class<T> bean, String message) {
		this.runner.withBean(bean)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining(message)
				.hasMessageContaining(bean.getSimpleName()));
	}

	static class Jobs {

		private static final AtomicInteger runs = new AtomicInteger();

		@ExclusiveRequest(name = "job", onConflict = OnConflict.SKIP)
		public void nothing() {
			runs.incrementAndGet();
		}

		@ExclusiveRequest(name = "job", onConflict = OnConflict.SKIP)
		public @Nullable String text() {
			return done();
		}

		@ExclusiveRequest(name = "job", onConflict = OnConflict.SKIP)
		public Optional<String> optional() {
			return Optional.of(done());
		}

		@ExclusiveRequest(name = "job", onConflict = OnConflict.SKIP)
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture(done());
		}

		@ExclusiveRequest(name = "job", onConflict = OnConflict.SKIP)
		public Mono<String> mono() {
			return Mono.fromSupplier(Jobs::done);
		}

		@ExclusiveRequest(name = "job", onConflict = OnConflict.SKIP)
		public Flux<String> flux() {
			return mono().flux();
		}

		private static String done() {
			runs.incrementAndGet();
			return "done";
		}

	}

	static class Patient {

		@ExclusiveRequest(name = "patient", ttl = "1m", onConflict = OnConflict.SKIP)
		public void run() {
		}

	}

	static class TwoLocks {

		@ExclusiveRequest(name = "first", onConflict = OnConflict.SKIP, holdAtLeast = "5s")
		@ExclusiveRequest(name = "second", onConflict = OnConflict.SKIP)
		public void both() {
			Jobs.runs.incrementAndGet();
		}

	}

	@Controller
	static class OfRequests {

		@PostMapping
		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public void handle() {
		}

	}

	static class Counting {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public int count() {
			return 1;
		}

	}

	static class Promising {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public @NonNull String promise() {
			return "";
		}

	}

}
