package io.github.lockstarter.store.redis;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The actions of this instance after the release of a lock: each of its waiters then
 * retries.
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
