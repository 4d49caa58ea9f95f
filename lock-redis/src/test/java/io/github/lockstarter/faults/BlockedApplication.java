package io.github.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;

import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.redis.RedisInstance;

/**
 * An application whose callbacks never return. They block all threads that the library
 * has for application code, and locks must still be granted, renewed and handed on.
 */
final class BlockedApplication {

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final LockOptions OPTIONS = LockOptions.of(TTL);

	private BlockedApplication() {
	}

	/** Arguments: host, port, key prefix. */
	public static void main(String[] args) throws InterruptedException {
		int processors = Runtime.getRuntime().availableProcessors();
		System.out.println("processors " + processors);
		LockRegistry locks = new RedisInstance(TestConnections.to(args[0], Integer.parseInt(args[1])), args[2], 0, 64)
			.locks();
		Lease renewed = locks.acquire(key("renewed"), OPTIONS);
		CountDownLatch blocked = new CountDownLatch(processors);
		for (int i = 0; i < 10 * processors; i++) {
			Lease handedOff = locks.acquire(key("blocked" + i), OPTIONS);
			locks.tryAcquireAsync(key("blocked" + i), OPTIONS.withWaitTime(Duration.ofMinutes(2)))
				.thenRun(() -> block(blocked));
			handedOff.close();
		}
		blocked.await();
		System.out.println("blocked");
		Lease held = locks.acquire(key("contended"), OPTIONS);
		Thread waiter = new Thread(() -> {
			locks.acquire(key("contended"), OPTIONS.withWaitTime(Duration.ofMinutes(2))).close();
			System.out.println("granted to the waiter");
		});
		waiter.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> waiter.getState() == Thread.State.WAITING);
		held.close();
		waiter.join();
		long granted = System.nanoTime();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> System.nanoTime() - granted > TTL.multipliedBy(2).toNanos());
		System.out.println("renewed " + renewed.isHeld());
		Runtime.getRuntime().halt(0);
	}

	private static LockKey key(String key) {
		return new LockKey("fault", key);
	}

	private static void block(CountDownLatch blocked) {
		blocked.countDown();
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
