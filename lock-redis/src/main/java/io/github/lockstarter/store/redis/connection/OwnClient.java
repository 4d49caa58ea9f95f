package io.github.lockstarter.store.redis.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * A client of the driver that is created on first use. Loading the driver takes a large
 * part of the startup time of a small application, and should not delay it.
 *
 * @param <C> the kind of client
 */
final class OwnClient<C extends AbstractRedisClient> implements Supplier<C> {

	private static final int MOST_COMMANDS = 50_000;

	private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(100);

	private final Supplier<C> factory;

	private final Lock lock = new ReentrantLock();

	private volatile @Nullable C client;

	private boolean shutDown;

	OwnClient(Supplier<C> factory) {
		this.factory = factory;
	}

	/**
	 * Returns the client.
	 * @throws IllegalStateException if it was shut down before its first use
	 */
	@Override
	public C get() {
		C known = this.client;
		return (known != null) ? known : create();
	}

	private C create() {
		this.lock.lock();
		try {
			C created = this.client;
			if (created == null) {
				if (this.shutDown) {
					throw new IllegalStateException("The client of Redis has been shut down");
				}
				created = this.factory.get();
				adapt(created);
				this.client = created;
			}
			return created;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Bounds the number of commands that the driver keeps for an unavailable server, and
	 * enables reconnections. Without them, the store would never recover from a broken
	 * connection.
	 */
	private static void adapt(AbstractRedisClient client) {
		ClientOptions options = client.getOptions();
		int queue = options.getRequestQueueSize();
		int most = (queue == ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE) ? MOST_COMMANDS : queue;
		if (client instanceof RedisClusterClient cluster) {
			cluster
				.setOptions(ClusterClientOptions.builder(options).requestQueueSize(most).autoReconnect(true).build());
		}
		else {
			((RedisClient) client).setOptions(options.mutate().requestQueueSize(most).autoReconnect(true).build());
		}
	}

	/** Ends the client and its resources. */
	void shutdown() {
		this.lock.lock();
		try {
			this.shutDown = true;
			C created = this.client;
			if (created != null) {
				ClientResources resources = created.getResources();
				created.shutdown(Duration.ZERO, SHUTDOWN_TIMEOUT);
				resources.shutdown(0, SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}
