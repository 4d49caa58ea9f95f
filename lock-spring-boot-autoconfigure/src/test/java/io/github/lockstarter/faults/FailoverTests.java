package io.github.lockstarter.faults;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.testing.LocalCluster;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.RedisShape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens to the locks of applications when a master dies or freezes and another
 * server takes its place.
 */
@Tag("faults")
class FailoverTests {

	private static final Log logger = LogFactory.getLog(FailoverTests.class);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockKey KEY = new LockKey("failover", "taro");

	enum Fault {

		KILL(LocalRedis::kill), FREEZE(LocalRedis::freeze);

		private final java.util.function.Consumer<LocalRedis> action;

		Fault(java.util.function.Consumer<LocalRedis> action) {
			this.action = action;
		}

	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("With sentinels")
	void sentinel(Fault fault) {
		try (LocalSentinel shape = LocalSentinel.started()) {
			failOver(shape, fault);
		}
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("In a cluster")
	void cluster(Fault fault) {
		try (LocalCluster shape = LocalCluster.started()) {
			failOver(shape, fault);
		}
	}

	private void failOver(RedisShape shape, Fault fault) {
		try (ConfigurableApplicationContext one = start(shape); ConfigurableApplicationContext two = start(shape)) {
			LockRegistry first = one.getBean(LockRegistry.class);
			LockRegistry second = two.getBean(LockRegistry.class);
			for (int i = 0; i < Integer.getInteger("test.failovers", 1); i++) {
				handOver(first, second, 1);
				Lease lease = first.acquire(KEY, OPTIONS);
				LocalRedis master = shape.masterOf("lock:{*");
				lease.close();
				fault.action.accept(master);
				long start = System.nanoTime();
				assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire(first));
				Awaitility.await()
					.atMost(Duration.ofSeconds(Integer.getInteger("test.bound", 30)))
					.pollInterval(Duration.ofMillis(50))
					.ignoreException(LockStoreException.class)
					.until(() -> acquire(first));
				Duration back = Duration.ofNanos(System.nanoTime() - start);
				Awaitility.await()
					.atMost(Duration.ofSeconds(30))
					.ignoreException(LockStoreException.class)
					.until(() -> acquire(second));
				Duration handOvers = handOver(first, second, 10);
				logger.info("%s, %s: back after %d ms; then 10 hand-overs took %d ms".formatted(shape, fault,
						back.toMillis(), handOvers.toMillis()));
				shape.heal(master);
			}
		}
	}

	private static boolean acquire(LockRegistry locks) {
		long start = System.nanoTime();
		try {
			Optional<Lease> lease = locks.tryAcquire(KEY, OPTIONS);
			lease.ifPresent(Lease::close);
			return lease.isPresent();
		}
		finally {
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
		}
	}

	/** Returns how long it takes to hand the lock to one who waits elsewhere. */
	private static Duration handOver(LockRegistry from, LockRegistry to, int times) {
		Duration taken = Duration.ZERO;
		for (int i = 0; i < times; i++) {
			Lease lease = from.acquire(KEY, OPTIONS);
			CompletableFuture<Optional<Lease>> waiting = to
				.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(20)))
				.toCompletableFuture();
			Awaitility.await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());
			long start = System.nanoTime();
			lease.close();
			waiting.join().orElseThrow().close();
			taken = taken.plusNanos(System.nanoTime() - start);
		}
		return taken;
	}

	private static ConfigurableApplicationContext start(RedisShape shape) {
		List<String> properties = Stream
			.concat(Arrays.stream(shape.properties()), Arrays.stream(System.getProperty("test.extra", "").split(";")))
			.filter((each) -> !each.isEmpty())
			.map((each) -> "--" + each)
			.toList();
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run(properties.toArray(String[]::new));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Application {

	}

}
