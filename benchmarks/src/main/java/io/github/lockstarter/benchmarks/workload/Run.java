package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
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

	/** All that is compared. */
	static final List<Candidate> CANDIDATES = Candidate.all();

	/** Returns how much to measure: less if it is to be brief. */
	Effort effort(int warmUpRounds, int rounds, Duration slice) {
		return this.brief ? new Effort(0, 1, Duration.ofMillis(50)) : new Effort(warmUpRounds, rounds, slice);
	}

	/** Starts an instance of each candidate. */
	Clients connect() {
		this.server.clear();
		Map<Candidate, LockClient> clients = new EnumMap<>(Candidate.class);
		CANDIDATES.forEach((candidate) -> clients.put(candidate, candidate.connect(this.redis)));
		return new Clients(clients);
	}

	/** One instance of each candidate. */
	record Clients(Map<Candidate, LockClient> clients) implements AutoCloseable {

		LockClient of(Candidate candidate) {
			return Objects.requireNonNull(this.clients.get(candidate));
		}

		@Override
		public void close() {
			this.clients.values().forEach(LockClient::close);
		}

	}

}
