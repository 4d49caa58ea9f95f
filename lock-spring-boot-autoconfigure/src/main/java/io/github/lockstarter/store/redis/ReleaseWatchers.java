package io.github.lockstarter.store.redis;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this instance runs when a lock is released for others: each of its waiters retries
 * then.
 */
final class ReleaseWatchers {

	private final Map<ByteBuffer, Runnable> actions = new ConcurrentHashMap<>();

	void add(byte[] lock, Runnable action) {
		this.actions.put(ByteBuffer.wrap(lock), action);
	}

	void remove(byte[] lock, Runnable action) {
		this.actions.remove(ByteBuffer.wrap(lock), action);
	}

	boolean isEmpty() {
		return this.actions.isEmpty();
	}

	void wake(byte[] lock) {
		Runnable action = this.actions.get(ByteBuffer.wrap(lock));
		if (action != null) {
			action.run();
		}
	}

	void wakeAll() {
		this.actions.values().forEach(Runnable::run);
	}

}
