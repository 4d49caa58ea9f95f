package io.github.lockstarter.autoconfigure;

import io.lettuce.core.ReadFrom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.testing.TestLocks;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RedisDriverConfigurationTests {

	private static final String[] SENTINEL = { "spring.data.redis.sentinel.master=locks",
			"spring.data.redis.sentinel.nodes=127.0.0.1:1" };

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class));

	@Test
	@DisplayName("With sentinels the driver listens to them")
	void sentinels() {
		assertReads(this.runner.withPropertyValues(SENTINEL), ReadFrom.UPSTREAM);
		RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration().master("locks")
			.sentinel("127.0.0.1", 1);
		assertReads(this.runner.withBean(RedisSentinelConfiguration.class, () -> sentinels), ReadFrom.UPSTREAM);
	}

	@Test
	@DisplayName("What the application says itself has the last word")
	void ownSettings() {
		ApplicationContextRunner sentinels = this.runner.withPropertyValues(SENTINEL);
		assertReads(sentinels.withPropertyValues("spring.data.redis.lettuce.read-from=any-replica"),
				ReadFrom.ANY_REPLICA);
		assertReads(sentinels.withBean(LettuceClientConfigurationBuilderCustomizer.class,
				() -> (client) -> client.readFrom(ReadFrom.REPLICA_PREFERRED)), ReadFrom.REPLICA_PREFERRED);
	}

	@Test
	@DisplayName("Without sentinels, and where locks are not in Redis, nothing is set")
	void others() {
		assertReads(this.runner, null);
		assertReads(this.runner.withPropertyValues(SENTINEL).withBean(LockStore.class, MemoryLockStore::new), null);
		assertReads(this.runner.withPropertyValues(SENTINEL)
			.withBean(LockRegistry.class, () -> TestLocks.on(new MemoryLockStore())), null);
		assertReads(this.runner.withPropertyValues("spring.data.redis.cluster.nodes=127.0.0.1:1"), null);
		assertReads(this.runner.withPropertyValues(SENTINEL).withPropertyValues("lock.store=memory"), null);
	}

	@Test
	@DisplayName("An application that connects to sentinels itself, and would stay with a frozen master, is told so")
	void ownFactory(CapturedOutput output) {
		RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration().master("locks")
			.sentinel("127.0.0.1", 1);
		this.runner.withBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(sentinels))
			.run((context) -> assertThat(output).contains("set readFrom(ReadFrom.UPSTREAM)"));
	}

	private static void assertReads(ApplicationContextRunner runner, ReadFrom expected) {
		runner.run((context) -> assertThat(
				context.getBean(LettuceConnectionFactory.class).getClientConfiguration().getReadFrom().orElse(null))
			.isEqualTo(expected));
	}

}
