package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.benchmarks.candidate.DatabaseAddress;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.PostgreSqlServer;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Slice;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStoreSettings;

/**
 * The cost of a lock, and of a replay, for a method that inserts a row in a transaction.
 *
 * @param run the run that it is part of
 * @param server the server with the locks and the rows
 */
record TransactionalReplay(Run run, PostgreSqlServer server) {

	private static final String PLAIN = "without a lock";

	private static final List<String> ROWS = List.of(PLAIN, "with a lock", "with a lock and a replay", "replayed");

	/** Measures, and adds a table to the report. */
	void measure() throws Exception {
		this.run.report().section("PostgreSQL, replay in the transaction", """
				One thread calls a method that inserts a row in a transaction, with another key each time. The lock
				and its result are in the database of the row: the transaction checks the lease, and stores the
				result. "Replayed" is a later call with the same key, which does not run the method. The figures are
				ratios to the method without a lock in the same round. A call uses one connection of the application
				for its transaction, as it does without a lock. The store uses at most one connection of its own for
				a call, while a statement of the lock runs before or after the method. A lock adds two commits: one
				for its acquisition and one for its release.""");
		try (ConfigurableApplicationContext application = startApplication()) {
			Payments payments = application.getBean(Payments.class);
			application.getBean(JdbcClient.class).sql("CREATE TABLE payments (id VARCHAR(50))").update();
			String replayed = UUID.randomUUID().toString();
			payments.replay(replayed);
			Map<String, Load.Work> calls = Map.of(PLAIN, () -> payments.insert(newKey()), "with a lock",
					() -> payments.lock(newKey()), "with a lock and a replay", () -> payments.replay(newKey()),
					"replayed", () -> payments.replay(replayed));
			Effort effort = this.run.effort(25, 20, Duration.ofMillis(200));
			Rounds<String, Slice> rounds = Rounds.run("replay in the transaction", effort, calls.keySet(),
					(call) -> Load.run(1, effort.slice(), (thread) -> work(calls, call)));
			report(rounds, statements(calls));
		}
	}

	private static String newKey() {
		return UUID.randomUUID().toString();
	}

	private static Load.Work work(Map<String, Load.Work> calls, String call) {
		return Objects.requireNonNull(calls.get(call));
	}

	private Map<String, Double> statements(Map<String, Load.Work> calls) throws Exception {
		Map<String, Double> statements = new HashMap<>();
		for (String call : calls.keySet()) {
			LongAdder count = new LongAdder();
			long sent = this.server.count(() -> Load.run(1, Duration.ofMillis(100), (thread) -> () -> {
				work(calls, call).once();
				count.increment();
			}));
			statements.put(call, sent / count.doubleValue());
		}
		return statements;
	}

	private void report(Rounds<String, Slice> rounds, Map<String, Double> statements) {
		Table table = new Table("", "p50 ↓", "p99 ↓", "processor time ↓", "statements ↓");
		Rounds<String, Slice> together = rounds.together(5, Slice::plus);
		for (String call : ROWS) {
			table.row(call, rounds.ratio(call, PLAIN, (slice) -> slice.percentile(50)),
					rounds.ratio(call, PLAIN, (slice) -> slice.percentile(99)),
					together.ratio(call, PLAIN, Slice::processorTime),
					Spread.text(Objects.requireNonNull(statements.get(call))));
		}
		Spread plain = rounds.of(PLAIN, (slice) -> slice.percentile(50) / 1000);
		this.run.report()
			.table("**1 thread.** The p50 without a lock was %s µs.".formatted(Spread.text(plain.median())), table);
	}

	private ConfigurableApplicationContext startApplication() {
		DatabaseAddress address = this.server.address();
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties("lock.store=jdbc")
			.initializers((context) -> context.getBeanFactory().registerSingleton("address", address))
			.run();
	}

	/**
	 * An application with the locks in its own database. Without Spring Boot's support of
	 * JDBC, the store is a bean of its own.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

		@Bean
		HikariDataSource dataSource(DatabaseAddress address) {
			return new HikariDataSource(address.settings());
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcClient jdbcClient(DataSource dataSource) {
			return JdbcClient.create(dataSource);
		}

		@Bean
		LockStore lockStore(DatabaseAddress address, DataSource dataSource) {
			return new JdbcLockStore(JdbcLockStoreSettings.of(address.settings())
				.withCreateTables(true)
				.withCommandTimeout(Duration.ofSeconds(30))
				.withApplicationDataSource(dataSource));
		}

		@Bean
		Payments payments(JdbcClient jdbc) {
			return new Payments(jdbc);
		}

	}

	/** Inserts rows. */
	static class Payments {

		private final JdbcClient jdbc;

		Payments(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		public String insert(String id) {
			this.jdbc.sql("INSERT INTO payments VALUES (?)").param(id).update();
			return id;
		}

		@ExclusiveRequest(name = "payments", key = "#id")
		@Transactional
		public String lock(String id) {
			return insert(id);
		}

		@ExclusiveRequest(name = "payments", key = "#id", replay = "1h")
		@Transactional
		public String replay(String id) {
			return insert(id);
		}

	}

}
