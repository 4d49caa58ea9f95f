package io.github.lockstarter.autoconfigure;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results of a transaction that may be or was rolled back are not shared.
 */
class SharingTransactionsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory", "spring.datasource.generate-unique-name=true")
		.withBean(Orders.class);

	@Test
	@DisplayName("A result is stored after its transaction has committed")
	void committed() {
		run((orders) -> {
			assertThat(orders.place("key")).isOne();
			assertThat(orders.place("key")).isOne();
		});
	}

	@Test
	@DisplayName("A result whose transaction was rolled back without an exception is not stored")
	void rolledBack() {
		run((orders) -> {
			orders.rollBack(true);
			assertThat(orders.place("key")).isOne();
			assertThat(orders.place("key")).isEqualTo(2);
			orders.rollBack(false);
			assertThat(orders.place("key")).isEqualTo(3);
			assertThat(orders.place("key")).isEqualTo(3);
		});
	}

	@Test
	@DisplayName("A result is not stored while its transaction is open and may be rolled back")
	void withinAnother() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			outer.executeWithoutResult((status) -> {
				assertThat(orders.place("key")).isOne();
				status.setRollbackOnly();
			});
			assertThat(orders.place("key")).isEqualTo(2);
			assertThat(orders.place("key")).isEqualTo(2);
		});
	}

	@Test
	@DisplayName("A rolled-back inner transaction within a committed one does not prevent storing")
	void inner() {
		run((orders) -> {
			assertThat(orders.placeWithFailingPart("inner")).isOne();
			assertThat(orders.placeWithFailingPart("inner")).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@DisplayName("What one transaction has committed is not done again, although a later one, read-only or not, was rolled back")
	void laterRollback(boolean readOnly) {
		run((orders) -> {
			assertThat(orders.placeThenLookUp("later", readOnly, true)).isOne();
			assertThat(orders.placeThenLookUp("later", readOnly, true)).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@DisplayName("A look-up that is committed does not keep the result of changes that were rolled back")
	void rolledBackBeforeLookUp(boolean fails) {
		run((orders) -> {
			orders.rollBack(true);
			assertThat(orders.placeThenLookUp("none", true, fails)).isOne();
			assertThat(orders.placeThenLookUp("none", true, fails)).isEqualTo(2);
		});
	}

	private void run(Consumer<Orders> test) {
		this.runner.run((context) -> test.accept(context.getBean(Orders.class)));
	}

	static class Orders {

		private final AtomicInteger runs = new AtomicInteger();

		private final TransactionTemplate part;

		private boolean rollback;

		Orders(PlatformTransactionManager transactions) {
			this.part = new TransactionTemplate(transactions);
			this.part.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		}

		public void rollBack(boolean rollback) {
			this.rollback = rollback;
		}

		@Transactional
		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		public int place(String key) {
			if (this.rollback) {
				TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			}
			return this.runs.incrementAndGet();
		}

		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		public int placeThenLookUp(String key, boolean readOnly, boolean fails) {
			this.part.executeWithoutResult((status) -> {
				if (this.rollback) {
					status.setRollbackOnly();
				}
			});
			TransactionTemplate lookUp = new TransactionTemplate(this.part.getTransactionManager());
			lookUp.setReadOnly(readOnly);
			lookUp.executeWithoutResult((status) -> {
				if (fails) {
					status.setRollbackOnly();
				}
			});
			return this.runs.incrementAndGet();
		}

		@Transactional
		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		public int placeWithFailingPart(String key) {
			this.part.executeWithoutResult((status) -> status.setRollbackOnly());
			return this.runs.incrementAndGet();
		}

	}

}
