package io.github.lockstarter.store.memcached;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.GetResult;
import com.spotify.folsom.MemcacheStatus;
import com.spotify.folsom.guava.HostAndPort;
import com.spotify.folsom.reconnect.AbstractReconnectionListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReconnectNotifications;
import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoreCalls.NotDone;
import io.github.lockstarter.store.TokenStore;

/**
 * Keeps locks in memcached: one item per held lock, whose value is the owner. A lock is
 * taken by {@code add}, which memcached does only if there is no such item. It is renewed
 * and released by {@code cas}, which does it only if the item is still the one in which
 * the owner was seen. The fencing token is that number, the unique one of {@code cas}: it
 * grows with every change on a server, and begins anew when the server does.
 * <p>
 * Memcached counts whole seconds, and ends an item up to a second early, so that a lock
 * whose holder died is free up to two seconds after its time to live. It tells nobody of
 * a release: who waits asks again and again. It may drop a lock that is held, when it is
 * restarted or runs out of memory.
 */
public final class MemcachedLockStore implements LockStore, TokenStore, ReconnectNotifications, AutoCloseable {

	/**
	 * The longest time to live. From 30 days on memcached would read a number of seconds
	 * as a date.
	 */
	public static final Duration LONGEST_TTL = Duration.ofDays(30).minusSeconds(2);

	private static final Log logger = LogFactory.getLog(MemcachedLockStore.class);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(2);

	/** Only its owner changes an item, seldom more than once at a time. */
	private static final int MOST_CHANGES = 100;

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
		this.calls = new StoreCalls("memcached", commandTimeout);
		this.memcached = Servers.connect(servers, new AbstractReconnectionListener() {

			@Override
			public void reconnectionSuccessful(HostAndPort server, int attempt, boolean willStayConnected) {
				MemcachedLockStore.this.onReconnect.forEach(Runnable::run);
			}

		});
		this.memcached.fullyConnectedFuture()
			.toCompletableFuture()
			.copy()
			.orTimeout(START_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)
			.exceptionally((failure) -> {
				logger.warn("No connection to memcached at %s: whatever needs a lock there fails until there is one"
					.formatted(String.join(", ", servers)));
				return null;
			})
			.join();
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
	public CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl) {
		String name = this.keys.of(key);
		return this.calls.grant(key, ttl, () -> {
			Item item = Item.of(owner, ttl);
			return add(name, item).thenApply((added) -> added.result(item));
		}, () -> delete(name, owner));
	}

	@Override
	public CompletionStage<AcquireResult> claim(LockKey key, String owner, Duration ttl, @Nullable Runnable onRelease) {
		return this.calls.call(key, () -> claim(this.keys.of(key), owner, ttl));
	}

	private CompletionStage<AcquireResult> claim(String name, String owner, Duration ttl) {
		Item item = Item.of(owner, ttl);
		return add(name, item).thenCompose((added) -> {
			AcquireResult result = added.result(item);
			if (added.isNew() || !(result instanceof Granted)) {
				return CompletableFuture.completedStage(result);
			}
			return extend(name, owner, ttl)
				.thenCompose((changed) -> changed ? CompletableFuture.completedStage(result) : claim(name, owner, ttl));
		});
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining(LockKey key) {
		return this.calls.call(key, () -> this.memcached.get(this.keys.of(key))
			.thenApply((text) -> Optional.ofNullable(text).map((found) -> Item.parse(found).remaining())));
	}

	/** Both requests are sent at once; what the second finds decides. */
	private CompletionStage<Added> add(String name, Item item) {
		CompletionStage<MemcacheStatus> added = this.memcached.add(name, item.text(), item.seconds());
		if (added.toCompletableFuture().isCompletedExceptionally()) {
			return added.handle((status, failure) -> {
				throw new NotDone("memcached could not be sent the request", failure);
			});
		}
		return added.thenCombine(this.memcached.casGet(name), Added::new);
	}

	@Override
	public CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
		String name = this.keys.of(key);
		return this.calls.call(key, () -> extend(name, owner, ttl));
	}

	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner) {
		return this.calls.call(key, () -> delete(this.keys.of(key), owner));
	}

	private CompletionStage<Boolean> delete(String name, String owner) {
		return change(name, owner, (found) -> this.memcached.delete(name, found.getCas()), MOST_CHANGES);
	}

	/** Lets the item live for the given time, or longer if it would have. */
	private CompletionStage<Boolean> extend(String name, String owner, Duration ttl) {
		return change(name, owner, (found) -> {
			Duration remaining = Item.parse(found.getValue()).remaining();
			Item item = Item.of(owner, (remaining.compareTo(ttl) > 0) ? remaining : ttl);
			return this.memcached.set(name, item.text(), item.seconds(), found.getCas());
		}, MOST_CHANGES);
	}

	/**
	 * Changes the item if it is the owner's. If it is changed by somebody else meanwhile,
	 * it is looked at again.
	 */
	private CompletionStage<Boolean> change(String name, String owner, Change change, int times) {
		return this.memcached.casGet(name).thenCompose((found) -> {
			if (found == null || !Item.parse(found.getValue()).isOf(owner)) {
				return CompletableFuture.completedFuture(false);
			}
			return change.of(found).thenCompose((status) -> switch (status) {
				case OK -> CompletableFuture.completedFuture(true);
				case KEY_NOT_FOUND -> CompletableFuture.completedFuture(false);
				case KEY_EXISTS -> (times > 1) ? change(name, owner, change, times - 1)
						: CompletableFuture.failedFuture(new IllegalStateException("the item is changed all the time"));
				default -> CompletableFuture.failedFuture(new IllegalStateException("memcached refused: " + status));
			});
		});
	}

	/** What memcached said to an item that was added, and what it has. */
	private record Added(MemcacheStatus status, @Nullable GetResult<String> found) {

		AcquireResult result(Item item) {
			if (this.found != null && item.hasSameOwnerAs(Item.parse(this.found.getValue()))) {
				if (this.found.getCas() == 0) {
					throw new IllegalStateException("memcached was started without CAS (-C), which locks need");
				}
				return new Granted(this.found.getCas());
			}
			if (this.status == MemcacheStatus.ITEM_NOT_STORED) {
				return new Busy((this.found != null) ? Item.parse(this.found.getValue()).remaining() : Duration.ZERO);
			}
			throw new IllegalStateException("memcached did not keep it: " + this.status);
		}

		boolean isNew() {
			return this.status == MemcacheStatus.OK;
		}

	}

	/** A change of the item that was found, and of no other. */
	private interface Change {

		CompletionStage<MemcacheStatus> of(GetResult<String> found);

	}

}
