package io.github.lockstarter;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts what happened to the locks of an application since it started, by the name of
 * the lock, never by its key. A bean of this type is there to be read, as in
 * {@code counts.get("reports", Event.CONTENDED)}.
 */
public final class LockCounts {

	private static final Log logger = LogFactory.getLog(LockCounts.class);

	private final Map<String, Map<Event, LongAdder>> counts = new ConcurrentHashMap<>();

	private final List<Consumer<String>> nameListeners = new CopyOnWriteArrayList<>();

	/**
	 * Adds one.
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

	/** Complete from the beginning, so that it can be read by all threads. */
	private static Map<Event, LongAdder> zeros() {
		Map<Event, LongAdder> zeros = new EnumMap<>(Event.class);
		EnumSet.allOf(Event.class).forEach((event) -> zeros.put(event, new LongAdder()));
		return zeros;
	}

	/**
	 * Returns how often it happened.
	 * @param lockName the name of the lock
	 * @param event what happened
	 * @return how often, in this application
	 */
	public long get(String lockName, Event event) {
		Map<Event, LongAdder> ofName = this.counts.get(lockName);
		return (ofName != null) ? Objects.requireNonNull(ofName.get(event)).sum() : 0;
	}

	/**
	 * Returns whether something has happened to locks of that name.
	 * @param lockName the name of the lock
	 * @return whether it has
	 */
	public boolean knows(String lockName) {
		return this.counts.containsKey(lockName);
	}

	/**
	 * Returns the names of the locks to which something has happened.
	 * @return the names
	 */
	public Set<String> lockNames() {
		return Set.copyOf(this.counts.keySet());
	}

	/**
	 * Reports every name of a lock for which an event was counted, now and from now on.
	 * @param listener is called at least once for each, by the thread that counts first
	 */
	public void onName(Consumer<String> listener) {
		this.nameListeners.add(listener);
		lockNames().forEach((name) -> report(listener, name));
	}

	/** The failure of a listener must not fail the lock that is counted. */
	private static void report(Consumer<String> listener, String lockName) {
		try {
			listener.accept(lockName);
		}
		catch (Throwable ex) {
			logger.error("The meters of lock '%s' could not be registered".formatted(lockName), ex);
		}
	}

	/**
	 * What is counted.
	 */
	public enum Event {

		/** An attempt got the lock. */
		GRANTED,

		/** An attempt that does not wait was refused: the lock is held. */
		CONFLICT,

		/** An attempt was refused after its wait. */
		TIMEOUT,

		/**
		 * An attempt that asked to wait was refused at once: {@code lock.max-waiters}
		 * callers wait already.
		 */
		QUEUE_FULL,

		/**
		 * An attempt got an answer of the holder, or a stored one, instead of the lock.
		 */
		RESULT,

		/** An attempt was given up by its caller. */
		CANCELLED,

		/** An attempt failed, because the store did, or there was a shutdown. */
		ERROR,

		/** A lease was released in time, as far as the store said. */
		RELEASED,

		/** A lease ended before it was released. */
		LOST,

		/** A lease was renewed. */
		RENEWED,

		/**
		 * A lock went to the next waiter in the same application, without the store.
		 */
		HANDED_OFF,

		/** The store failed to answer, whatever it was asked. */
		STORE_ERROR,

		/** A caller found the lock held, whether it got it later or not. */
		CONTENDED,

		/** A waiter was given the result of the holder. */
		SHARED,

		/** A later duplicate was given a stored result. */
		REPLAYED,

		/** A result was larger than {@code lock.share.max-size}, so no caller got it. */
		TOO_LARGE,

		/** A result could not be written as JSON, so no other caller got it. */
		NOT_WRITABLE,

		/** A stored result could not be read, so it was taken for absent. */
		NOT_READABLE,

		/** A call of an annotated method was skipped, because the lock is held. */
		SKIPPED,

		/**
		 * A call of an annotated method ran without the lock, because the store failed.
		 */
		UNGUARDED;

		/**
		 * Returns how it is written for operators.
		 * @return the name in lower case, as in {@code handed-off}
		 */
		public String label() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
