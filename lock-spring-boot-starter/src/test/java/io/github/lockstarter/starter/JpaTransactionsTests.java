package io.github.lockstarter.starter;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * JPA transactions on the database that contains the locks.
 */
class JpaTransactionsTests {

	@Test
	@DisplayName("If a lease was lost in the database, Hibernate's unflushed changes cannot commit")
	void lostLease() {
		try (ConfigurableApplicationContext context = start()) {
			Visits visits = context.getBean(Visits.class);
			JdbcClient jdbc = context.getBean(JdbcClient.class);
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> visits.add("a",
					() -> CompletableFuture.runAsync(() -> jdbc.sql("UPDATE locks SET expires_at = 0").update())
						.join()));
			assertThat(visits.count()).isZero();
			visits.add("a", () -> {
			});
			assertThat(visits.count()).isOne();
		}
	}

	@Test
	@DisplayName("A result to replay is committed with Hibernate's changes")
	void replay() {
		try (ConfigurableApplicationContext context = start()) {
			Visits visits = context.getBean(Visits.class);
			JdbcClient jdbc = context.getBean(JdbcClient.class);
			AtomicInteger results = new AtomicInteger();
			context.getBean(JpaTransactionManager.class).addListener(new TransactionExecutionListener() {

				@Override
				public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
					results.set(jdbc.sql("SELECT count(*) FROM locks_results").query(Integer.class).single());
				}

			});
			String first = visits.addOnce("a");
			assertThat(results).hasValue(1);
			assertThat(visits.addOnce("a")).isEqualTo(first);
			assertThat(visits.count()).isOne();
		}
	}

	private static ConfigurableApplicationContext start() {
		return SpringApplication.run(Application.class, "--server.port=0", "--server.address=127.0.0.1",
				"--lock.store=jdbc", "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
				"--spring.jpa.hibernate.ddl-auto=create", "--spring.jmx.enabled=false");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Visits.class)
	static class Application {

	}

	static class Visits {

		private final VisitRepository repository;

		Visits(VisitRepository repository) {
			this.repository = repository;
		}

		@ExclusiveRequest(name = "visits", key = "#key", ttl = "1m")
		@Transactional
		public void add(String key, Runnable beforeTheEnd) {
			addOnce(key);
			beforeTheEnd.run();
		}

		@ExclusiveRequest(name = "visits", key = "#key", ttl = "1m", replay = "1h")
		@Transactional
		public String addOnce(String key) {
			Visit visit = new Visit();
			visit.id = this.repository.count() + 1;
			this.repository.save(visit);
			return key + " " + UUID.randomUUID();
		}

		long count() {
			return this.repository.count();
		}

	}

}
