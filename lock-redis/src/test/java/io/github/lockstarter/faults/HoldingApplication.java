package io.github.lockstarter.faults;

import java.time.Duration;

import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.redis.RedisInstance;

/**
 * An application that acquires one lock and holds it.
 */
final class HoldingApplication {

	private HoldingApplication() {
	}

	/** Arguments: host, port, key prefix, key, time to live in ms. */
	public static void main(String[] args) throws InterruptedException {
		RedisInstance instance = new RedisInstance(TestConnections.to(args[0], Integer.parseInt(args[1])), args[2], 0,
				64);
		instance.locks()
			.acquire(new LockKey("fault", args[3]), LockOptions.of(Duration.ofMillis(Long.parseLong(args[4]))));
		System.out.println("held");
		Thread.currentThread().join();
	}

}
