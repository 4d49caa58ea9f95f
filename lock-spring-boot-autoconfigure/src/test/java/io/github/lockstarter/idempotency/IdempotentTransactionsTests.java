package io.github.lockstarter.idempotency;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.IdempotentWork;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.testing.LocalPostgreSql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Idempotent work in transactions on the database that contains the locks.
 */
@ParameterizedClass
@ValueSource(strings = { "h2", "postgresql" })
class IdempotentTransactionsTests {

	private static final IllegalStateException BREAK = new IllegalStateException("broken off as asked");

	@Parameter
	String database;

	private void run(Consumer<Payments> test) {
		runner().run((context) -> test.accept(context.getBean(Payments.class)));
	}

	private ApplicationContextRunner runner() {
		String url = this.database.equals("h2") ? "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID())
				: LocalPostgreSql.shared().url();
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("lock.store=jdbc", "lock.jdbc.initialize-schema=always", "lock.jdbc.table=work_locks",
					"lock.jdbc.command-timeout=30s", "spring.datasource.url=" + url)
			.withBean(Payments.class);
	}

	@Test
	@DisplayName("The work and its result are committed together, and a repetition gets the result")
	void once() {
		run((payments) -> {
			String receipt = payments.pay(() -> {
			});
			assertThat(payments.pay(() -> {
			})).isEqualTo(receipt);
			assertThat(payments.made()).isOne();
			assertThatExceptionOfType(PayloadMismatchException.class)
				.isThrownBy(() -> payments.work().comparing("other").call(() -> "other"));
		});
	}

