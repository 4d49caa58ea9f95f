package io.github.lockstarter.registry.simulation;

/**
 * A kind of fault in a schedule.
 */
enum Fault {

	/** Messages take up to a second. */
	DELAYS,

	/** Messages are lost. */
	DROPS,

	/** A driver repeats a command, which arrives twice. */
	REPEATS,

	/** Messages overtake each other. */
	REORDERING,

	/** A process cannot reach the store for a while. */
	CUTS,

	/** A connection is reset, and re-established. */
	RESETS,

	/** The connection refuses a command, or throws, without sending it. */
	REFUSALS,

	/** Notifications are lost. */
	MUTENESS,

	/** The store freezes, and resumes. */
	FREEZES,

	/** The store restarts without data. */
	RESTARTS,

	/** A lagging replica takes over. */
	FAILOVERS,

	/** A process pauses while its clock continues. */
	PAUSES,

	/** A process is killed, and a new one replaces it. */
	KILLS,

	/** Clocks run too fast or too slow. */
	DRIFT,

	/** The clock of the store is set forward or back. */
	JUMPS,

	/** The timer runs steps late. */
	LATE_TIMERS,

	/** Application code is busy, and runs late. */
	SLOW_CALLBACKS,

	/** Registries are drained, released, and opened or closed. */
	SHUTDOWNS

}
