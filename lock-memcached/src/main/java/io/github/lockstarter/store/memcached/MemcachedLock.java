package io.github.lockstarter.store.memcached;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.GetResult;
import com.spotify.folsom.MemcacheStatus;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoreCalls.NotDone;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;

/**
 * A lock in memcached, stored as one item while it is held.
 */
final class MemcachedLock implements TokenStoredLock {

	/**
	 * The limit for repeated changes. Only its owner changes an item, and concurrent
	 * changes are rare.
	 */
	private static final int MOST_CHANGES = 100;

	private final AsciiMemcacheClient<String> memcached;

	private final StoreCalls calls;

	private final LockKey key;

	private final String name;

	/**
	 * The last acquisition through this handle by an owner that will not acquire the lock
	 * again. A shared token may acquire it again, so its releases are not repeated.
	 */
	private volatile @Nullable AcquireCommand last;

	MemcachedLock(AsciiMemcacheClient<String> memcached, StoreCalls calls, LockKey key, String name) {
		this.memcached = memcached;
		this.calls = calls;
		this.key = key;
		this.name = name;
	}

	@Override
	public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
		String owner = command.owner();
		Duration ttl = command.ttl();
		if (!command.undoneOnFailure()) {
			return this.calls.call(this.key, () -> take(owner, ttl));
		}
		this.last = command;
		return this.calls.grant(this.key, ttl, () -> take(owner, ttl), () -> delete(owner));
	}

	private CompletionStage<AcquireResult> take(String owner, Duration ttl) {
		Item item = Item.of(owner, ttl);
		return add(item).thenCompose((added) -> {
			AcquireResult result = added.result(item);
			if (added.isNew() || !(result instanceof Granted)) {
				return CompletableFuture.completedStage(result);
			}
			return extend(owner, ttl)
				.thenCompose((changed) -> changed ? CompletableFuture.completedStage(result) : take(owner, ttl));
		});
	}

	/** Sends both commands at once. The answer to the second one is decisive. */
	private CompletionStage<Added> add(Item item) {
		CompletionStage<MemcacheStatus> added = this.memcached.add(this.name, item.text(), item.seconds());
		if (added.toCompletableFuture().isCompletedExceptionally()) {
			return added.handle((status, failure) -> {
				throw new NotDone("the command could not be sent to memcached", failure);
			});
		}
		return added.thenCombine(this.memcached.casGet(this.name), Added::new);
	}

	@Override
	public CompletionStage<Boolean> renew(String owner, Duration ttl) {
		return this.calls.call(this.key, () -> extend(owner, ttl));
	}

	@Override
	public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
		return release(owner, () -> delete(owner));
	}

	/** Memcached counts whole seconds, so this may last up to two seconds longer. */
	@Override
	public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
		return release(owner, () -> change(owner, (found) -> {
			Item item = Item.of(StoredLock.ended(owner), time);
			return this.memcached.set(this.name, item.text(), item.seconds(), found.getCas());
		}, MOST_CHANGES));
	}

	private CompletionStage<Boolean> release(String owner, Supplier<CompletionStage<Boolean>> release) {
		AcquireCommand last = this.last;
		return (last != null && last.owner().equals(owner)) ? this.calls.release(this.key, last.ttl(), release, release)
				: this.calls.call(this.key, release);
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining() {
		return this.calls.call(this.key, () -> this.memcached.get(this.name)
			.thenApply((text) -> Optional.ofNullable(text).map((found) -> Item.parse(found).remaining())));
	}

	private CompletionStage<Boolean> delete(String owner) {
		return change(owner, (found) -> this.memcached.delete(this.name, found.getCas()), MOST_CHANGES);
	}

	/** Extends the item to the given time. The time is never shortened. */
	private CompletionStage<Boolean> extend(String owner, Duration ttl) {
		return change(owner, (found) -> {
			Duration remaining = Item.parse(found.getValue()).remaining();
			Item item = Item.of(owner, (remaining.compareTo(ttl) > 0) ? remaining : ttl);
			return this.memcached.set(this.name, item.text(), item.seconds(), found.getCas());
		}, MOST_CHANGES);
	}

	/**
	 * Changes the item if it belongs to the owner. If another command changes it
	 * concurrently, the item is read again.
	 */
	private CompletionStage<Boolean> change(String owner, Change change, int times) {
		return this.memcached.casGet(this.name).thenCompose((found) -> {
			if (found == null || !Item.parse(found.getValue()).isOf(owner)) {
				return CompletableFuture.completedFuture(false);
			}
			return change.of(found).thenCompose((status) -> switch (status) {
				case OK -> CompletableFuture.completedFuture(true);
				case KEY_NOT_FOUND -> CompletableFuture.completedFuture(false);
				case KEY_EXISTS -> (times > 1) ? change(owner, change, times - 1) : CompletableFuture
					.failedFuture(new IllegalStateException("the item was changed by other commands too often"));
				default -> CompletableFuture.failedFuture(new IllegalStateException("memcached refused: " + status));
			});
		});
	}

	/** The answer of memcached to {@code add}, and the item that it has. */
	private record Added(MemcacheStatus status, @Nullable GetResult<String> found) {

		AcquireResult result(Item item) {
			if (this.found != null && item.hasSameOwnerAs(Item.parse(this.found.getValue()))) {
				if (this.found.getCas() == 0) {
					throw new IllegalStateException("memcached was started without CAS (-C), which locks need");
				}
				return new Granted(this.found.getCas());
			}
			if (this.status == MemcacheStatus.ITEM_NOT_STORED) {
				return new Held((this.found != null) ? Item.parse(this.found.getValue()).remaining() : Duration.ZERO);
			}
			throw new IllegalStateException("memcached did not store it: " + this.status);
		}

		boolean isNew() {
			return this.status == MemcacheStatus.OK;
		}

	}

	/** A change of the item that was read, and of no other one. */
	private interface Change {

		CompletionStage<MemcacheStatus> of(GetResult<String> found);

	}

}
