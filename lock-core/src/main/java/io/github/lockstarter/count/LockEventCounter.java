package io.github.lockstarter.count;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockstarter.LockCounts;

/**
 * Counts the events of an application. Code of the application reads them as
 * {@link LockCounts}.
 */
public final class LockEventCounter implements LockCounts {

	private static final Log logger = LogFactory.getLog(LockEventCounter.class);

	private final Map<String, Map<Event, LongAdder>> counts = new ConcurrentHashMap<>();

	private final List<Consumer<String>> nameListeners = new CopyOnWriteArrayList<>();

	/**
	 * Counts an event.
	 * @param lockName the name of the lock
	 * @param event what happened
	 */
	public void add(String lockName, Event event) {
		Map<Event, LongAdder> ofName = this.counts.get(lockName);
		if (ofName == null) {
			Map<Event, LongAdder> zeros = zeros();
			ofName = this.counts.putIfAbsent(lockName, zeros);
			if (ofName == null) {
				ofName = zeros;
				this.nameListeners.forEach((listener) -> report(listener, lockName));
			}
		}
		Objects.requireNonNull(ofName.get(event)).increment();
	}

	/** Has all events from the start, so that it needs no synchronization. */
	private static Map<Event, LongAdder> zeros() {
		Map<Event, LongAdder> zeros = new EnumMap<>(Event.class);
		EnumSet.allOf(Event.class).forEach((event) -> zeros.put(event, new LongAdder()));
		return zeros;
	}

	@Override
	public long get(String lockName, Event event) {
		Map<Event, LongAdder> ofName = this.counts.get(lockName);
		return (ofName != null) ? Objects.requireNonNull(ofName.get(event)).sum() : 0;
	}

	@Override
	public boolean knows(String lockName) {
		return this.counts.containsKey(lockName);
	}

	@Override
	public Set<String> lockNames() {
		return Set.copyOf(this.counts.keySet());
	}

	@Override
	public void onName(Consumer<String> listener) {
		this.nameListeners.add(listener);
		lockNames().forEach((name) -> report(listener, name));
	}

	/** A failure of the listener must not affect the lock. */
	private static void report(Consumer<String> listener, String lockName) {
		try {
			listener.accept(lockName);
		}
		catch (Throwable ex) {
			logger.error("A listener for the names of locks failed for lock '%s'".formatted(lockName), ex);
		}
	}

}
