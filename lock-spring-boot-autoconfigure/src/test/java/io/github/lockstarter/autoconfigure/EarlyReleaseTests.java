package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.RootClassFilter;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Warnings about locks that are released before the transaction in which they were
 * acquired is committed.
 */
@ExtendWith(OutputCaptureExtension.class)
class EarlyReleaseTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withUserConfiguration(Application.class);

	@ParameterizedTest
	@EnumSource
	@DisplayName("A lock that is acquired in a transaction and released before its commit logs one warning per name, however it is acquired")
	void warns(Way way, CapturedOutput output) {
		run((locks, transactions, service) -> {
			for (int i = 0; i < 2; i++) {
				transactions.executeWithoutResult((status) -> way.acquire(locks, "account:1").forEach(Lease::close));
			}
			assertThat(warnings(output)).singleElement()
				.asString()
				.contains("Lock 'account' was acquired in a transaction and released before its commit",
						"Acquire the lock before the transaction begins");
			transactions.executeWithoutResult((status) -> way.acquire(locks, "order:1").forEach(Lease::close));
			assertThat(warnings(output)).hasSize(2);
		});
	}

	@Test
	@DisplayName("So does an annotated method that is called in an outer transaction, but not one whose own transaction is within the lock")
	void annotated(CapturedOutput output) {
		run((locks, transactions, service) -> {
			service.transactional();
			service.plain();
			assertThat(warnings(output)).isEmpty();
			transactions.executeWithoutResult((status) -> service.transactional());
			assertThat(warnings(output)).singleElement().asString().contains("'transactional'");
		});
	}

	@Test
	@DisplayName("A release in a callback before the commit is too early; one after it is not")
	void callbacks(CapturedOutput output) {
		run((locks, transactions, service) -> {
			transactions.executeWithoutResult((status) -> release(locks.acquire("after:1"), false, true));
			transactions.executeWithoutResult((status) -> release(locks.acquire("completed:1"), false, false));
			assertThat(warnings(output)).isEmpty();
			transactions.executeWithoutResult((status) -> release(locks.acquire("before:1"), true, false));
			assertThat(warnings(output)).singleElement().asString().contains("'before'");
		});
	}

	@Test
	@DisplayName("A lock around a transaction, one of an inner transaction that is released after its commit, and one that stays held log nothing")
	void rightOrder(CapturedOutput output) {
		run((locks, transactions, service) -> {
			try (Lease lease = locks.acquire("outside:1")) {
				transactions.executeWithoutResult((status) -> assertThat(lease.isHeld()).isTrue());
			}
			TransactionTemplate inner = requiresNew(transactions);
			transactions.executeWithoutResult((status) -> inner.execute((ofInner) -> locks.acquire("inner:1")).close());
			transactions.execute((status) -> locks.acquire("held:1")).close();
			assertThat(warnings(output)).isEmpty();
		});
	}

	@Test
	@DisplayName("A lock whose work has a new transaction of its own, which is committed before the release, logs nothing in an outer transaction")
	void newTransaction(CapturedOutput output) {
		run((locks, transactions, service) -> {
			transactions.executeWithoutResult((status) -> service.newTransaction());
			assertThat(warnings(output)).isEmpty();
			transactions.executeWithoutResult((status) -> {
				service.newTransaction();
				locks.acquire("later:1").close();
			});
			assertThat(warnings(output)).singleElement().asString().contains("'later'");
		});
	}

	@Test
	@DisplayName("A release inside of the new transaction is before its commit, and too early")
	void insideOfNewTransaction(CapturedOutput output) {
		run((locks, transactions, service) -> {
			TransactionTemplate inner = requiresNew(transactions);
			transactions.executeWithoutResult((status) -> {
				Lease lease = locks.acquire("inside:1");
				inner.executeWithoutResult((ofInner) -> lease.close());
			});
			assertThat(warnings(output)).singleElement().asString().contains("'inside'");
		});
	}

	@Test
	@DisplayName("A registry that advice of the application surrounds warns, too")
	void advised(CapturedOutput output) {
		this.runner.withUserConfiguration(Advice.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				LockRegistry locks = context.getBean(LockRegistry.class);
				assertThat(AopUtils.isAopProxy(locks)).isTrue();
				new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
					.executeWithoutResult((status) -> locks.acquire("advised:1").close());
				assertThat(warnings(output)).singleElement().asString().contains("'advised'");
			});
	}

	@Test
	@DisplayName("A transaction that is read-only or rolled back, and a lock that is not granted, log nothing")
	void nothingCommitted(CapturedOutput output) {
		run((locks, transactions, service) -> {
			TransactionTemplate reading = new TransactionTemplate(transactions.getTransactionManager());
			reading.setReadOnly(true);
			reading.executeWithoutResult((status) -> locks.acquire("read:1").close());
			transactions.executeWithoutResult((status) -> {
				locks.acquire("rolled-back:1").close();
				status.setRollbackOnly();
			});
			assertThatIllegalStateException().isThrownBy(() -> transactions.executeWithoutResult((status) -> {
				locks.acquire("not-committed:1").close();
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						throw new IllegalStateException("failed as asked");
					}

				});
			}));
			try (Lease held = locks.acquire("rejected:1")) {
				transactions.executeWithoutResult((status) -> assertThat(locks.tryAcquire("rejected:1", Duration.ZERO))
					.as("besides %s", held.key())
					.isEmpty());
			}
			assertThat(warnings(output)).isEmpty();
		});
	}

	@Test
	@DisplayName("A lock that is released because another one is held logs nothing")
	void notUsed(CapturedOutput output) {
		run((locks, transactions, service) -> {
			LockKey free = LockKey.of("a:1");
			Executor here = Runnable::run;
			try (Lease held = locks.acquire("b:1")) {
				transactions.executeWithoutResult((status) -> {
					List<LockKey> both = List.of(free, held.key());
					LockOptions options = locks.options("b");
					assertThatExceptionOfType(LockConflictException.class)
						.isThrownBy(() -> locks.acquireAll(both, options));
					assertThat(locks.acquireAllAsync(both, options, here)).failsWithin(Duration.ofMinutes(1));
					assertThat(locks.acquireAllAsync(both, options.withWaitTime(Duration.ofMillis(1)), here))
						.failsWithin(Duration.ofMinutes(1));
					assertThatExceptionOfType(LockConflictException.class).isThrownBy(service::both);
				});
				assertThat(locks.tryAcquire(free, locks.options("a"))).hasValueSatisfying(Lease::close);
			}
			assertThat(warnings(output)).isEmpty();
		});
	}

	@Test
	@DisplayName("So does a lock that is lost")
	void lost(CapturedOutput output) {
		this.runner.run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			TransactionTemplate transactions = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			transactions.executeWithoutResult((status) -> {
				Lease lost = locks.acquire("lost:1");
				assertThat(context.getBean(LockInspector.class).forceRelease(lost.key(), lost.fencingToken()))
					.succeedsWithin(Duration.ofMinutes(1));
				assertThat(lost.isHeld()).isFalse();
				lost.close();
			});
			assertThat(warnings(output)).isEmpty();
		});
	}

	@Test
	@DisplayName("A transaction has one synchronization for all attempts, and leaves nothing on its thread")
	void oneForAll() {
		run((locks, transactions, service) -> {
			Map<Object, Object> before = TransactionSynchronizationManager.getResourceMap();
			TransactionTemplate inner = requiresNew(transactions);
			try (Lease held = locks.acquire("held:1")) {
				transactions.executeWithoutResult((status) -> {
					for (int i = 0; i < 10; i++) {
						assertThat(locks.tryAcquireAsync("held:1", Duration.ZERO).toCompletableFuture().join())
							.isEmpty();
						locks.acquire("free:" + i).close();
						inner.executeWithoutResult((ofInner) -> locks.acquire("inner:1").close());
					}
					assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(1);
					registerAfterCommit(() -> locks.acquire("after:1").close());
					assertThat(held.isHeld()).isTrue();
				});
			}
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEqualTo(before);
		});
	}

	private static TransactionTemplate requiresNew(TransactionTemplate outer) {
		TransactionTemplate inner = new TransactionTemplate(outer.getTransactionManager());
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		return inner;
	}

	private static void registerAfterCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				action.run();
			}

		});
	}

	private static void release(Lease lease, boolean before, boolean afterCommit) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				if (before) {
					lease.close();
				}
			}

			@Override
			public void afterCommit() {
				if (afterCommit) {
					lease.close();
				}
			}

			@Override
			public void afterCompletion(int status) {
				lease.close();
			}

		});
	}

	private void run(Scenario scenario) {
		this.runner.run((context) -> scenario.run(context.getBean(LockRegistry.class),
				new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
				context.getBean(Service.class)));
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("before its commit")).toList();
	}

	private interface Scenario {

		void run(LockRegistry locks, TransactionTemplate transactions, Service service);

	}

	/** The ways to acquire a lock. */
	enum Way {

		ACQUIRE {

			@Override
			List<Lease> acquire(LockRegistry locks, String lock) {
				return List.of(locks.acquire(lock));
			}

		},

		TRY {

			@Override
			List<Lease> acquire(LockRegistry locks, String lock) {
				return locks.tryAcquire(lock, Duration.ZERO).stream().toList();
			}

		},

		ALL {

			@Override
			List<Lease> acquire(LockRegistry locks, String lock) {
				LockKey key = LockKey.of(lock);
				return locks.acquireAll(List.of(key), locks.options(key.name()));
			}

		},

		ASYNC {

			@Override
			List<Lease> acquire(LockRegistry locks, String lock) {
				return List.of(locks.acquireAsync(lock).toCompletableFuture().join());
			}

		},

		TRY_ASYNC {

			@Override
			List<Lease> acquire(LockRegistry locks, String lock) {
				return locks.tryAcquireAsync(lock, Duration.ZERO).toCompletableFuture().join().stream().toList();
			}

		},

		ALL_ASYNC {

			@Override
			List<Lease> acquire(LockRegistry locks, String lock) {
				LockKey key = LockKey.of(lock);
				Executor here = Runnable::run;
				return locks.acquireAllAsync(List.of(key), locks.options(key.name()), here)
					.toCompletableFuture()
					.join();
			}

		};

		abstract List<Lease> acquire(LockRegistry locks, String lock);

	}

	@EnableTransactionManagement
	@Import(Service.class)
	static class Application {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new NoTransactions();
		}

	}

	static class Advice {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor advisor() {
			return new DefaultPointcutAdvisor(new ComposablePointcut(new RootClassFilter(LockRegistry.class)),
					(MethodInterceptor) MethodInvocation::proceed);
		}

	}

	static class Service {

		@ExclusiveRequest(name = "new-transaction")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void newTransaction() {
		}

		@ExclusiveRequest(name = "transactional")
		@Transactional
		public void transactional() {
		}

		@ExclusiveRequest(name = "plain")
		public void plain() {
		}

		@ExclusiveRequest(name = "a", key = "'1'")
		@ExclusiveRequest(name = "b", key = "'1'")
		public void both() {
		}

	}

	/** Transactions of nothing. */
	static class NoTransactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return TransactionSynchronizationManager.isActualTransactionActive();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected Object doSuspend(Object transaction) {
			return transaction;
		}

		@Override
		protected void doResume(Object transaction, Object suspendedResources) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

		@Override
		protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		}

	}

}
