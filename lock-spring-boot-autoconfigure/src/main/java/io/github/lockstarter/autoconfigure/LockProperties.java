package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.aop.LockSettings;

/**
 * Properties under {@code lock}. A property that does not exist is refused: a misspelt
 * one would leave a lock other than the operator believes.
 *
 * @param store Where locks live. Memory keeps them in this JVM only, so it excludes
 * nothing between servers, and has to be asked for.
 * @param ttl How long a lock is held at most when it is not released, for example because
 * its server died. Work that takes longer is not protected any more.
 * @param waitTime How long a request waits for a lock that is held before it is refused.
 * @param names Settings by the name of a lock. They have the last word over the
 * annotation.
 * @param web How refusals are answered.
 * @param redis Settings of the Redis store.
 */
@ConfigurationProperties(prefix = "lock", ignoreUnknownFields = false)
record LockProperties(@DefaultValue("redis") Store store, @DefaultValue("10s") Duration ttl,
		@Name("wait") @DefaultValue("0s") Duration waitTime, @DefaultValue Map<String, Named> names,
		@DefaultValue Web web, @DefaultValue Redis redis) {

	private static final LockOptions VALID = LockOptions.of(Duration.ofSeconds(1));

	LockProperties {
		check("lock.ttl", ttl, LockOptions::of);
		check("lock.wait", waitTime, VALID::withWaitTime);
		check("lock.web.conflict-status", web.conflictStatus(), VALID::withConflictStatus);
		names.forEach((name, named) -> {
			check("lock.names." + name + ".ttl", named.ttl(), LockOptions::of);
			check("lock.names." + name + ".wait", named.waitTime(), VALID::withWaitTime);
			check("lock.names." + name + ".conflict-status", named.conflictStatus(), VALID::withConflictStatus);
		});
		check("lock.redis.command-timeout", redis.commandTimeout(), Redis::checkedTimeout);
		check("lock.redis.key-prefix", redis.keyPrefix(), Redis::checkedPrefix);
	}

	/** Returns what holds where neither an annotation nor a name says otherwise. */
	LockOptions options() {
		return new LockOptions(this.ttl, this.waitTime, this.web.conflictStatus());
	}

	/** Returns what the operator says about the lock of that name, if anything. */
	@Nullable LockSettings settings(String name) {
		Named named = this.names.get(name);
		return (named != null) ? new LockSettings(named.ttl(), named.waitTime(), named.conflictStatus()) : null;
	}

	/** Checks a value by the type it is for, and names the property if it is refused. */
	private static <T> void check(String property, @Nullable T value, Consumer<T> use) {
		if (value == null) {
			return;
		}
		try {
			use.accept(value);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidConfigurationPropertyValueException(property, value, ex.getMessage());
		}
	}

	/** Where locks can live. */
	enum Store {

		/** Redis, shared by all servers. */
		REDIS,

		/** This JVM only. */
		MEMORY

	}

	/**
	 * Settings of one lock.
	 *
	 * @param ttl How long the lock is held at most.
	 * @param waitTime How long a request waits for the lock.
	 * @param conflictStatus HTTP status of a refusal: 409, 422, 423 or 429.
	 */
	record Named(@Nullable Duration ttl, @Name("wait") @Nullable Duration waitTime, @Nullable Integer conflictStatus) {
	}

	/**
	 * How refusals are answered.
	 *
	 * @param conflictStatus HTTP status of a refusal: 409, 422, 423 or 429.
	 */
	record Web(@DefaultValue("409") int conflictStatus) {
	}

	/**
	 * Settings of the Redis store.
	 *
	 * @param keyPrefix What all keys in Redis begin with. Applications with the same
	 * prefix share their locks.
	 * @param commandTimeout How long to wait for an answer from Redis before the request
	 * is answered with 503.
	 */
	record Redis(@DefaultValue("lock") String keyPrefix, @DefaultValue("500ms") Duration commandTimeout) {

		private static Duration checkedTimeout(Duration timeout) {
			if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofMinutes(10)) > 0) {
				throw new IllegalArgumentException("A time-out must be at least 1ms and at most 10m");
			}
			return timeout;
		}

		private static String checkedPrefix(String prefix) {
			if (prefix.isBlank() || prefix.matches(".*[{}].*")) {
				throw new IllegalArgumentException("A prefix must not be blank, nor contain braces,"
						+ " which decide on the slot in a Redis Cluster");
			}
			return prefix;
		}

	}

}
