package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class LockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withPropertyValues(TestRedis.properties());

	@Test
	@DisplayName("By default, locks are in Redis")
	void redisByDefault() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(LockRegistry.class)
				.getBean(LockStore.class)
				.isInstanceOf(RedisLockStore.class);
			try (Lease lease = context.getBean(LockRegistry.class)
				.acquire(new LockKey("auto", "taro"), LockOptions.of(Duration.ofSeconds(5)))) {
				assertThat(lease.isHeld()).isTrue();
			}
		});
	}

	@Test
	@DisplayName("An application that defines a LockRegistry needs no store")
	void ownRegistry() {
		LockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(), LockOptions.of(Duration.ofSeconds(10)));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(LockRegistry.class, () -> registry)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockStore.class));
	}

	@Test
	@DisplayName("Locks are in memory only if configured")
	void memoryWhenAsked() {
		this.runner.withPropertyValues("lock.store=memory")
			.run((context) -> assertThat(context).getBean(LockStore.class).isInstanceOf(MemoryLockStore.class));
	}

	@Test
	@DisplayName("The application's own store and registry take precedence")
	void backsOff() {
		LockStore store = new MemoryLockStore();
		LockRegistry registry = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)));
		this.runner.withBean(LockStore.class, () -> store)
			.withBean(LockRegistry.class, () -> registry)
			.run((context) -> assertThat(context).getBean(LockRegistry.class).isSameAs(registry));
	}

	@ParameterizedTest
	@CsvSource({ "'', RedisLockStore", "' ', RedisLockStore", "' redis ', RedisLockStore", "'memory ', MemoryLockStore",
			"MEMORY, MemoryLockStore" })
	@DisplayName("Blanks around the store's name are ignored, and an empty name means the default")
	void blanks(String name, String type) {
		this.runner.withPropertyValues("lock.store=" + name)
			.run((context) -> assertThat(context.getBean(LockStore.class).getClass().getSimpleName()).isEqualTo(type));
	}

	@Test
	@DisplayName("An invalid Redis address prevents startup, and the message contains it")
	void wrongAddress() {
		this.runner.withPropertyValues("spring.data.redis.port=99999")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining("99999"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock", "locks", "lockStore", "lockRegistry", "lockCounts", "lockMetrics", "lockProblems",
			"lockProperties", "localLocks", "tokenLocks", "sharingSettings", "redisLockStore" })
	@DisplayName("Bean names of the application and other libraries do not clash with those of this library")
	void foreignName(String name) {
		this.runner.withBean(name, OtherLibrary.LockRegistry.class, OtherLibrary.LockRegistry::new).run((context) -> {
			assertThat(context.getBean(name)).isInstanceOf(OtherLibrary.LockRegistry.class);
			context.getBean(LockRegistry.class).acquire("foreign:" + name).close();
		});
	}

	@Test
	@DisplayName("Every bean of this library has a name that identifies the library")
	void ownNames() {
		this.runner.run((context) -> assertThat(context.getBeanDefinitionNames())
			.filteredOn((name) -> context.getType(name) != null
					&& context.getType(name).getName().startsWith("io.github.lockstarter."))
			.hasSizeGreaterThan(10)
			.allSatisfy((name) -> assertThat(name)
				.matches("lockStoreHealthIndicator|exclusiveRequest.*|.*io\\.github\\.lockstarter.*")));
	}

	@Test
	@DisplayName("A Redis that is configured only in code prevents startup, because the store would use another Redis")
	void ownConnectionFactory() {
		RedisConnectionFactory factory = Mockito.mock(RedisConnectionFactory.class);
		ApplicationContextRunner application = new ApplicationContextRunner().withConfiguration(AutoConfigurations
			.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class, LockAutoConfiguration.class));
		assertFailsStartup(application.withBean("ownFactory", RedisConnectionFactory.class, () -> factory),
				"'ownFactory'");
		assertFailsStartup(application.withBean("ownFactory", RedisConnectionFactory.class, () -> factory)
			.withPropertyValues("spring.data.redis.timeout=2s"), "'ownFactory'");
		assertFailsStartup(application.withBean("ownReactiveFactory", ReactiveRedisConnectionFactory.class,
				() -> Mockito.mock(ReactiveRedisConnectionFactory.class)), "'ownReactiveFactory'");
		assertFailsStartup(application.withBean("ownFactory", RedisConnectionFactory.class, () -> factory)
			.withBean(RedisStandaloneConfiguration.class, RedisStandaloneConfiguration::new), "'ownFactory'");
		this.runner.withBean(RedisConnectionFactory.class, () -> factory)
			.run((context) -> assertThat(context).hasSingleBean(RedisLockStore.class));
	}

	private static void assertFailsStartup(ApplicationContextRunner application, String bean) {
		application.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining(bean)
			.satisfies((ex) -> assertThat(((LockConfigurationException) ex).getAction())
				.contains("SpringDataConnections")));
	}

	@Test
	@DisplayName("A store bean can use the application's own connection factory")
	void overOwnConnectionFactory() {
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(LettuceConnectionFactory.class, () -> factory)
			.withBean(LockStore.class,
					() -> new RedisLockStore(new SpringDataConnections(factory), "own", Duration.ofSeconds(30), 0))
			.run((context) -> {
				try (Lease lease = context.getBean(LockRegistry.class).acquire("factory:taro")) {
					assertThat(new StringRedisTemplate(factory).keys("own:{*factory:taro")).hasSize(1);
				}
			});
	}

	@Test
	@DisplayName("A connection factory without a shared connection is an error")
	void unsharedConnection() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory();
		factory.setShareNativeConnection(false);
		assertThatIllegalArgumentException().isThrownBy(() -> new SpringDataConnections(factory))
			.withMessageContaining("shareNativeConnection");
	}

	@ParameterizedTest
	@ValueSource(strings = { "io.lettuce", "org.springframework.boot.data" })
	@DisplayName("A store whose driver is missing prevents startup, and the message names the dependency")
	void noDriver(String missing) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class,
						(ex) -> assertThat(ex.getAction()).contains("lock-spring-boot-starter")));
	}

	@Test
	@DisplayName("When Redis is unavailable, the application starts, and logs that")
	void startsWithoutRedis(CapturedOutput output) {
		this.runner.withPropertyValues("spring.data.redis.port=1").run((context) -> {
			assertThat(context).hasNotFailed();
			Awaitility.await().untilAsserted(() -> assertThat(output).contains("No connection to Redis"));
		});
	}

	@Test
	@DisplayName("The auto-configuration works without a web application and without the servlet API")
	void withoutWeb() {
		this.runner.withClassLoader(new FilteredClassLoader("jakarta.servlet", "org.springframework.web.servlet"))
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class));
	}

	@ParameterizedTest
	@CsvSource({ "lock.ttl, 0s, 1ms", "lock.ttl, -5s, 1ms", "lock.ttl, 400d, 365d", "lock.wait, -1s, at least 0s",
			"lock.web.conflict-status, 500, 422", "lock.web.conflict-status, 4, 422",
			"lock.redis.command-timeout, 0ms, 1ms", "lock.redis.key-prefix, {x}, braces",
			"lock.redis.key-prefix, ' ', blank", "lock.names.registration.ttl, 0, 1ms",
			"lock.names.registration.wait, -1, at least 0s", "lock.names.registration.conflict-status, 200, 422",
			"lock.max-hold, 9s, longest hold", "lock.names.registration.max-hold, 1s, longest hold",
			"lock.max-waiters, 0, at least 1", "lock.redis.replicas-to-ack, -1, negative" })
	@DisplayName("A value out of range prevents startup, and the message names the property and the valid values")
	void invalidValue(String property, String value, String allowed) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.hasRootCauseInstanceOf(InvalidConfigurationPropertyValueException.class)
				.rootCause()
				.hasMessageContaining(property)
				.hasMessageContaining(allowed));
	}

	@Test
	@DisplayName("A time to live above max-hold prevents startup, whether it is set for a name or in an annotation")
	void ttlBeyondMaxHold() {
		this.runner.withPropertyValues("lock.max-hold=30s", "lock.names.registration.ttl=31s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("lock.names.registration.ttl")
				.hasMessageContaining("longest hold"));
		this.runner.withPropertyValues("lock.max-hold=30s", "own.ttl=31s")
			.withBean(Annotated.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("@ExclusiveRequest on public void")
				.hasMessageContaining("longest hold"));
	}

	@Test
	@DisplayName("Acknowledgement by replicas with Redis Cluster prevents startup, because it is unsupported")
	void replicasOfCluster() {
		this.runner.withPropertyValues("lock.redis.replicas-to-ack=1", "spring.data.redis.cluster.nodes=127.0.0.1:1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining("replicas-to-ack"));
	}

	@Test
	@DisplayName("At most max-waiters callers wait for a lock")
	void maxWaiters() {
		this.runner.withPropertyValues("lock.store=memory", "lock.max-waiters=1").run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			Lease lease = locks.acquire("team:42");
			CompletionStage<Optional<Lease>> waiting = locks.tryAcquireAsync("team:42", Duration.ofMinutes(1));
			assertThat(locks.tryAcquire("team:42", Duration.ofMinutes(1))).isEmpty();
			assertThat(waiting.toCompletableFuture()).isNotDone();
			lease.close();
		});
	}

	@Test
	@DisplayName("Programmatic acquisition uses the settings of the lock's name")
	void programmatic() {
		this.runner
			.withPropertyValues("lock.store=memory", "lock.names.team.ttl=3s", "lock.names.team.wait=4s",
					"lock.names.team.max-hold=5s")
			.run((context) -> {
				LockOptions options = context.getBean(LockRegistry.class).options("team");
				assertThat(options).isEqualTo(LockOptions.of(Duration.ofSeconds(3))
					.withWaitTime(Duration.ofSeconds(4))
					.withMaxHold(Duration.ofSeconds(5)));
				assertThat(context.getBean(LockRegistry.class).options("other"))
					.isEqualTo(LockOptions.of(Duration.ofSeconds(10)));
			});
	}

	@Test
	@DisplayName("Settings for a name precede the annotation, which precedes the defaults")
	void precedence() {
		RecordingRegistry registry = new RecordingRegistry();
		this.runner.withBean(LockRegistry.class, () -> registry)
			.withBean(Annotated.class)
			.withPropertyValues("lock.ttl=1s", "lock.wait=2s", "lock.max-hold=9s", "lock.names.both.renew=false",
					"lock.names.both.ttl=3s", "own.ttl=5s")
			.run((context) -> {
				context.getBean(Annotated.class).nothing();
				assertThat(registry.options).isEqualTo(new LockOptions(Duration.ofSeconds(1), Duration.ofSeconds(2),
						Duration.ofSeconds(9), Duration.ZERO));
				context.getBean(Annotated.class).annotation();
				assertThat(registry.options).isEqualTo(new LockOptions(Duration.ofSeconds(5), Duration.ofSeconds(6),
						Duration.ofSeconds(9), Duration.ZERO));
				context.getBean(Annotated.class).both();
				assertThat(registry.options).isEqualTo(new LockOptions(Duration.ofSeconds(3), Duration.ofSeconds(6),
						Duration.ofSeconds(3), Duration.ZERO));
			});
	}

	@Test
	@DisplayName("Settings for a name that no annotation has are reported")
	void unknownName(CapturedOutput output) {
		this.runner.withBean(Annotated.class)
			.withPropertyValues("lock.store=memory", "lock.names.both.ttl=3s", "lock.names.boht.ttl=3s", "own.ttl=5s")
			.run((context) -> assertThat(output).contains("lock.names.boht: no @ExclusiveRequest of a bean")
				.doesNotContain("lock.names.both:"));
	}

	static class Annotated {

		@ExclusiveRequest
		public void nothing() {
		}

		@ExclusiveRequest(ttl = "${own.ttl}", waitTime = "6s")
		public void annotation() {
		}

		@ExclusiveRequest(name = "both", ttl = "${own.ttl}", waitTime = "PT6S")
		public void both() {
		}

	}

	private static final class RecordingRegistry implements LockRegistry {

		private final LockRegistry delegate = new DefaultLockRegistry(new MemoryLockStore(),
				LockOptions.of(Duration.ofSeconds(10)));

		private LockOptions options;

		@Override
		public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Lease acquire(LockKey key, LockOptions options) {
			this.options = options;
			return this.delegate.acquire(key, options);
		}

		@Override
		public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
			return CompletableFuture.failedFuture(new UnsupportedOperationException());
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options) {
			return CompletableFuture.failedFuture(new UnsupportedOperationException());
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor) {
			return CompletableFuture.failedFuture(new UnsupportedOperationException());
		}

		@Override
		public LockOptions options(String lockName) {
			throw new UnsupportedOperationException();
		}

	}

	/** Declares a type with the same simple name. */
	static final class OtherLibrary {

		static final class LockRegistry {

		}

	}

}
