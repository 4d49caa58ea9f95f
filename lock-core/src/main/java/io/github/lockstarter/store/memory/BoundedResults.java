package io.github.lockstarter.store.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.ResultLimits;
import io.github.lockstarter.store.StoredResult;

/**
 * Results up to a number and an amount of memory. Beyond that, the oldest is dropped: the
 * oldest of the same callers if these have more than a quarter of the results or of the
 * memory, so that one principal cannot push out the results of all others; otherwise the
 * oldest of all. Locks are not stored here, and are never dropped for a result.
 */
final class BoundedResults {

	/** The part of the limits from which callers push out only their own results. */
	private static final int QUARTER = 4;

	/** The memory that a result uses besides its characters, in bytes. */
	private static final int EACH = 512;

	private final ResultLimits limits;

	/** All results, the oldest first. Guarded by this, as all that follows. */
	private final Map<Key, Result> all = new LinkedHashMap<>();

	private final Map<String, Group> groups = new HashMap<>();

	private long bytes;

	BoundedResults(ResultLimits limits) {
		this.limits = limits;
	}

	/** Returns the result; {@code null} if there is none. It may have expired. */
	synchronized @Nullable Result get(Key key) {
		return this.all.get(key);
	}

	/**
	 * Adds a result, and returns the keys of those that were dropped for it before their
	 * time. A result that alone exceeds the limit is dropped itself.
	 */
	synchronized List<Key> put(Key key, Result result) {
		long size = bytes(key.lock(), result.result());
		remove(key);
		if (size > this.limits.bytes()) {
			return List.of(key);
		}
		this.all.put(key, result);
		Group group = this.groups.computeIfAbsent(key.name(), (name) -> new Group());
		group.keys.put(key, result);
		add(group, size);
		List<Key> dropped = new ArrayList<>();
		while (exceeded(this.all.size(), this.bytes, 1)) {
			boolean own = group.keys.size() > 1 && exceeded(group.keys.size(), group.bytes, QUARTER);
			Key oldest = (own ? group.keys : this.all).keySet().iterator().next();
			Result removed = remove(oldest);
			if (removed != null && removed.isLive(result.stored())) {
				dropped.add(oldest);
			}
		}
		return dropped;
	}

	private boolean exceeded(int results, long bytes, int part) {
		return results > this.limits.results() / part || bytes > this.limits.bytes() / part;
	}

	private @Nullable Result remove(Key key) {
		Result removed = this.all.remove(key);
		if (removed != null) {
			removeFromGroup(key, removed);
		}
		return removed;
	}

	private void removeFromGroup(Key key, Result removed) {
		Group group = Objects.requireNonNull(this.groups.get(key.name()));
		group.keys.remove(key);
		add(group, -bytes(key.lock(), removed.result()));
		if (group.keys.isEmpty()) {
			this.groups.remove(key.name());
		}
	}

	/** Returns the memory that a result uses, at most. */
	private static long bytes(LockKey lock, StoredResult result) {
		long characters = (long) lock.name().length() + lock.key().length() + result.key().name().length()
				+ result.text().length();
		return EACH + Character.BYTES * characters;
	}

	private void add(Group group, long bytes) {
		this.bytes += bytes;
		group.bytes += bytes;
	}

	/** Removes the results that match, and returns their number. */
	synchronized long removeIf(Predicate<Map.Entry<Key, Result>> predicate) {
		long removed = 0;
		for (Iterator<Map.Entry<Key, Result>> entries = this.all.entrySet().iterator(); entries.hasNext();) {
			Map.Entry<Key, Result> entry = entries.next();
			if (predicate.test(entry)) {
				entries.remove();
				removeFromGroup(entry.getKey(), entry.getValue());
				removed++;
			}
		}
		return removed;
	}

	/** Returns the number of results that match. */
	synchronized long count(Predicate<Map.Entry<Key, Result>> predicate) {
		return this.all.entrySet().stream().filter(predicate).count();
	}

	/** The name of a result contains the principal whose result it is. */
	record Key(LockKey lock, String name) {
	}

	record Result(StoredResult result, long stored, long expiry) {

		boolean isLive(long now) {
			return this.expiry - now > 0;
		}

	}

	/** The results with one name: those of one principal. */
	private static final class Group {

		private final Map<Key, Result> keys = new LinkedHashMap<>();

		private long bytes;

	}

}
