package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The registry for idempotent work, as it is configured in an application.
 */
class IdempotencyConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@Test
	@DisplayName("There is a registry, which uses the locks and the properties of the application")
	void configured() {
		this.runner.withPropertyValues("lock.share.max-size=1KB", "lock.names.slow.hold-at-least=1s").run((context) -> {
			IdempotencyRegistry registry = context.getBean(IdempotencyRegistry.class);
			assertThat(registry.work("webhook:1", String.class).call(() -> "one")).isEqualTo("one");
			assertThat(registry.work("webhook:1", String.class).call(() -> "two")).isEqualTo("one");
			registry.work("webhook:2", String.class).call(() -> "x".repeat(2000));
			assertThatExceptionOfType(ResultUnavailableException.class)
				.isThrownBy(() -> registry.work("webhook:2", String.class).call(() -> "again"));
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> registry.work("slow:1", String.class).call(() -> "one"));
			try (Lease lease = context.getBean(LockRegistry.class).acquire("webhook:3")) {
				assertThat(lease.isHeld()).isTrue();
				assertThatExceptionOfType(LockConflictException.class)
					.isThrownBy(() -> registry.work("webhook:3", String.class).call(() -> "one"));
			}
		});
	}

	@Test
	@DisplayName("The secret key of fingerprints is that of the application")
	void secretKey() {
		MemoryLockStore store = new MemoryLockStore();
		ApplicationContextRunner shared = this.runner.withBean(LockStore.class, () -> store);
		shared.run((context) -> context.getBean(IdempotencyRegistry.class)
			.work("webhook:1", String.class)
			.comparing("content")
			.call(() -> "one"));
		shared.withPropertyValues("lock.replay.fingerprint-key=a key of 16 chars")
			.run((context) -> assertThatExceptionOfType(PayloadMismatchException.class)
				.isThrownBy(() -> context.getBean(IdempotencyRegistry.class)
					.work("webhook:1", String.class)
					.comparing("content")
					.call(() -> "two")));
	}

	@Test
	@DisplayName("A bean of the application takes precedence")
	void replaced() {
		IdempotencyRegistry own = Mockito.mock(IdempotencyRegistry.class);
		this.runner.withBean(IdempotencyRegistry.class, () -> own)
			.run((context) -> assertThat(context.getBean(IdempotencyRegistry.class)).isSameAs(own));
	}

	@Test
	@DisplayName("It uses a LockRegistry of the application, if that can share results")
	void ownLocks() {
		this.runner
			.withBean(LockRegistry.class,
					() -> new DefaultLockRegistry(new MemoryLockStore(), LockOptions.of(Duration.ofSeconds(10))))
			.run((context) -> assertThat(
					context.getBean(IdempotencyRegistry.class).work("webhook:1", String.class).call(() -> "one"))
				.isEqualTo("one"));
		this.runner.withBean(LockRegistry.class, () -> Mockito.mock(LockRegistry.class)).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatExceptionOfType(LockConfigurationException.class)
				.isThrownBy(() -> context.getBean(IdempotencyRegistry.class).work("webhook:1", String.class));
		});
	}

	@Test
	@DisplayName("An annotated method that the work calls joins its lock; one that replays results fails")
	void innerCalls() {
		this.runner.withBean(Inner.class).run((context) -> {
			Inner inner = context.getBean(Inner.class);
			IdempotencyRegistry registry = context.getBean(IdempotencyRegistry.class);
			assertThat(registry.work("inner:1", String.class).call(() -> inner.locked("1"))).isEqualTo("locked");
			assertThatIllegalStateException()
				.isThrownBy(() -> registry.work("inner:2", String.class).call(() -> inner.replayed("2")))
				.withMessageContaining("holds already");
			assertThat(registry.work("inner:2", String.class).call(() -> "ran")).isEqualTo("ran");
		});
	}

	@Test
	@DisplayName("The result of work is not that of an annotated method under the same key")
	void sameKey() {
		this.runner.withBean(Inner.class).run((context) -> {
			Inner inner = context.getBean(Inner.class);
			IdempotencyRegistry registry = context.getBean(IdempotencyRegistry.class);
			inner.replayed("1");
			for (List<Object> content : List.of(List.of(), List.<Object>of("1"))) {
				assertThatExceptionOfType(PayloadMismatchException.class).isThrownBy(
						() -> registry.work("inner:1", String.class).comparing(content.toArray()).call(() -> "other"));
			}
			assertThatExceptionOfType(PayloadMismatchException.class)
				.isThrownBy(() -> registry.work("inner:1", String.class).call(() -> "other"));
			assertThat(Inner.runs).hasValue(1);
		});
	}

	static class Inner {

		static final AtomicInteger runs = new AtomicInteger();

		@ExclusiveRequest(name = "inner", key = "#key")
		public String locked(String key) {
			return "locked";
		}

		@ExclusiveRequest(name = "inner", key = "#key", replay = "1h")
		public String replayed(String key) {
			runs.incrementAndGet();
			return "replayed";
		}

	}

}
