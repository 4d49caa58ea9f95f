package io.github.lockstarter.testing;

import java.lang.management.ManagementFactory;
import java.util.function.IntFunction;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The processor time of this thread, which does not include the time for which the
 * machine was busy otherwise.
 */
public final class ProcessorTime {

	private static final int SHORT = 4_000;

	private static final int LONG = 10 * SHORT;

	/** Ten times the time, and a generous reserve. Quadratic work takes 100 times. */
	private static final int MOST = 30;

	private static final int ROUNDS = 5;

	private static final int REPETITIONS = 20;

	/** A time below it says little, because the processor does other things as well. */
	private static final long LEAST_NANOS = 100_000;

	private ProcessorTime() {
	}

	/**
	 * Asserts that the work for a text grows with its length, and not with its square.
	 * @param work returns the work for a text with this number of characters
	 */
	public static void assertLinear(IntFunction<Runnable> work) {
		Runnable small = work.apply(SHORT);
		Runnable large = work.apply(LONG);
		long nanosOfSmall = Math.max(nanos(small), LEAST_NANOS);
		assertThat(nanos(large)).as("nanoseconds for a text that is ten times as long, which took %d", nanosOfSmall)
			.isLessThan(MOST * nanosOfSmall);
	}

	/** The shortest of several rounds is least affected by compilation. */
	private static long nanos(Runnable work) {
		return LongStream.generate(() -> nanosOfRound(work)).limit(ROUNDS).min().orElseThrow();
	}

	private static long nanosOfRound(Runnable work) {
		long begin = now();
		for (int i = 0; i < REPETITIONS; i++) {
			work.run();
		}
		return now() - begin;
	}

	private static long now() {
		return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
	}

}
