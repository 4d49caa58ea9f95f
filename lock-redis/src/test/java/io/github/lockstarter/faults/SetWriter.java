package io.github.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.testing.TestRedis;

/**
 * An application that reads a value, pauses, and writes it back with its own element
 * added, from four threads: without a lock most elements would be lost.
 */
final class SetWriter {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(5))
		.withWaitTime(Duration.ofSeconds(50));

	private SetWriter() {
	}

	/**
	 * Arguments: host, port, key prefix, name of the writer, elements for each thread.
	 */
	public static void main(String[] args) throws Exception {
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory(args[0], Integer.parseInt(args[1]));
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		try (RedisInstance instance = new RedisInstance(TestConnections.to(args[0], Integer.parseInt(args[1])), args[2],
				0, 64)) {
			ExecutorService executor = Executors.newFixedThreadPool(4);
			List<Future<?>> writers = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				String writer = args[3] + i;
				writers.add(executor.submit(() -> {
					for (int element = 0; element < Integer.parseInt(args[4]); element++) {
						try (Lease lease = instance.locks().acquire(new LockKey("set", ""), OPTIONS)) {
							String elements = redis.opsForValue().get("elements");
							LockSupport.parkNanos(500_000);
							redis.opsForValue().set("elements", elements + " " + writer + "-" + element);
							redis.opsForList().rightPush("tokens", Long.toString(lease.fencingToken()));
						}
					}
				}));
			}
			for (Future<?> writer : writers) {
				writer.get();
			}
			executor.shutdown();
			System.out.println("done " + instance.losses().size() + " losses");
		}
		factory.destroy();
	}

}
