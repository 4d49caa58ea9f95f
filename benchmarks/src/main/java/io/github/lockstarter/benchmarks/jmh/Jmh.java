package io.github.lockstarter.benchmarks.jmh;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * Runs {@link LockBenchmark}, in a new JVM for each candidate.
 */
public final class Jmh {

	private final RedisAddress redis;

	private final int iterations;

	/**
	 * Creates a runner.
	 * @param redis the address of Redis, which must not have other users
	 * @param iterations the number of measured iterations of 300 ms; the number of
	 * warm-up iterations is the same
	 */
	public Jmh(RedisAddress redis, int iterations) {
		this.redis = redis;
		this.iterations = iterations;
	}

	/**
	 * Returns the average time and allocation of each candidate for a method of
	 * {@link LockBenchmark}.
	 */
	public Map<RedisCandidate, Score> run(String method, int threads) throws RunnerException {
		Collection<RunResult> results = new Runner(
				new OptionsBuilder().include("%s\\.%s$".formatted(LockBenchmark.class.getName(), method))
					.param("candidate", RedisCandidate.all().stream().map(RedisCandidate::name).toArray(String[]::new))
					.threads(threads)
					.forks(1)
					.warmupIterations(this.iterations)
					.warmupTime(TimeValue.milliseconds(300))
					.measurementIterations(this.iterations)
					.measurementTime(TimeValue.milliseconds(300))
					.addProfiler(GCProfiler.class)
					.verbosity(VerboseMode.SILENT)
					.shouldFailOnError(true)
					.jvmArgsAppend("-D%s=%d".formatted(LockBenchmark.REDIS_PORT, this.redis.port()))
					.build())
			.run();
		Map<RedisCandidate, Score> costs = new LinkedHashMap<>();
		for (RunResult result : results) {
			costs.put(RedisCandidate.valueOf(result.getParams().getParam("candidate")),
					new Score(result.getPrimaryResult().getScore(),
							Objects.requireNonNull(result.getSecondaryResults().get("gc.alloc.rate.norm")).getScore()));
		}
		return costs;
	}

	/**
	 * The cost of one operation.
	 *
	 * @param nanos the time, in nanoseconds
	 * @param bytes the allocated bytes, on all threads
	 */
	public record Score(double nanos, double bytes) {

	}

}
