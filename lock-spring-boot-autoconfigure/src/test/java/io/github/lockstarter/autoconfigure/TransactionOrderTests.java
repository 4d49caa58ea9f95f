package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.interceptor.ExclusiveRequestAdvisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class TransactionOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withBean(Service.class);

	@Test
	@DisplayName("The lock is acquired before the transaction begins, and released after the commit")
	void lockIsOutside() {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			service.register(false);
			assertThat(service.heldWhen()).containsExactly("running: true", "committed: true");
			assertThat(service.isHeld()).isFalse();
			assertThat(context.getBean(ExclusiveRequestAdvisor.class).getOrder())
				.isLessThan(context.getBean(BeanFactoryTransactionAttributeSourceAdvisor.class).getOrder());
		});
	}

	@Test
	@DisplayName("The lock is released after a rollback")
	void lockIsOutsideOfRollback() {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			assertThatIllegalStateException().isThrownBy(() -> service.register(true));
			assertThat(service.heldWhen()).containsExactly("running: true", "rolled back: true");
			assertThat(service.isHeld()).isFalse();
		});
	}

	static class Service {

		private static final LockKey KEY = new LockKey("transactional", "");

		private final List<String> heldWhen = new ArrayList<>();

		private final LockRegistry locks;

		Service(LockRegistry locks) {
			this.locks = locks;
		}

		@Transactional
		@ExclusiveRequest(name = "transactional")
		public void register(boolean fail) {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			this.heldWhen.add("running: " + isHeld());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					String end = (status == STATUS_COMMITTED) ? "committed" : "rolled back";
					Service.this.heldWhen.add(end + ": " + isHeld());
				}

			});
			if (fail) {
				throw new IllegalStateException();
			}
		}

		List<String> heldWhen() {
			return this.heldWhen;
		}

		boolean isHeld() {
			AtomicBoolean held = new AtomicBoolean(true);
			this.locks.tryAcquire(KEY, LockOptions.of(Duration.ofSeconds(1))).ifPresent((lease) -> {
				held.set(false);
				lease.close();
			});
			return held.get();
		}

	}

}
