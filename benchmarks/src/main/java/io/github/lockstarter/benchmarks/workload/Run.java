package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.RedisServer;

/**
 * The shared context of all workloads of one run.
 *
 * @param redis the address of Redis, which must not have other users
 * @param server the same Redis, as a source of its own figures
 * @param brief whether to measure only enough to check that it works
 * @param report receives the results
 */
public record Run(RedisAddress redis, RedisServer server, boolean brief, Report report) {

	/** All candidates on Redis. */
	static final List<RedisCandidate> CANDIDATES = RedisCandidate.all();

	/** Returns the effort of a measurement, which is less in a brief run. */
	Effort effort(int warmUpRounds, int rounds, Duration slice) {
		return this.brief ? new Effort(0, 1, Duration.ofMillis(50)) : new Effort(warmUpRounds, rounds, slice);
	}

	/** Returns the comparison on Redis. */
	Comparison<RedisAddress> onRedis() {
		return new Comparison<>(this.redis, this.server, "commands", List.copyOf(CANDIDATES), RedisCandidate.BASELINE,
				RedisCandidate.THIS);
	}

}