	@Test
	@DisplayName("Work that breaks off right after its commit has left its result")
	void brokenOff() {
		run((payments) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> payments.pay(() -> onEnd(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						throw BREAK;
					}

				})))
				.isSameAs(BREAK);
			assertThat(payments.made()).isOne();
			assertThat(payments.receipt()).isEqualTo(payments.pay(() -> {
			}));
			assertThat(payments.made()).isOne();
		});
	}

	@Test
	@DisplayName("Without in, work that breaks off right after its commit runs again")
	void withoutIn() {
		run((payments) -> {
			assertThatIllegalStateException().isThrownBy(() -> payments.workWithoutTransaction()
				.call(() -> payments.transactions
					.execute((status) -> payments.insert(() -> onEnd(new TransactionSynchronization() {

						@Override
						public void afterCommit() {
							throw BREAK;
						}

					})))))
				.isSameAs(BREAK);
			payments.pay(() -> {
			});
			assertThat(payments.made()).isEqualTo(2);
		});
	}

	@Test
	@DisplayName("A commit that fails leaves neither the work nor a result")
	void failedCommit() {
		run((payments) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> payments.pay(() -> onEnd(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						throw BREAK;
					}

				})))
				.isSameAs(BREAK);
			assertThat(payments.made()).isZero();
			payments.pay(() -> {
			});
			assertThat(payments.made()).isOne();
		});
	}

	private static void onEnd(TransactionSynchronization synchronization) {
		TransactionSynchronizationManager.registerSynchronization(synchronization);
	}

	@Test
	@DisplayName("A checked exception rolls back, and reaches the caller as it is")
	void checkedException() {
		run((payments) -> {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.work().call(() -> {
				payments.insert(() -> {
				});
				throw new IOException("as asked");
			})).withMessage("as asked");
			assertThat(payments.made()).isZero();
			payments.pay(() -> {
			});
			assertThat(payments.made()).isOne();
		});
	}

	@Test
	@DisplayName("If the lock was lost before the commit, the work is rolled back")
	void lostLease() {
		run((payments) -> {
			LockOptions shortest = LockOptions.of(Duration.ofMillis(500)).withoutRenewal();
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> payments.work()
				.withOptions(shortest)
				.call(() -> payments.insert(() -> Awaitility.await()
					.until(() -> payments.locks.tryAcquire(payments.lock, Duration.ZERO).isPresent()))));
			assertThat(payments.made()).isZero();
		});
	}

	@Test
	@DisplayName("In a transaction that may yet be rolled back, nothing is kept, and that is counted")
	void joinedTransaction() {
		run((payments) -> {
			payments.transactions.executeWithoutResult((status) -> {
				payments.pay(() -> {
				});
				status.setRollbackOnly();
			});
			assertThat(payments.made()).isZero();
			assertThat(payments.counts.get("payments", Event.NOT_KEPT)).isOne();
			payments.pay(() -> {
			});
			assertThat(payments.made()).isOne();
		});
	}

	@Test
	@DisplayName("In the transaction of its caller, a stage keeps no result, on whichever thread it completes")
	void joinedTransactionAsync() {
		run((payments) -> payments.transactions.executeWithoutResult((status) -> {
			IdempotentWork<String> work = payments.workWithoutTransaction();
			assertThat(work.callAsync(() -> CompletableFuture.completedStage("one")).toCompletableFuture().join())
				.isEqualTo("one");
			assertThat(payments.counts.get("payments", Event.NOT_KEPT)).isOne();
			CompletableFuture<String> later = new CompletableFuture<>();
			CompletableFuture<String> result = work.callAsync(() -> later).toCompletableFuture();
			CompletableFuture.runAsync(() -> later.complete("two")).join();
			assertThat(result.join()).isEqualTo("two");
			assertThat(work.call(() -> "three")).isEqualTo("three");
		}));
	}

	@Test
	@DisplayName("A transaction of its own within another one keeps the result with its commit")
	void ownTransaction() {
		run((payments) -> {
			TransactionTemplate own = new TransactionTemplate(payments.manager);
			own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			payments.transactions.executeWithoutResult((status) -> {
				payments.workWithoutTransaction().in(own).call(() -> payments.insert(() -> {
				}));
				status.setRollbackOnly();
			});
			assertThat(payments.pay(() -> {
			})).isEqualTo(payments.receipt());
			assertThat(payments.made()).isOne();
			assertThat(payments.counts.get("payments", Event.NOT_KEPT)).isZero();
		});
	}

	static class Payments {

		private final JdbcClient jdbc;

		private final IdempotencyRegistry idempotency;

		private final TransactionTemplate transactions;

		private final PlatformTransactionManager manager;

		private final LockRegistry locks;

		private final LockCounts counts;

		private final String id = UUID.randomUUID().toString();

		private final String lock = "payments:" + this.id;

		Payments(JdbcClient jdbc, IdempotencyRegistry idempotency, TransactionTemplate transactions,
				PlatformTransactionManager manager, LockRegistry locks, LockCounts counts) {
			this.jdbc = jdbc;
			this.idempotency = idempotency;
			this.transactions = transactions;
			this.manager = manager;
			this.locks = locks;
			this.counts = counts;
			jdbc.sql("CREATE TABLE IF NOT EXISTS paid_work (id VARCHAR(50), receipt VARCHAR(50))").update();
		}

		IdempotentWork<String> work() {
			return workWithoutTransaction().in(this.transactions);
		}

		IdempotentWork<String> workWithoutTransaction() {
			return this.idempotency.work(this.lock, String.class);
		}

		String pay(Runnable then) {
			return work().call(() -> insert(then));
		}

		String insert(Runnable then) {
			String receipt = UUID.randomUUID().toString();
			this.jdbc.sql("INSERT INTO paid_work VALUES (?, ?)").params(this.id, receipt).update();
			then.run();
			return receipt;
		}

		int made() {
			return this.jdbc.sql("SELECT count(*) FROM paid_work WHERE id = ?")
				.param(this.id)
				.query(Integer.class)
				.single();
		}

		@Nullable String receipt() {
			return this.jdbc.sql("SELECT receipt FROM paid_work WHERE id = ?")
				.param(this.id)
				.query(String.class)
				.single();
		}

	}

}
