package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.RedisServer;

/**
 * What all workloads of one run share.
 *
 * @param redis where Redis is; nobody else may use it
 * @param server the same, to be asked about itself
 * @param brief whether to measure just enough to see that it works
 * @param report where the results go
 */
public record Run(RedisAddress redis, RedisServer server, boolean brief, Report report) {

	/** All that is compared on Redis. */
	static final List<RedisCandidate> CANDIDATES = RedisCandidate.all();

	/** Returns how much to measure: less if it is to be brief. */
	Effort effort(int warmUpRounds, int rounds, Duration slice) {
		return this.brief ? new Effort(0, 1, Duration.ofMillis(50)) : new Effort(warmUpRounds, rounds, slice);
	}

	/** Returns what is compared on Redis. */
	Comparison<RedisAddress> onRedis() {
		return new Comparison<>(this.redis, this.server, "requests", List.copyOf(CANDIDATES), RedisCandidate.FLOOR,
				RedisCandidate.THIS);
	}

}
