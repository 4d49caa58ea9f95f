package io.github.lockstarter.plain;

import java.time.Duration;
import java.util.Optional;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.LettuceConnections;

class Registrations implements AutoCloseable {

	private final LockOptions options = LockOptions.of(Duration.ofSeconds(10));

	private final RedisLockStore store;

	private final DefaultLockRegistry locks;

	Registrations(RedisURI redis) {
		RedisClient client = RedisClient
			.create(ClientResources.builder().reconnectDelay(Delay.constant(Duration.ofMillis(250))).build());
		this.store = new RedisLockStore(LettuceConnections.to(client, redis), "lock", Duration.ofSeconds(1), 0);
		this.store.start();
		this.locks = new DefaultLockRegistry(this.store, this.options);
	}

	/** Returns false if the same user is being registered. */
	boolean register(String userName, Runnable work) {
		Optional<Lease> lease = this.locks.tryAcquire(new LockKey("registration", userName), this.options);
		lease.ifPresent((held) -> {
			try (held) {
				work.run();
			}
		});
		return lease.isPresent();
	}

	@Override
	public void close() {
		this.locks.close();
		this.store.close();
	}

}
