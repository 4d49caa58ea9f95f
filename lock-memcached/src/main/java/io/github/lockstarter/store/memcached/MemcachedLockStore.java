package io.github.lockstarter.store.memcached;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.guava.HostAndPort;
import com.spotify.folsom.reconnect.AbstractReconnectionListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.TokenStoredLock;

/**
 * Stores locks in memcached, with one item per held lock, whose value contains the owner.
 * A lock is acquired with {@code add}, which succeeds only if there is no such item. It
 * is renewed and released with {@code cas}, which succeeds only if the item has not
 * changed since the owner was read. The fencing token is the unique number of
 * {@code cas}. It grows with every change on a server, and restarts with the server.
 * <p>
 * Memcached counts whole seconds, and expires an item up to one second early. So the lock
 * of a crashed holder is free up to two seconds after its time to live. Waiters are not
 * notified of a release: they poll. Memcached may drop a lock that is held, when it is
 * restarted or runs out of memory.
 */
public final class MemcachedLockStore implements LockStore, AutoCloseable {

	/**
	 * The longest time to live. From 30 days on, memcached reads a number of seconds as a
	 * date.
	 */
	public static final Duration LONGEST_TTL = Duration.ofDays(30).minusSeconds(2);

	private static final Log logger = LogFactory.getLog(MemcachedLockStore.class);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(2);

	private static final Set<Capability> CAPABILITIES = Set.of(Capability.HOLDS_FOR_TOKENS);

	private final List<Runnable> onReconnect = new CopyOnWriteArrayList<>();

	private final AsciiMemcacheClient<String> memcached;

	private final MemcachedKeys keys;

	private final StoreCalls calls;

	/**
	 * Creates a store, and waits for a connection for at most 2 s. Without a connection,
	 * a warning is logged, and the store continues to connect in the background.
	 * @param servers the servers, each as {@code host} or {@code host:port}; all
	 * applications that share locks must name the same servers in the same way
	 * @param keyPrefix the prefix of all keys in memcached: 1 to 100 visible ASCII
	 * characters without a colon
	 * @param commandTimeout the longest time to wait for an answer
	 * @throws IllegalArgumentException if the prefix is not valid, or a server is not
	 */
	public MemcachedLockStore(List<String> servers, String keyPrefix, Duration commandTimeout) {
		this.keys = new MemcachedKeys(keyPrefix);
		this.memcached = MemcachedServers.connect(servers, new AbstractReconnectionListener() {

			@Override
			public void reconnectionSuccessful(HostAndPort server, int attempt, boolean willStayConnected) {
				MemcachedLockStore.this.onReconnect.forEach(Runnable::run);
			}

		});
		this.calls = new StoreCalls("memcached", commandTimeout);
		awaitConnection(servers);
	}

	private void awaitConnection(List<String> servers) {
		try {
			this.memcached.fullyConnectedFuture()
				.toCompletableFuture()
				.get(START_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("No connection to memcached at %s: calls that need a lock there fail until there is one"
				.formatted(String.join(", ", servers)));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Disconnects. */
	@Override
	public void close() {
		this.calls.close();
		this.memcached.shutdown();
	}

	@Override
	public void onReconnect(Runnable action) {
		this.onReconnect.add(action);
	}

	@Override
	public TokenStoredLock lock(LockKey key) {
		return new MemcachedLock(this.memcached, this.calls, key, this.keys.of(key));
	}

	@Override
	public Set<Capability> capabilities() {
		return CAPABILITIES;
	}

}
