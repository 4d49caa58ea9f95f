package io.github.lockstarter.registry.simulation;

/**
 * What goes wrong in a schedule.
 */
enum Fault {

	/** Messages take up to a second. */
	DELAYS,

	/** Messages are lost. */
	DROPS,

	/** A driver sends a request again, which arrives twice. */
	REPEATS,

	/** Messages overtake each other. */
	REORDERING,

	/** A process cannot reach the store for a while. */
	CUTS,

	/** A connection is reset, and is made again. */
	RESETS,

	/** The connection refuses a request, or throws, without sending it. */
	REFUSALS,

	/** Notifications are lost. */
	MUTENESS,

	/** The store stands still, and goes on. */
	FREEZES,

	/** The store starts anew, without data. */
	RESTARTS,

	/** A replica takes over that lacks the last moments. */
	FAILOVERS,

	/** A process stands still while its clock goes on. */
	PAUSES,

	/** A process dies, and another one takes its place. */
	KILLS,

	/** Clocks are too fast or too slow. */
	DRIFT,

	/** The clock of the store is set forward or back. */
	JUMPS,

	/** The timer runs steps late. */
	LATE_TIMERS,

	/** The code of the application is busy, and runs late. */
	SLOW_CALLBACKS,

	/** Registries are drained, released, and opened or closed. */
	SHUTDOWNS

}
