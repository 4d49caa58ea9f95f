package io.github.lockstarter.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

class AutoConfigureLocksTests {

	private final ApplicationContextRunner contexts = new ApplicationContextRunner()
		.withUserConfiguration(Application.class);

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc", "memory", "memcached", "dynamodb" })
	@DisplayName("Locks are in memory, whatever lock.store says, and no other store is created")
	void anyStore(String store) {
		this.contexts.withPropertyValues("lock.store=" + store, "spring.data.redis.port=1").run((context) -> {
			assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(TestLockStore.class);
			context.getBean(TestLockRegistry.class).heldElsewhere("job");
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(context.getBean(Job.class)::run);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc", "memory", "memcached", "dynamodb" })
	@DisplayName("Locks are in memory, whatever store their names choose, and no other store is created")
	void anyNamedStore(String store) {
		this.contexts.withPropertyValues("lock.names.job.store=" + store, "spring.data.redis.port=1").run((context) -> {
			assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(TestLockStore.class);
			context.getBean(TestLockRegistry.class).heldElsewhere("job");
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(context.getBean(Job.class)::run);
		});
	}

	@Test
	@DisplayName("The application uses the same registry as in production, with its properties")
	void sameRegistry() {
		this.contexts.withPropertyValues("lock.ttl=7s").run((context) -> {
			assertThat(context.getBean(LockRegistry.class)).isInstanceOf(DefaultLockRegistry.class);
			TestLockRegistry locks = context.getBean(TestLockRegistry.class);
			assertThat(locks.options("job").ttl()).hasSeconds(7);
			try (Lease lease = locks.acquire("job")) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(context.getBean(LockRegistry.class).tryAcquire("job", Duration.ZERO)).isEmpty();
			}
		});
	}

	@Test
	@DisplayName("The application is notified of a lease that a test loses")
	void event() {
		this.contexts.run((context) -> {
			Lease lease = context.getBean(LockRegistry.class).acquire("job:1");
			context.getBean(TestLockRegistry.class).lose("job:1");
			assertThat(context.getBean(Job.class).lost()).succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo(new LeaseLostEvent(lease.key(), lease.fencingToken()));
		});
	}

	@Test
	@DisplayName("The application's own store is not used")
	void ownStore() {
		this.contexts.withBean("own", LockStore.class, MemoryLockStore::new)
			.run((context) -> assertThat(context.getBean(LockStore.class)).isInstanceOf(TestLockStore.class));
	}

	@Test
	@DisplayName("The application's own registry is used, and controlling it from a test fails with an explanation")
	void ownRegistry() {
		LockRegistry own = mock(LockRegistry.class);
		this.contexts.withBean("own", LockRegistry.class, () -> own).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockRegistry.class)).isSameAs(own);
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> context.getBean(TestLockRegistry.class))
				.havingRootCause()
				.withMessageContaining("has a LockRegistry of its own");
		});
	}

	@Test
	@DisplayName("Without the annotation nothing changes")
	void withoutAnnotation() {
		new ApplicationContextRunner().withUserConfiguration(Job.class)
			.run((context) -> assertThat(context).doesNotHaveBean(LockStore.class));
	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigureLocks
	static class Application {

		@Bean
		Job job() {
			return new Job();
		}

	}

	static class Job {

		private final CompletableFuture<LeaseLostEvent> lost = new CompletableFuture<>();

		@ExclusiveRequest(name = "job")
		public String run() {
			return "done";
		}

		public CompletableFuture<LeaseLostEvent> lost() {
			return this.lost;
		}

		@EventListener
		public void on(LeaseLostEvent event) {
			this.lost.complete(event);
		}

	}

}
