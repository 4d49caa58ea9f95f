package io.github.lockstarter.registry.entry;

/**
 * What a {@link LockEntry} is busy with.
 */
enum EntryState {

	/** No caller has arrived yet. */
	NEW,

	/** The head of the queue has asked the store. */
	ACQUIRING,

	/** The lock is held elsewhere, and the queue waits to be woken. */
	WAITING,

	/** A lease is held here. */
	HELD,

	/** The store is releasing the lock, or the next caller is about to ask for it. */
	RELEASING,

	/** Out of the table: a caller that arrives now finds its successor there. */
	RETIRED

}
