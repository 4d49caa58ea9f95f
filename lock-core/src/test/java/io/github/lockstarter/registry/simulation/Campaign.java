package io.github.lockstarter.registry.simulation;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.registry.simulation.Simulation.Outcome;

/**
 * Runs schedules until a time limit, or until an invariant is violated.
 */
final class Campaign {

	private static final int LAST_LINES = 60;

	private static final String REPLAY = "mvn test -pl lock-core -am"
			+ " -Dtest=SimulationTests#replay -Dsimulation.seed=";

	private static final Log logger = LogFactory.getLog(Campaign.class);

	private int schedules;

	private long steps;

	private final Map<Event, Long> counts = new EnumMap<>(Event.class);

	private int mostMissed;

	private long nanos;

	private @Nullable Outcome failed;

	/**
	 * Runs schedules.
	 * @param seeds the source of seeds
	 * @param most the maximum number of schedules
	 * @param seconds the time limit
	 */
	Campaign run(LongSupplier seeds, int most, long seconds) {
		long begin = System.nanoTime();
		long end = begin + TimeUnit.SECONDS.toNanos(seconds);
		while (this.schedules < most && System.nanoTime() - end < 0 && this.failed == null) {
			Outcome outcome = Simulation.run(seeds.getAsLong(), false);
			this.schedules++;
			this.steps += outcome.steps();
			outcome.counts().forEach((event, count) -> this.counts.merge(event, count, Long::sum));
			this.mostMissed = Math.max(this.mostMissed, outcome.mostMissed());
			if (outcome.violation() != null) {
				this.failed = Simulation.run(outcome.seed(), true);
			}
		}
		this.nanos = System.nanoTime() - begin;
		return this;
	}

	/** Returns the schedule that failed, with its trace. */
	@Nullable Outcome failed() {
		return this.failed;
	}

	int schedules() {
		return this.schedules;
	}

	/** Switches off the engine's log of failures, which are normal here. */
	static void hush() {
		LoggingSystem logging = LoggingSystem.get(Campaign.class.getClassLoader());
		logging.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.WARN);
		logging.setLogLevel("io.github.lockstarter.registry", LogLevel.OFF);
		logging.setLogLevel(Campaign.class.getPackageName(), LogLevel.INFO);
	}

	/** Switches the engine's log on again, for later tests in this process. */
	static void unhush() {
		LoggingSystem logging = LoggingSystem.get(Campaign.class.getClassLoader());
		logging.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.INFO);
		logging.setLogLevel("io.github.lockstarter.registry", null);
		logging.setLogLevel(Campaign.class.getPackageName(), null);
	}

	/** Returns the description of a failure. */
	static String describe(Outcome failed) {
		List<String> trace = failed.trace();
		int first = Math.max(1, trace.size() - LAST_LINES);
		return "%s%nSeed %d. To run it again and see the whole trace: %s%d%n%s%n...%n%s".formatted(
				(failed.violation() != null) ? failed.violation().getMessage() : "no violation", failed.seed(), REPLAY,
				failed.seed(), trace.get(0), String.join("\n", trace.subList(first, trace.size())));
	}

	@Override
	public String toString() {
		double seconds = this.nanos / 1e9;
		return "%d schedules and %d steps in %.1f s: %.0f schedules and %.2f million steps per minute; a process missed a lock %d times in a row. %s"
			.formatted(this.schedules, this.steps, seconds, this.schedules / seconds * 60,
					this.steps / seconds * 60 / 1e6, this.mostMissed, this.counts);
	}

	/**
	 * Runs schedules from the command line.
	 * @param args the first seed and the seconds, or one seed to trace
	 */
	public static void main(String[] args) {
		hush();
		long[] seed = { Long.parseLong(args[0]) };
		if (args.length == 1) {
			Outcome outcome = Simulation.run(seed[0], true);
			outcome.trace().forEach(logger::info);
			logger.info(describe(outcome));
			return;
		}
		Campaign campaign = new Campaign().run(() -> seed[0]++, Integer.MAX_VALUE, Long.parseLong(args[1]));
		logger.info(campaign);
		if (campaign.failed() != null) {
			logger.info(describe(campaign.failed()));
			System.exit(1);
		}
	}

}
