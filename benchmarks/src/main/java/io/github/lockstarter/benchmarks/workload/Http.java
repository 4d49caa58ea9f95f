package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.lockstarter.benchmarks.http.Answers;
import io.github.lockstarter.benchmarks.http.HttpLoad;
import io.github.lockstarter.benchmarks.http.Server;
import io.github.lockstarter.benchmarks.http.StartServers;
import io.github.lockstarter.benchmarks.http.Variant;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;
import io.github.lockstarter.benchmarks.measure.Worker;

/**
 * Asks endpoints that take a lock for each request.
 */
public final class Http implements Workload {

	private static final Duration WORK = Duration.ofMillis(5);

	@Override
	public void run(Run run) throws Exception {
		run.report()
			.section("On HTTP endpoints",
					"""
							One application has an endpoint for each variant, and runs in a JVM of its own. %d clients run in another JVM. Each
							sends its next request as soon as the last one is answered. If the lock is held, the request is refused at once with
							409; lock4j sleeps for 100 ms before it refuses. By hand, a refusal has no body; with `@ExclusiveRequest` it is an
							exception that becomes a problem document. lock4j blocks its thread, so it is left out where threads must not block.
							What the annotation costs: ADR [19](adr/0019-what-the-annotation-costs.md). All endpoints of all servers are measured
							in turns: the median over the rounds, and the quartiles in brackets. A higher rate is better; less latency is
							better."""
						.formatted(HttpLoad.CLIENTS));
		run.server().clear();
		try (Worker worker = new Worker(); HttpLoad load = new HttpLoad()) {
			EnumMap<Server, Integer> ports = worker.run(new StartServers(run.redis()));
			List<Endpoint> endpoints = ports.keySet().stream().flatMap(Endpoint::of).toList();
			// Even when it is to be brief, the first request takes longer than a slice.
			Effort warmUp = new Effort(0, run.brief() ? 1 : 3, Duration.ofSeconds(run.brief() ? 1 : 2));
			Effort effort = run.effort(1, 10, Duration.ofMillis(350));
			distinctKeys("to warm up", warmUp, ports, endpoints, load);
			Rounds<Endpoint, Answers> distinctKeys = distinctKeys("distinct keys", effort, ports, endpoints, load);
			Rounds<Endpoint, Answers> oneKey = oneKey(run.effort(1, 4, Duration.ofMillis(700)), ports, endpoints, load);
			for (Server server : ports.keySet()) {
				reportDistinctKeys(run.report(), server, distinctKeys);
				reportOneKey(run.report(), server, oneKey);
			}
			if (!ports.containsKey(Server.VIRTUAL_THREADS)) {
				run.report()
					.paragraph("%s: left out, since JDK %d has none.".formatted(Server.VIRTUAL_THREADS,
							Runtime.version().feature()));
			}
		}
	}

	private static Rounds<Endpoint, Answers> distinctKeys(String what, Effort effort, Map<Server, Integer> ports,
			List<Endpoint> endpoints, HttpLoad load) throws Exception {
		return Rounds.run("http, " + what, effort, endpoints, (endpoint) -> load.run(endpoint.port(ports),
				endpoint.variant, Duration.ZERO, effort.slice(), (client) -> new Keys(client)::next));
	}

	private static Rounds<Endpoint, Answers> oneKey(Effort effort, Map<Server, Integer> ports, List<Endpoint> endpoints,
			HttpLoad load) throws Exception {
		return Rounds.run("http, one key", effort, endpoints, (endpoint) -> load.run(endpoint.port(ports),
				endpoint.variant, WORK, effort.slice(), (client) -> () -> "one"));
	}

	private static void reportDistinctKeys(Report report, Server server, Rounds<Endpoint, Answers> rounds) {
		Endpoint free = new Endpoint(server, Variant.NONE);
		Endpoint byHand = new Endpoint(server, Variant.BY_HAND);
		Endpoint annotated = new Endpoint(server, Variant.THIS);
		Table table = new Table("", "rate / no lock", "rate / by hand", "p99 / no lock");
		Endpoint.of(server)
			.forEach((endpoint) -> table.row(endpoint.variant,
					rounds.ratio(endpoint, free, (answers) -> answers.slice().rate()),
					rounds.ratio(endpoint, byHand, (answers) -> answers.slice().rate()),
					rounds.ratio(endpoint, free, (answers) -> answers.slice().percentile(99))));
		report.table(
				"**%s, distinct keys.** The handler does nothing. Without a lock there were %s answers per second."
					.formatted(server, Spread.text(rounds.of(free, (answers) -> answers.slice().rate()).median())),
				table);
		unanswered(report, server, rounds);
		report.atLeast("%s on an HTTP endpoint, %s: requests per second / the same lock by hand".formatted(Variant.THIS,
				server), 0.95, rounds.ratio(annotated, byHand, (answers) -> answers.slice().rate()));
	}

	private static void reportOneKey(Report report, Server server, Rounds<Endpoint, Answers> rounds) {
		Endpoint byHand = new Endpoint(server, Variant.BY_HAND);
		Table table = new Table("", "answers / by hand", "p99 / by hand", "ran, %", "ran per second");
		Endpoint.of(server)
			.forEach((endpoint) -> table.row(endpoint.variant,
					rounds.ratio(endpoint, byHand, (answers) -> answers.slice().rate()),
					rounds.ratio(endpoint, byHand, (answers) -> answers.slice().percentile(99)),
					Spread.text(rounds.of(endpoint, Answers::ranPercent).median()),
					Spread.text(rounds.of(endpoint, (answers) -> answers.ran() / answers.slice().seconds()).median())));
		report.table(
				"**%s, one key.** The handler holds the lock for %d ms; other requests are refused during that time. By hand there were %s answers per second."
					.formatted(server, WORK.toMillis(),
							Spread.text(rounds.of(byHand, (answers) -> answers.slice().rate()).median())),
				table);
		unanswered(report, server, rounds);
	}

	/**
	 * Says so where a server left requests unanswered; each kept one client from its
	 * work.
	 */
	private static void unanswered(Report report, Server server, Rounds<Endpoint, Answers> rounds) {
		Endpoint.of(server).forEach((endpoint) -> {
			long requests = rounds.results(endpoint).stream().mapToLong(Answers::unanswered).sum();
			if (requests > 0) {
				report.paragraph("%s, %s: the server never answered %d requests.%s"
					.formatted(server, endpoint.variant, requests, (server == Server.WEBFLUX)
							? " Reactor Netty before 1.3.8 leaves some unread, with or without a lock (its issue 4361)."
							: ""));
			}
		});
	}

	/** What is measured: all of them in turns, whatever they run on. */
	private record Endpoint(Server server, Variant variant) {

		static Stream<Endpoint> of(Server server) {
			return server.variants().stream().map((variant) -> new Endpoint(server, variant));
		}

		int port(Map<Server, Integer> ports) {
			return Objects.requireNonNull(ports.get(this.server));
		}

	}

}
