package io.github.lockstarter.benchmarks.candidate;

import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * A careful implementation by an application: {@code setIfAbsent} with a random owner,
 * and a script that compares and deletes.
 */
final class SpringDataLocks implements LockClient {

	private static final RedisScript<Long> RELEASE = RedisScript.of(LettuceLocks.RELEASE, Long.class);

	private final LettuceConnectionFactory factory;

	private final StringRedisTemplate redis;

	SpringDataLocks(RedisAddress address) {
		this.factory = address.newConnectionFactory();
		this.redis = new StringRedisTemplate(this.factory);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		String lock = "by-hand:" + key;
		String owner = UUID.randomUUID().toString();
		if (!Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(lock, owner, TTL))) {
			return null;
		}
		return () -> this.redis.execute(RELEASE, List.of(lock), owner);
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
