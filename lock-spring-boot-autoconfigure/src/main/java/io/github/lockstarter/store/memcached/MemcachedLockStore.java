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
import io.github.lockstarter.store.StoredLock;

/**
 * Keeps locks in memcached: one item per held lock, whose value is the owner. A lock is
 * taken by {@code add}, which memcached does only if there is no such item. It is renewed
 * and released by {@code cas}, which does it only if the item is still the one in which
 * the owner was seen. The fencing token is that number, the unique one of {@code cas}: it
 * grows with every change on a server, and begins anew when the server does.
 * <p>
 * Memcached counts whole seconds, and ends an item up to a second early, so that a lock
 * whose holder died is free up to two seconds after its time to live. It notifies no
 * waiters of a release: they poll. It may drop a lock that is held, when it is restarted
 * or runs out of memory.
 */
public final class MemcachedLockStore implements LockStore, AutoCloseable {

	/**
	 * The longest time to live. From 30 days on memcached would read a number of seconds
	 * as a date.
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
	 * Connects, and waits for it for at most 2 s. Without a connection there is a
	 * warning, and connecting goes on.
	 * @param servers the servers, each as {@code host} or {@code host:port}; all
	 * applications that share locks must name the same ones in the same way
	 * @param keyPrefix what all keys in memcached begin with: 1 to 100 visible ASCII
	 * characters, no colon among them
	 * @param commandTimeout how long to wait for an answer
	 */
	public MemcachedLockStore(List<String> servers, String keyPrefix, Duration commandTimeout) {
		this.keys = new MemcachedKeys(keyPrefix);
		this.memcached = Servers.connect(servers, new AbstractReconnectionListener() {

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
			logger.warn("No connection to memcached at %s: whatever needs a lock there fails until there is one"
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
	public StoredLock lock(LockKey key) {
		return new MemcachedLock(this.memcached, this.calls, key, this.keys.of(key));
	}

	@Override
	public Set<Capability> capabilities() {
		return CAPABILITIES;
	}

}
