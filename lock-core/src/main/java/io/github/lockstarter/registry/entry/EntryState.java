package io.github.lockstarter.registry.entry;

/**
 * The state of a {@link LockEntry}.
 */
enum EntryState {

	/** No caller has arrived yet. */
	NEW,

	/** The acquire command of the head of the queue is pending. */
	ACQUIRING,

	/** The lock is held elsewhere, and the queue waits for a wake-up. */
	WAITING,

	/** A lease is held here. */
	HELD,

	/** The store is releasing the lock, or the next caller is about to acquire it. */
	RELEASING,

	/**
	 * The entry has been removed. A caller that arrives now uses its successor.
	 */
	RETIRED

}
