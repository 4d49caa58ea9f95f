package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Properties of the Redis store.
 *
 * @param keyPrefix Prefix of all keys in Redis. Applications with the same prefix share
 * their locks.
 * @param commandTimeout How long to wait for an answer from Redis before the request gets
 * status 503. The driver notices a timeout up to 100 ms late.
 * @param replicasToAck Number of replicas that must have a lock before it counts as
 * acquired, so that it survives a failover. They have half of the command timeout for
 * that, 8 s at most. Not for Redis Cluster.
 */
@ConfigurationProperties("lock.redis")
record RedisProperties(@DefaultValue("lock") String keyPrefix, @DefaultValue("500ms") Duration commandTimeout,
		@DefaultValue("0") int replicasToAck) {

	RedisProperties {
		LockProperties.check("lock.redis.key-prefix", keyPrefix, RedisProperties::checkPrefix);
		LockProperties.check("lock.redis.command-timeout", commandTimeout, LockProperties::checkTimeout);
		LockProperties.check("lock.redis.replicas-to-ack", replicasToAck, RedisProperties::checkReplicas);
	}

	private static void checkPrefix(String prefix) {
		Assert.isTrue(!prefix.isBlank() && !prefix.matches(".*[{}].*"),
				"A prefix must not be blank or contain braces, which determine the slot in a Redis Cluster");
	}

	private static void checkReplicas(int replicas) {
		Assert.isTrue(replicas >= 0, "It must not be negative");
	}

}
