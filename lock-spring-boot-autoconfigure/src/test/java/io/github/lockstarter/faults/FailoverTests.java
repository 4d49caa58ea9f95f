package io.github.lockstarter.faults;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.SpringDataConnections;
import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisDeployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks of applications during the failover of a master that is killed or frozen.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("faults")
@Tag("redis")
class FailoverTests {

	private static final Log logger = LogFactory.getLog(FailoverTests.class);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	/** A time that is longer than a failover. */
	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LockKey KEY = new LockKey("failover", "taro");

	enum Fault {

		KILL(LocalRedis::kill), FREEZE(LocalRedis::freeze);

		private final Consumer<LocalRedis> action;

		Fault(Consumer<LocalRedis> action) {
			this.action = action;
		}

	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("With Sentinel: after a failover, callers are rejected in time, and acquisition, notification and leases recover")
	void sentinel(Fault fault, CapturedOutput output) {
		failOver(LocalSentinel.started(), 3, fault, output, Application.class, "");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "spring.data.redis.lettuce.read-from=replica-preferred" })
	@DisplayName("With Sentinel and connections of Spring Data: after a failover from a frozen master, acquisition, notification and leases recover")
	void sentinelOfSpringData(String property, CapturedOutput output) {
		failOver(LocalSentinel.started(), 3, Fault.FREEZE, output, SpringDataApplication.class, property);
	}

	@Test
	@DisplayName("In a cluster and with connections of Spring Data: after a failover from a frozen master, acquisition, notification and leases recover")
	void clusterOfSpringData(CapturedOutput output) {
		failOver(LocalCluster.started(), 2, Fault.FREEZE, output, SpringDataApplication.class, "");
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("In a cluster: after a failover, callers are rejected in time, and acquisition, notification and leases recover")
	void cluster(Fault fault, CapturedOutput output) {
		failOver(LocalCluster.started(), 2, fault, output, Application.class, "");
	}

	private void failOver(RedisDeployment deployment, int copies, Fault fault, CapturedOutput output,
			Class<?> application, String property) {
		try (ConfigurableApplicationContext one = start(deployment, application, property);
				ConfigurableApplicationContext two = start(deployment, application, property)) {
			LockRegistry first = one.getBean(LockRegistry.class);
			LockRegistry second = two.getBean(LockRegistry.class);
			assertThat(handOver(first, second, 1)).isLessThan(LONG);
			Lease held = first.acquire(new LockKey("failover", "held"), LockOptions.of(LONG));
			Lease lease = first.acquire(KEY, OPTIONS);
			LocalRedis master = deployment.masterOf("lock:{*:taro");
			lease.close();
			Awaitility.await().until(() -> deployment.copies("lock:{*:held") == copies);
			fault.action.accept(master);
			long start = System.nanoTime();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire(first));
			Awaitility.await().until(() -> output.toString().contains("The lock store fails"));
			CompletableFuture<Void> other = CompletableFuture.runAsync(() -> awaitBack(second));
			awaitBack(first);
			Duration back = Duration.ofNanos(System.nanoTime() - start);
			other.join();
			logger.info("%s, %s: back after %d ms".formatted(deployment, fault, back.toMillis()));
			// Without messages each hand-over takes almost a second.
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.ignoreExceptions()
				.until(() -> handOver(first, second, 5).compareTo(Duration.ofSeconds(2)) < 0);
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.pollInterval(Duration.ofMillis(50))
				.until(() -> !held.isHeld() || held.remaining().compareTo(LONG.minusSeconds(3)) > 0);
			assertThat(held.isHeld()).as("was replicated, and is renewed").isTrue();
			held.close();
		}
		finally {
			deployment.close();
		}
	}

	private static void awaitBack(LockRegistry locks) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(50))
			.ignoreException(LockStoreException.class)
			.until(() -> acquire(locks));
	}

	private static boolean acquire(LockRegistry locks) {
		long start = System.nanoTime();
		try {
			Optional<Lease> lease = locks.tryAcquire(KEY, OPTIONS);
			lease.ifPresent(Lease::close);
			return lease.isPresent();
		}
		finally {
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
		}
	}

	/**
	 * Returns the time until a waiter on another instance gets the lock. It is unlimited
	 * while the instances are connected to different masters, which is possible until the
	 * sentinels agree.
	 */
	private static Duration handOver(LockRegistry from, LockRegistry to, int times) {
		Duration taken = Duration.ZERO;
		for (int i = 0; i < times; i++) {
			try (Lease lease = from.acquire(KEY, OPTIONS)) {
				CompletableFuture<Lease> waiting = to.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(20)))
					.thenApply(Optional::orElseThrow)
					.toCompletableFuture();
				if (isDoneWithin(waiting, Duration.ofMillis(200))) {
					waiting.join().close();
					return ChronoUnit.FOREVER.getDuration();
				}
				long start = System.nanoTime();
				lease.close();
				waiting.join().close();
				taken = taken.plusNanos(System.nanoTime() - start);
			}
		}
		return taken;
	}

	private static boolean isDoneWithin(CompletableFuture<?> future, Duration time) {
		CompletableFuture<Boolean> done = future.handle((value, failure) -> true);
		return done.completeOnTimeout(false, time.toMillis(), TimeUnit.MILLISECONDS).join();
	}

	private static ConfigurableApplicationContext start(RedisDeployment deployment, Class<?> application,
			String property) {
		String[] properties = Stream
			.concat(Arrays.stream(deployment.properties()), Stream.of("lock.redis.command-timeout=2s", property))
			.filter(StringUtils::hasText)
			.map((each) -> "--" + each)
			.toArray(String[]::new);
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE).run(properties);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class SpringDataApplication {

		@Bean
		LockStore lockStore(LettuceConnectionFactory factory) {
			return new RedisLockStore(new SpringDataConnections(factory), "lock", Duration.ofSeconds(2), 0);
		}

	}

}
