package io.github.lockstarter.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockstarter.LockException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.testing.TestDatabase;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that is paused for longer than its lease, either before its transaction's
 * check of the lease, or between the check and the commit. Each run adds the successor of
 * the largest number. A duplicate number was therefore added by a transaction that did
 * not see another one.
 * <p>
 * {@code -Dstale-commits.runs=200} makes that number of runs instead of the few of each
 * build.
 */
@Tag("database")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class StaleCommitTests {

	private static final int RUNS = Integer.getInteger("stale-commits.runs", 2);

	private static final Duration TTL = Duration.ofSeconds(2);

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("With locks in the data's database, no transaction commits after its lease was lost, wherever its process was paused")
	void sameDatabase(TestDatabase database) {
		assertThat(numbersAddedTwice("lock.store=jdbc", "lock.jdbc.initialize-schema=always",
				"lock.jdbc.table=stale_locks", "spring.datasource.url=" + database.url()))
			.isZero();
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("With locks in Redis, a transaction commits if it was paused between the check and the commit")
	void redisBesideIt(TestDatabase database) {
		assertThat(numbersAddedTwice(
				Stream.concat(Stream.of(TestRedis.properties()), Stream.of("spring.datasource.url=" + database.url()))
					.toArray(String[]::new)))
			.isEqualTo(RUNS / 2);
	}

	private static int numbersAddedTwice(String... properties) {
		try (ConfigurableApplicationContext rival = Application.start(properties);
				TestJvm holder = TestJvm.start(Application.class, (Object[]) properties)) {
			Numbers numbers = rival.getBean(Numbers.class).withTable();
			holder.await("ready");
			for (int i = 0; i < RUNS; i++) {
				holder.tell((i % 2 == 0) ? "stop before the check" : "stop before the commit");
				holder.await("stopped %d;".formatted(i));
				holder.freeze();
				long paused = System.nanoTime();
				Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> numbers.isAdded(() -> {
				}) || System.nanoTime() - paused > TTL.plusSeconds(1).toNanos());
				holder.thaw();
				holder.tell("go on");
				holder.await("ended %d;".formatted(i));
			}
			return numbers.addedTwice();
		}
	}

	/** An application that adds a number on each command. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class, JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class,
			LockAutoConfiguration.class })
	@Import({ Numbers.class, Adding.class })
	static class Application {

		/** Whether transactions pause before or after the check. */
		private static boolean beforeCheck;

		private static int run;

		/**
		 * Whether the transaction has paused. If it has not, because the run was rejected
		 * or lost its lease too early, the run is repeated.
		 */
		private static boolean hasStopped;

		private static final BufferedReader input = new BufferedReader(
				new InputStreamReader(System.in, StandardCharsets.UTF_8));

		public static void main(String... properties) throws IOException {
			try (ConfigurableApplicationContext context = start(properties)) {
				// This listener runs after the one that makes the check.
				context.getBean(JdbcTransactionManager.class).addListener(new TransactionExecutionListener() {

					@Override
					public void beforeCommit(TransactionExecution transaction) {
						stopIf(!beforeCheck);
					}

				});
				Numbers numbers = context.getBean(Numbers.class);
				System.out.println("ready");
				for (String line = input.readLine(); line != null; line = input.readLine()) {
					beforeCheck = line.equals("stop before the check");
					do {
						numbers.isAdded(() -> stopIf(beforeCheck));
					}
					while (!hasStopped);
					hasStopped = false;
					System.out.println("ended %d;".formatted(run++));
				}
			}
		}

		private static void stopIf(boolean stop) {
			if (stop) {
				hasStopped = true;
				System.out.println("stopped %d;".formatted(run));
				try {
					input.readLine();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}
		}

		static ConfigurableApplicationContext start(String... properties) {
			return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.properties("lock.names.numbers.ttl=" + TTL.toMillis() + "ms")
				.properties(properties)
				.run();
		}

	}

	static class Numbers {

		private final JdbcClient jdbc;

		private final Adding adding;

		Numbers(JdbcClient jdbc, Adding adding) {
			this.jdbc = jdbc;
			this.adding = adding;
		}

		Numbers withTable() {
			this.jdbc.sql("DROP TABLE IF EXISTS numbers").update();
			this.jdbc.sql("CREATE TABLE numbers (n INT)").update();
			return this;
		}

		/** Adds a number, and returns whether its transaction was committed. */
		boolean isAdded(Runnable beforeTheEnd) {
			try {
				this.adding.add(beforeTheEnd);
				return true;
			}
			catch (LockException ex) {
				return false;
			}
		}

		int addedTwice() {
			return this.jdbc.sql("SELECT count(*) - count(DISTINCT n) FROM numbers").query(Integer.class).single();
		}

	}

	static class Adding {

		private final JdbcClient jdbc;

		Adding(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@ExclusiveRequest(name = "numbers", key = "'one'")
		@Transactional
		public void add(Runnable beforeTheEnd) {
			int last = this.jdbc.sql("SELECT coalesce(max(n), 0) FROM numbers").query(Integer.class).single();
			this.jdbc.sql("INSERT INTO numbers VALUES (?)").param(last + 1).update();
			beforeTheEnd.run();
		}

	}

}
