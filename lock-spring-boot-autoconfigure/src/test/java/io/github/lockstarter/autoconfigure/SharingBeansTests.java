package io.github.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.result.ResultPredicate;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Results of ordinary beans.
 */
class SharingBeansTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withBean(Runs.class)
		.withBean(Reports.class);

	private final String key = UUID.randomUUID().toString();

	@ParameterizedTest
	@EnumSource
	@DisplayName("Concurrent calls get equal results of one run")
	void shares(Way way) {
		this.runner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			Runs runs = context.getBean(Runs.class);
			List<CompletableFuture<Object>> calls = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				calls.add(start(() -> way.call.apply(reports).apply(this.key)));
				runs.job(this.key, 1).awaitBegun();
			}
			awaitContended(context, 4);
			runs.job(this.key, 1).finish();
			Object expected = way.call.apply(new Reports(finished())).apply("key");
			for (CompletableFuture<Object> call : calls) {
				assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(expected);
			}
			assertThat(runs.count(this.key)).isEqualTo(1);
			assertThat(context.getBean(LockCounts.class).get("reports", Event.SHARED)).isEqualTo(4);
		});
	}

	private static Runs finished() {
		Runs runs = new Runs();
		runs.job("key", 1).finish();
		return runs;
	}

	@Test
	@DisplayName("After an exception the next call runs, and no other call gets the exception")
	void failure() {
		this.runner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			Runs runs = context.getBean(Runs.class);
			CompletableFuture<Object> first = start(() -> reports.report(this.key));
			runs.job(this.key, 1).awaitBegun();
			CompletableFuture<Object> second = start(() -> reports.report(this.key));
			awaitContended(context, 1);
			runs.job(this.key, 1).fail();
			assertThat(first).failsWithin(10, TimeUnit.SECONDS);
			runs.job(this.key, 2).awaitBegun();
			runs.job(this.key, 2).finish();
			assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(new Report("done 2", List.of(1)));
		});
	}

	@Test
	@DisplayName("A result whose getter throws is returned to its own caller and counted, and its duplicates are rejected")
	void notWritable() {
		this.runner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			assertThat(reports.broken(this.key).text).isEqualTo("broken");
			assertThatExceptionOfType(ResultUnavailableException.class).isThrownBy(() -> reports.broken(this.key));
			LockCounts counts = context.getBean(LockCounts.class);
			assertThat(counts.get("broken", Event.NOT_WRITABLE)).isEqualTo(1);
			assertThat(counts.get("broken", Event.REPLAYED)).isZero();
		});
	}

	@Test
	@DisplayName("A stored result is replayed for the same arguments only")
	void replay() {
		this.runner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			assertThat(reports.replayed(this.key, "a")).isEqualTo(new Report("a 1", List.of()));
			assertThat(reports.replayed(this.key, "a")).isEqualTo(new Report("a 1", List.of()));
			assertThatExceptionOfType(PayloadMismatchException.class).isThrownBy(() -> reports.replayed(this.key, "b"));
			assertThat(reports.replayed(this.key + "2", "b")).isEqualTo(new Report("b 1", List.of()));
		});
	}

	@Test
	@DisplayName("A result above the store's maximum size is not stored, is counted, and its duplicates are rejected")
	void limitOfStore() {
		MemoryLockStore memory = new MemoryLockStore();
		LockStore small = new LockStore() {

			@Override
			public StoredLock lock(LockKey key) {
				return memory.lock(key);
			}

			@Override
			public Set<Capability> capabilities() {
				return Set.of(Capability.KEEPS_RESULTS, Capability.LOCAL);
			}

			@Override
			public long maxResultSize() {
				return 20;
			}

		};
		this.runner.withBean(LockStore.class, () -> small).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			assertThat(reports.replayed(this.key, "a").text()).isEqualTo("a 1");
			assertThatExceptionOfType(ResultUnavailableException.class)
				.isThrownBy(() -> reports.replayed(this.key, "a"));
			assertThat(context.getBean(LockCounts.class).get("replayed", Event.TOO_LARGE)).isEqualTo(1);
		});
	}

	@Test
	@DisplayName("A predicate of the application decides which results are shared; if it fails, duplicates are rejected")
	void predicate() {
		List<String> asked = new ArrayList<>();
		ResultPredicate predicate = (lockName, result, status) -> {
			asked.add(lockName + ": " + result);
			if (asked.size() == 1) {
				throw new IllegalStateException("as asked");
			}
			return asked.size() > 2;
		};
		this.runner.withBean(ResultPredicate.class, () -> predicate).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			assertThat(reports.replayed(this.key, "a").text()).isEqualTo("a 1");
			assertThatExceptionOfType(ResultUnavailableException.class)
				.isThrownBy(() -> reports.replayed(this.key, "a"));
			List<Report> results = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				results.add(reports.replayed(this.key + "2", "a"));
			}
			assertThat(results).extracting(Report::text).containsExactly("a 1", "a 2", "a 2", "a 2");
			assertThat(asked).hasSize(3).first().asString().startsWith("replayed: Report[");
		});
	}

	private void awaitContended(ApplicationContext context, int count) {
		LockCounts counts = context.getBean(LockCounts.class);
		Awaitility.await().until(() -> counts.get("reports", Event.CONTENDED) == count);
	}

	private static CompletableFuture<Object> start(java.util.concurrent.Callable<Object> call) {
		CompletableFuture<Object> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(call.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		return result;
	}

	enum Way {

		VALUE((reports) -> reports::report), NOTHING((reports) -> reports::nothing),
		OPTIONAL((reports) -> reports::optional), FUTURE((reports) -> (key) -> reports.future(key).join()),
		MONO((reports) -> (key) -> reports.mono(key).block()),
		FLUX((reports) -> (key) -> reports.flux(key).collectList().block());

		private final Function<Reports, Function<String, Object>> call;

		Way(Function<Reports, Function<String, Object>> call) {
			this.call = call;
		}

	}

	@ExclusiveRequest(name = "reports", key = "#key", waitTime = "30s", onConflict = OnConflict.SHARE)
	static class Reports {

		private final Runs runs;

		Reports(Runs runs) {
			this.runs = runs;
		}

		Report report(String key) {
			return new Report(this.runs.next(key).run(), List.of(1));
		}

		Void nothing(String key) {
			report(key);
			return null;
		}

		Optional<Report> optional(String key) {
			return Optional.of(report(key));
		}

		CompletableFuture<String> future(String key) {
			Runs.Run run = this.runs.next(key);
			return run.job().begin().thenApply((done) -> done + " " + run.number());
		}

		Mono<Report> mono(String key) {
			return Mono.defer(() -> {
				Runs.Run run = this.runs.next(key);
				return Mono.fromFuture(run.job().begin(), true).map((done) -> new Report(done, List.of(run.number())));
			});
		}

		Flux<Report> flux(String key) {
			return Flux.concat(Mono.just(new Report("first", List.of())), mono(key));
		}

		@ExclusiveRequest(name = "replayed", key = "#key", replay = "1h")
		Report replayed(String key, String text) {
			return new Report(text + " " + this.runs.next(key).number(), List.of());
		}

		@ExclusiveRequest(name = "broken", key = "#key", replay = "1h")
		Broken broken(String key) {
			return new Broken("broken");
		}

	}

	record Report(String text, List<Integer> numbers) {
	}

	static class Broken {

		private String text;

		Broken() {
		}

		Broken(String text) {
			this.text = text;
		}

		public String getText() {
			throw new UnsupportedOperationException(this.text);
		}

		public void setText(String text) {
			this.text = text;
		}

	}

}
