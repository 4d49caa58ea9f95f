package io.github.lockstarter.registry;

/**
 * What a {@link LocalLock} is busy with.
 */
enum State {

	/** Nobody has come yet. */
	NEW,

	/** The head of the queue has asked the store. */
	CONTENDING,

	/** The lock is held elsewhere, and the queue waits to be woken. */
	ASLEEP,

	/** A lease is held here. */
	HELD,

	/** A lease is being released in the store. */
	RELEASING,

	/** Out of the table: whoever comes now has to look for its successor there. */
	RETIRED

}
