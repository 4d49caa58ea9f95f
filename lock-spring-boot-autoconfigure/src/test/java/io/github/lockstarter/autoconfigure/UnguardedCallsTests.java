package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class UnguardedCallsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withBean(Service.class);

	@Test
	@DisplayName("With lock.enabled=false no method acquires its lock, and one warning is logged")
	void disabled(CapturedOutput output) {
		this.runner.withPropertyValues("lock.enabled=false", "lock.names.orders.enabled=true").run((context) -> {
			try (Lease other = context.getBean(LockRegistry.class).acquire("orders")) {
				assertThat(other.isHeld()).isTrue();
				assertThat(context.getBean(Service.class).order(null)).isEqualTo("without a lease");
				assertThat(context.getBean(Service.class).mail().block()).isEqualTo("sent");
			}
			assertThat(output.getAll().lines().filter((line) -> line.contains("WARN"))).singleElement()
				.asString()
				.contains("lock.enabled=false");
		});
	}

	@Test
	@DisplayName("The lock of a single name can be disabled")
	void nameDisabled(CapturedOutput output) {
		this.runner.withPropertyValues("lock.names.orders.enabled=false").run((context) -> {
			assertThat(context.getBean(Service.class).order(null)).isEqualTo("without a lease");
			assertThat(output).contains("enabled is false for [orders]");
			assertThat(output.getAll().lines().filter((line) -> line.contains("WARN"))).hasSize(1);
		});
	}

	@Test
	@DisplayName("While the store fails, a call is rejected with 503 unless on-store-failure is proceed")
	void rejects() {
		this.runner.withBean(FailingStore.class)
			.run((context) -> assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(Service.class).order(null)));
	}

	@Test
	@DisplayName("With on-store-failure=proceed a call runs without the lock, and this is counted and periodically logged")
	void proceeds(CapturedOutput output) {
		this.runner.withBean(FailingStore.class)
			.withPropertyValues("lock.names.orders.on-store-failure=proceed", "lock.on-store-failure=proceed")
			.run((context) -> {
				Service service = context.getBean(Service.class);
				for (int i = 0; i < 3; i++) {
					assertThat(service.order(null)).isEqualTo("without a lease");
				}
				assertThat(service.later()).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("done");
				assertThat(service.mail().block()).isEqualTo("sent");
				LockCounts counts = context.getBean(LockCounts.class);
				assertThat(counts.get("orders", Event.UNGUARDED)).isEqualTo(4);
				assertThat(counts.get("mail", Event.UNGUARDED)).isEqualTo(1);
				assertThat(output.getAll().lines().filter((line) -> line.contains("runs without lock"))).hasSize(1);
				assertThat(output).contains("while the store fails, methods run without");
			});
	}

	@Test
	@DisplayName("A held lock is not a store failure")
	void rejectsConflicts() {
		this.runner.withPropertyValues("lock.on-store-failure=proceed").run((context) -> {
			try (Lease other = context.getBean(LockRegistry.class).acquire("orders")) {
				assertThat(other.isHeld()).isTrue();
				assertThatExceptionOfType(LockConflictException.class)
					.isThrownBy(() -> context.getBean(Service.class).order(null));
			}
		});
	}

	@Test
	@DisplayName("While the registry closes, no call runs without its lock")
	void rejectsWhileClosing() {
		this.runner.withPropertyValues("lock.on-store-failure=proceed").run((context) -> {
			context.getBean(DefaultLockRegistry.class).release();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(Service.class).order(null));
		});
	}

	@Test
	@DisplayName("on-store-failure=proceed for a method with replay prevents startup")
	void rejectsReplay() {
		this.runner.withBean(Replaying.class)
			.withPropertyValues("lock.on-store-failure=proceed")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("set lock.names.payments.on-store-failure=reject"));
		this.runner.withBean(Replaying.class)
			.withPropertyValues("lock.on-store-failure=proceed", "lock.names.payments.on-store-failure=reject")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class Service {

		@ExclusiveRequest(name = "orders")
		public String order(@Nullable Lease lease) {
			return (lease != null) ? "with a lease" : "without a lease";
		}

		@ExclusiveRequest(name = "orders", onConflict = OnConflict.WAIT)
		public CompletableFuture<String> later() {
			return CompletableFuture.completedFuture("done");
		}

		@ExclusiveRequest(name = "mail")
		public Mono<String> mail() {
			return Mono.just("sent");
		}

	}

	static class Replaying {

		@ExclusiveRequest(name = "payments", key = "#id", replay = "1h")
		public String pay(String id) {
			return id;
		}

	}

	static class FailingStore implements LockStore {

		@Override
		public StoredLock lock(LockKey key) {
			return new StoredLock() {

				@Override
				public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
					return CompletableFuture.failedFuture(new LockStoreException(key, "out of order", null));
				}

				@Override
				public CompletionStage<Boolean> renew(String owner, Duration ttl) {
					return CompletableFuture.completedFuture(false);
				}

				@Override
				public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
					return CompletableFuture.completedFuture(false);
				}

			};
		}

	}

}
