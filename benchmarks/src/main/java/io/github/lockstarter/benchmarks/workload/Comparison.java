package io.github.lockstarter.benchmarks.workload;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.measure.LockServer;

/**
 * Candidates that keep their locks on the same server.
 *
 * @param <A> the address of such a server
 * @param address the address of the server, which must not have other users
 * @param server the server, as a source of its own figures
 * @param commands the name of commands to the server in a report
 * @param candidates all candidates
 * @param baseline the candidate to which the others are compared
 * @param subject this library
 */
record Comparison<A>(A address, LockServer server, String commands, List<Candidate<A>> candidates,
		Candidate<A> baseline, Candidate<A> subject) {

	/** Starts an instance of each candidate, on a server without locks. */
	Clients connect() {
		this.server.clear();
		Map<Candidate<?>, LockClient> clients = new HashMap<>();
		this.candidates.forEach((candidate) -> clients.put(candidate, candidate.connect(this.address)));
		return new Clients(clients);
	}

	/** Returns the candidates that are products. */
	List<Candidate<A>> peers() {
		return this.candidates.stream().filter(Candidate::isPeer).toList();
	}

	/** One instance of each candidate. */
	record Clients(Map<Candidate<?>, LockClient> clients) implements AutoCloseable {

		LockClient of(Candidate<?> candidate) {
			return Objects.requireNonNull(this.clients.get(candidate));
		}

		@Override
		public void close() {
			this.clients.values().forEach(LockClient::close);
		}

	}

}
