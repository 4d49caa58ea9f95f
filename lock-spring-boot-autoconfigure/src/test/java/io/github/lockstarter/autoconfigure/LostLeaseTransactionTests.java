package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LostLeaseTransactionTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory", "lock.names.short.renew=false", "lock.names.short.ttl=50ms",
				"spring.datasource.generate-unique-name=true")
		.withBean(Losses.class)
		.withBean(Orders.class);

	@Test
	@DisplayName("A transaction whose lease was lost before the commit is rolled back, and the loss is reported as exception and event")
	void rollsBack() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> orders.insertAndLose(null))
				.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isEqualTo(409));
			assertThat(orders.count()).isZero();
			List<LeaseLostEvent> losses = context.getBean(Losses.class).events;
			Awaitility.await().until(() -> losses.size() == 1);
			assertThat(losses.get(0).key().name()).isEqualTo("short");
		});
	}

	@Test
	@DisplayName("A transaction whose lease is held commits")
	void commits() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			orders.insert();
			assertThat(orders.count()).isOne();
		});
	}

	@Test
	@DisplayName("A lost lease does not hide the exception of the method")
	void masksNothing() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThatIllegalStateException().isThrownBy(() -> orders.loseAndFail(null)).withMessage("own");
			assertThat(orders.count()).isZero();
		});
	}

	@Test
	@DisplayName("A programmatic transaction inside the lock is checked with the application's own transaction manager")
	void programmatic() {
		this.runner.withUserConfiguration(OwnTransactions.class).run((context) -> {
			assertThat(context).hasSingleBean(PlatformTransactionManager.class).hasBean("own");
			Orders orders = context.getBean(Orders.class).withTable();
			TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			assertThatExceptionOfType(LeaseLostException.class)
				.isThrownBy(() -> orders.insertInTemplate(template, null));
			assertThat(orders.count()).isZero();
		});
	}

	@Test
	@DisplayName("After a loss, the next transaction on the thread is unaffected")
	void leavesNothingBehind() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> orders.insertAndLose(null));
			orders.insertUnguarded();
			assertThat(orders.count()).isOne();
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTransactions {

		@Bean
		PlatformTransactionManager own(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	static class Losses {

		private final List<LeaseLostEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void lost(LeaseLostEvent event) {
			this.events.add(event);
		}

	}

	static class Orders {

		private final JdbcClient jdbc;

		Orders(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@ExclusiveRequest(name = "short")
		@Transactional
		public void insertAndLose(Lease lease) {
			insertUnguarded();
			Awaitility.await().until(() -> !lease.isHeld());
		}

		@ExclusiveRequest(name = "short")
		@Transactional
		public void loseAndFail(Lease lease) {
			insertAndLose(lease);
			throw new IllegalStateException("own");
		}

		@ExclusiveRequest(name = "long")
		@Transactional
		public void insert() {
			insertUnguarded();
		}

		@ExclusiveRequest(name = "short")
		public void insertInTemplate(TransactionTemplate template, Lease lease) {
			template.executeWithoutResult((status) -> insertAndLose(lease));
		}

		@Transactional
		public void insertUnguarded() {
			this.jdbc.sql("insert into orders values (1)").update();
		}

		Orders withTable() {
			this.jdbc.sql("create table orders (id int)").update();
			return this;
		}

		int count() {
			return this.jdbc.sql("select count(*) from orders").query(Integer.class).single();
		}

	}

}
