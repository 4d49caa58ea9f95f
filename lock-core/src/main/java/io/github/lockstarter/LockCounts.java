package io.github.lockstarter;

import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Counts the events of the locks of this instance since its start, by lock name and never
 * by key. Applications can inject the auto-configured bean to read the counts, as in
 * {@code counts.get("reports", Event.CONTENDED)}.
 */
public interface LockCounts {

	/**
	 * Returns the number of events.
	 * @param lockName the name of the lock
	 * @param event what happened
	 * @return the number of events in this instance
	 */
	long get(String lockName, Event event);

	/**
	 * Returns whether any event has been counted for the name.
	 * @param lockName the name of the lock
	 * @return whether there is a count for it
	 */
	boolean knows(String lockName);

	/**
	 * Returns the names of the locks for which events have been counted.
	 * @return the names
	 */
	Set<String> lockNames();

	/**
	 * Calls the listener for each lock name that has a count, now and in the future.
	 * @param listener called at least once for each name, by the thread that counts its
	 * first event
	 */
	void onName(Consumer<String> listener);

	/**
	 * The events that are counted.
	 */
	enum Event {

		/** An attempt acquired the lock. */
		GRANTED,

		/** An attempt that does not wait was rejected: the lock is held. */
		CONFLICT,

		/** An attempt was rejected after its wait. */
		TIMEOUT,

		/**
		 * An attempt with a wait time was rejected at once: {@code lock.max-waiters}
		 * callers were waiting already.
		 */
		QUEUE_FULL,

		/**
		 * An attempt received the result of the holder, or a stored one, instead of the
		 * lock.
		 */
		RESULT,

		/** An attempt was cancelled by its caller. */
		CANCELLED,

		/** An attempt failed, because the store failed or the registry was closed. */
		ERROR,

		/**
		 * A lease was released before it ended. The store may have failed to confirm it.
		 */
		RELEASED,

		/** A lease ended before it was released. */
		LOST,

		/** A lease was renewed. */
		RENEWED,

		/**
		 * A lock was handed to the next waiter in the same instance, without a command to
		 * the store.
		 */
		HANDED_OFF,

		/** A command to the store failed, of any kind. */
		STORE_ERROR,

		/** A caller found the lock held, whether it acquired the lock later or not. */
		CONTENDED,

		/** A waiter received the result of the holder. */
		SHARED,

		/** A later duplicate received a stored result. */
		REPLAYED,

		/**
		 * A result was larger than {@code lock.share.max-size}, so it was not shared. If
		 * it was to be replayed, its duplicates are rejected.
		 */
		TOO_LARGE,

		/**
		 * A result could not be written for other callers, so it was not shared. If it
		 * was to be replayed, its duplicates are rejected.
		 */
		NOT_WRITABLE,

		/**
		 * A stored result could not be read. A duplicate is rejected; a call that waited
		 * for the result of another one runs.
		 */
		NOT_READABLE,

		/**
		 * A result was not kept, because the transactions of its call were rolled back or
		 * may yet be. A duplicate runs.
		 */
		NOT_KEPT,

		/**
		 * A result was dropped before its time, because its store had reached its limit.
		 * A later duplicate runs again.
		 */
		RESULT_DROPPED,

		/** A call of an annotated method was skipped, because the lock is held. */
		SKIPPED,

		/**
		 * A call of an annotated method ran without the lock, because the store failed.
		 */
		UNGUARDED,

		/**
		 * A {@link LockConflictEvent} or {@link LockSkippedEvent} was not published,
		 * because too many events were waiting for slow listeners.
		 */
		EVENT_DROPPED;

		/**
		 * Returns the name of the event in metrics and endpoints.
		 * @return the name in lower case, as in {@code handed-off}
		 */
		public String label() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
