import java.time.Duration;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.LettuceConnections;

/**
 * Two processes, so to speak, that share a lock in Redis, without Spring.
 */
public final class PlainJava {

	private static final LockKey KEY = new LockKey("orders", "1");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofMinutes(1));

	private PlainJava() {
	}

	public static void main(String[] args) {
		try (RedisLockStore store = store(args[0]);
				DefaultLockRegistry registry = new DefaultLockRegistry(store, OPTIONS);
				RedisLockStore otherStore = store(args[0]);
				DefaultLockRegistry other = new DefaultLockRegistry(otherStore, OPTIONS)) {
			try (Lease lease = registry.acquire(KEY, OPTIONS)) {
				System.out.println("held: " + lease.isHeld() + ", other: " + isFree(other));
			}
			System.out.println("released, other: " + isFree(other));
		}
	}

	private static boolean isFree(LockRegistry registry) {
		return registry.tryAcquire(KEY, OPTIONS).map((lease) -> {
			lease.close();
			return true;
		}).orElse(false);
	}

	private static RedisLockStore store(String port) {
		return new RedisLockStore(
				LettuceConnections.to(RedisClient.create(), RedisURI.create("redis://127.0.0.1:" + port)), "plain",
				Duration.ofSeconds(30), 0);
	}

}
