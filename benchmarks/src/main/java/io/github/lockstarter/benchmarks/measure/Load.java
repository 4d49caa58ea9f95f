package io.github.lockstarter.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

import com.sun.management.OperatingSystemMXBean;
import org.HdrHistogram.Histogram;

/**
 * Runs work repeatedly on some threads for a period of time. Each thread starts again as
 * soon as its work is done.
 */
public final class Load {

	private static final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private Load() {
	}

	/** A piece of work. */
	@FunctionalInterface
	public interface Work {

		void once() throws Exception;

	}

	/**
	 * Runs the work, and returns the results.
	 * @param threads the number of threads, which start together
	 * @param duration the length of the period; work in progress at its end is completed,
	 * but not counted
	 * @param works returns the work of a thread by its number
	 */
	public static Slice run(int threads, Duration duration, IntFunction<Work> works) throws Exception {
		AtomicLong begin = new AtomicLong();
		AtomicLong processorTime = new AtomicLong();
		CyclicBarrier ready = new CyclicBarrier(threads, () -> {
			processorTime.set(system.getProcessCpuTime());
			begin.set(System.nanoTime());
		});
		List<Callable<Histogram>> loops = new ArrayList<>();
		for (int thread = 0; thread < threads; thread++) {
			Work work = works.apply(thread);
			loops.add(() -> {
				ready.await();
				return repeat(work, begin.get() + duration.toNanos());
			});
		}
		Histogram latencies = new Histogram(3);
		for (Histogram part : onThreads(loops)) {
			latencies.add(part);
		}
		return new Slice(latencies, duration.toNanos() / 1e9, (system.getProcessCpuTime() - processorTime.get()) / 1e9);
	}

	/**
	 * Runs each task on a thread of its own, and returns the results when all are done.
	 */
	public static <T> List<T> onThreads(List<Callable<T>> tasks) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
		try {
			List<T> results = new ArrayList<>();
			for (Future<T> result : threads.invokeAll(tasks)) {
				results.add(result.get());
			}
			return results;
		}
		finally {
			threads.shutdown();
			threads.awaitTermination(1, TimeUnit.MINUTES);
		}
	}

	private static Histogram repeat(Work work, long end) throws Exception {
		Histogram latencies = new Histogram(3);
		long start = System.nanoTime();
		while (start - end < 0) {
			work.once();
			long now = System.nanoTime();
			if (now - end < 0) {
				latencies.recordValue(now - start);
			}
			start = now;
		}
		return latencies;
	}

}
