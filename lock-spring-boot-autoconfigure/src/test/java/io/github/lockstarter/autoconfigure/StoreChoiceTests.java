package io.github.lockstarter.autoconfigure;

import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memcached.MemcachedLockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.testing.LocalMemcached;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stores other than Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoreChoiceTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));

	@Test
	@DisplayName("If configured, locks are in memcached, and the connections are closed with the application")
	void memcached() {
		try (LocalMemcached server = LocalMemcached.started()) {
			this.runner
				.withPropertyValues("lock.store=memcached", "lock.memcached.servers=" + server.address(),
						"lock.memcached.command-timeout=30s", "lock.memcached.key-prefix=choice")
				.run((context) -> {
					assertThat(context).getBean(LockStore.class).isInstanceOf(MemcachedLockStore.class);
					context.getBean(LockRegistry.class).acquire("team:42").close();
					assertThat(server.connections()).isEqualTo(1);
				});
			assertThat(server.commands()).contains("gets choice:team:42");
			Awaitility.await().until(() -> server.connections() == 0);
		}
	}

	@Test
	@DisplayName("When memcached is unavailable, the application starts, and logs that")
	void withoutMemcached(CapturedOutput output) {
		this.runner.withPropertyValues("lock.store=memcached", "lock.memcached.servers=127.0.0.1:1").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("No connection to memcached at 127.0.0.1:1");
		});
	}

	@ParameterizedTest
	@CsvSource({ "redis, io.github.lockstarter.store.redis, lock-spring-boot-starter",
			"redis, io.lettuce, lock-spring-boot-starter",
			"redis, org.springframework.boot.data.redis, lock-spring-boot-starter",
			"jdbc, io.github.lockstarter.store.jdbc, lock-spring-boot-starter-jdbc",
			"jdbc, com.zaxxer, lock-spring-boot-starter-jdbc",
			"jdbc, org.springframework.boot.jdbc, lock-spring-boot-starter-jdbc",
			"memcached, io.github.lockstarter.store.memcached, lock-spring-boot-starter-memcached",
			"memcached, com.spotify.folsom, lock-spring-boot-starter-memcached",
			"dynamodb, io.github.lockstarter.store.dynamodb, lock-spring-boot-starter-dynamodb",
			"dynamodb, software.amazon, lock-spring-boot-starter-dynamodb" })
	@DisplayName("A store that is not on the class path, or whose driver is missing, prevents startup, and the message names the dependency")
	void noDriver(String store, String missing, String dependency) {
		this.runner.withPropertyValues("lock.store=" + store)
			.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("lock.store is " + store);
					assertThat(ex.getAction())
						.contains("memory", "dependency io.github.lockstarter:" + dependency + ".")
						.matches((action) -> !missing.startsWith("io.github") || !action.contains(" " + store + ","));
				}));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			lock.memcached.servers         |               | host or host:port
			lock.memcached.servers         | one two       | host or host:port
			lock.memcached.servers         | one,:11211    | host or host:port
			lock.memcached.servers         | one:65536     | host or host:port
			lock.memcached.servers         | one:x         | host or host:port
			lock.memcached.key-prefix      | a b           | visible ASCII
			lock.memcached.key-prefix      | a:b           | without a colon
			lock.memcached.command-timeout | 0             | 1ms
			lock.ttl                       | 30d           | less than 30 days
			lock.names.a.ttl               | 31d           | less than 30 days
			""")
	@DisplayName("A value that memcached cannot use prevents startup, and the message names the property and the valid values")
	void invalidForMemcached(String property, String value, String allowed) {
		this.runner
			.withPropertyValues("lock.store=memcached", "lock.memcached.servers=127.0.0.1:1",
					property + "=" + ((value != null) ? value : ""))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfAny(InvalidConfigurationPropertyValueException.class, LockConfigurationException.class)
				.hasMessageContaining(property)
				.hasMessageContaining(allowed));
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			redis,     lock.redis.command-timeout,    0ms,  1ms
			jdbc,      lock.jdbc.connections,         1,    at least 2
			jdbc,      lock.jdbc.command-timeout,     11m,  at most 10m
			memory,    lock.replay.max-results,       0,    positive
			memory,    lock.replay.max-memory,        0B,   positive
			memcached, lock.memcached.key-prefix,     a:b,  without a colon
			dynamodb,  lock.dynamodb.table,           ' ',  blank
			dynamodb,  lock.dynamodb.clock-skew,      -1ms, at least 0ms
			dynamodb,  lock.dynamodb.command-timeout, 0ms,  1ms
			""")
	@DisplayName("An invalid property of a store prevents startup if any lock uses the store, and is not read otherwise")
	void invalidForOneStore(String store, String property, String value, String allowed) {
		String other = store.equals("memory") ? "memcached" : "memory";
		ApplicationContextRunner invalid = this.runner.withPropertyValues("lock.memcached.servers=127.0.0.1:1",
				property + "=" + value, "lock.store=" + other);
		invalid.run((context) -> assertThat(context).hasNotFailed());
		for (String use : List.of("lock.store=" + store, "lock.names.a.store=" + store)) {
			invalid.withPropertyValues(use)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageContaining(allowed)
					.satisfies((ex) -> assertThat(ex).isInstanceOfSatisfying(
							InvalidConfigurationPropertyValueException.class,
							(invalidValue) -> assertThat(invalidValue.getName()).isEqualTo(property))));
		}
	}

	@Test
	@DisplayName("Sharing results with memcached prevents startup, because it is unsupported")
	void sharingOnMemcached() {
		this.runner.withPropertyValues("lock.store=memcached", "lock.memcached.servers=127.0.0.1:1")
			.withBean(Sharing.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> assertThat(ex.getAction())
					.contains("SHARE, replay and idempotent work", "choose another lock.store")));
	}

	@Test
	@DisplayName("An application's own store replaces the configured one, whose driver may be missing")
	void ownStore() {
		this.runner.withPropertyValues("lock.store=memcached")
			.withClassLoader(new FilteredClassLoader("com.spotify.folsom"))
			.withBean(LockStore.class, MemoryLockStore::new)
			.run((context) -> assertThat(context).getBean(LockStore.class).isInstanceOf(MemoryLockStore.class));
	}

	static class Sharing {

		@ExclusiveRequest(key = "#key", onConflict = OnConflict.SHARE)
		public String call(String key) {
			return key;
		}

	}

}
