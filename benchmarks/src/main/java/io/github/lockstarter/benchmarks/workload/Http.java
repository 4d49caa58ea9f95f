package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.github.lockstarter.benchmarks.http.Responses;
import io.github.lockstarter.benchmarks.http.HttpLoad;
import io.github.lockstarter.benchmarks.http.OpenLoad;
import io.github.lockstarter.benchmarks.http.Server;
import io.github.lockstarter.benchmarks.http.StartServers;
import io.github.lockstarter.benchmarks.http.Variant;
import io.github.lockstarter.benchmarks.http.Variant.KeySpace;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;
import io.github.lockstarter.benchmarks.measure.Worker;

/**
 * Sends requests to endpoints that acquire a lock for each request.
 */
public final class Http implements Workload {

	private static final Duration WORK = Duration.ofMillis(5);

	/** The variants that are measured with random arrivals. */
	private static final Set<Variant> ARRIVALS = EnumSet.of(Variant.BY_HAND, Variant.BY_HAND_PROBLEM, Variant.LOCAL_SET,
			Variant.THIS);

	@Override
	public void run(Run run) throws Exception {
		run.report().section("On HTTP endpoints", """
				One application, in a JVM of its own, has an endpoint for each variant. %d clients run in another
				JVM. Each client sends its next request as soon as it has a response. A request for a held lock is
				rejected at once with 409; lock4j sleeps for 100 ms before it rejects. By hand, a rejection has no
				body, or has the problem document of this library, without an exception. lock4j blocks, so it is
				left out of WebFlux. ADR
				[37](../../docs/adr/0037-refusals-without-exception-handling.md) explains what the annotation costs.
				The endpoints of all servers are measured in turns. The figures are medians over the rounds, with the
				quartiles in brackets.""".formatted(HttpLoad.CLIENTS));
		run.server().clear();
		try (Worker worker = new Worker(); HttpLoad load = new HttpLoad(); OpenLoad arrivals = new OpenLoad()) {
			EnumMap<Server, Integer> ports = worker.run(new StartServers(run.redis()));
			// Even in a brief run, the first request takes longer than a slice.
			Effort warmUp = new Effort(0, run.brief() ? 1 : 3, Duration.ofSeconds(run.brief() ? 1 : 2));
			distinctKeys("to warm up", warmUp, ports, load);
			oneKey("to warm up", warmUp, ports, load);
			Rounds<Endpoint, Responses> distinctKeys = distinctKeys("distinct keys",
					run.effort(1, 10, Duration.ofMillis(350)), ports, load);
			Rounds<Endpoint, Responses> oneKey = oneKey("one key", run.effort(1, 8, Duration.ofMillis(700)), ports,
					load);
			Rounds<Endpoint, OpenLoad.Outcome> openKey = arrivals(run.effort(1, 6, Duration.ofSeconds(1)), ports,
					arrivals);
			for (Server server : ports.keySet()) {
				reportDistinctKeys(run.report(), server, distinctKeys);
				reportOneKey(run.report(), server, oneKey);
				reportArrivals(run.report(), server, openKey);
			}
			if (!ports.containsKey(Server.VIRTUAL_THREADS)) {
				run.report()
					.paragraph("%s: left out, since JDK %d has none.".formatted(Server.VIRTUAL_THREADS,
							Runtime.version().feature()));
			}
		}
	}

	private static Rounds<Endpoint, Responses> distinctKeys(String what, Effort effort, Map<Server, Integer> ports,
			HttpLoad load) throws Exception {
		return Rounds.run("http, distinct keys, " + what, effort, endpoints(ports, KeySpace.DISTINCT),
				(endpoint) -> load.run(endpoint.port(ports), endpoint.variant, Duration.ZERO, effort.slice(),
						(client) -> new Keys(client)::next));
	}

	private static Rounds<Endpoint, Responses> oneKey(String what, Effort effort, Map<Server, Integer> ports,
			HttpLoad load) throws Exception {
		return Rounds.run("http, one key, " + what, effort, endpoints(ports, KeySpace.ONE), (endpoint) -> load
			.run(endpoint.port(ports), endpoint.variant, WORK, effort.slice(), (client) -> () -> "one"));
	}

	private static Rounds<Endpoint, OpenLoad.Outcome> arrivals(Effort effort, Map<Server, Integer> ports, OpenLoad load)
			throws Exception {
		List<Endpoint> endpoints = endpoints(ports, KeySpace.ONE).stream()
			.filter((endpoint) -> ARRIVALS.contains(endpoint.variant))
			.toList();
		return Rounds.run("http, one key, random arrivals", effort, endpoints,
				(endpoint) -> load.run(endpoint.port(ports), endpoint.variant, WORK, effort.slice()));
	}

	private static List<Endpoint> endpoints(Map<Server, Integer> ports, KeySpace keys) {
		return ports.keySet().stream().flatMap((server) -> Endpoint.of(server, keys)).toList();
	}

	private static void reportDistinctKeys(Report report, Server server, Rounds<Endpoint, Responses> rounds) {
		Endpoint free = new Endpoint(server, Variant.NONE);
		Endpoint byHand = new Endpoint(server, Variant.BY_HAND);
		Table table = new Table("", "rate / no lock ↑", "rate / by hand ↑", "p99 / no lock ↓");
		Endpoint.of(server, KeySpace.DISTINCT)
			.forEach((endpoint) -> table.row(endpoint.variant,
					rounds.ratio(endpoint, free, (responses) -> responses.slice().rate()),
					rounds.ratio(endpoint, byHand, (responses) -> responses.slice().rate()),
					rounds.ratio(endpoint, free, (responses) -> responses.slice().percentile(99))));
		report.table(
				"**%s, distinct keys.** The handler does nothing. Without a lock there were %s responses per\nsecond."
					.formatted(server, Spread.text(rounds.of(free, (responses) -> responses.slice().rate()).median())),
				table);
		withoutResponse(report, server, KeySpace.DISTINCT, rounds);
		rate(report, server, rounds, Variant.THIS, Variant.BY_HAND);
		rate(report, server, rounds, Variant.THIS_PROPERTY, Variant.BY_HAND_PROPERTY);
	}

	private static void rate(Report report, Server server, Rounds<Endpoint, Responses> rounds, Variant variant,
			Variant byHand) {
		report.atLeast("%s, %s, distinct keys: responses per second / the same lock by hand".formatted(variant, server),
				0.97, rounds.ratio(new Endpoint(server, variant), new Endpoint(server, byHand),
						(responses) -> responses.slice().rate()));
	}

	private static void reportOneKey(Report report, Server server, Rounds<Endpoint, Responses> rounds) {
		Endpoint byHand = new Endpoint(server, Variant.BY_HAND_PROBLEM);
		Endpoint annotated = new Endpoint(server, Variant.THIS);
		Table table = new Table("", "responses / by hand with problem ↑", "runs / by hand with problem ↑",
				"p99 / by hand with problem ↓", "ran, % –", "ran per second ↑");
		Endpoint.of(server, KeySpace.ONE)
			.forEach((endpoint) -> table.row(endpoint.variant,
					rounds.ratio(endpoint, byHand, (responses) -> responses.slice().rate()),
					rounds.ratio(endpoint, byHand, Responses::ranPerSecond),
					rounds.ratio(endpoint, byHand, (responses) -> responses.slice().percentile(99)),
					Spread.text(rounds.of(endpoint, Responses::ranPercent).median()),
					Spread.text(rounds.of(endpoint, Responses::ranPerSecond).median())));
		report.table("""
				**%s, one key.** The handler holds the lock for %d ms, and other
				requests are rejected meanwhile. By hand, with the problem document, there were %s responses per
				second.""".formatted(server, WORK.toMillis(),
				Spread.text(rounds.of(byHand, (responses) -> responses.slice().rate()).median())), table);
		withoutResponse(report, server, KeySpace.ONE, rounds);
		report.atLeast("%s, %s, one key: responses per second / by hand with the same problem document".formatted(
				Variant.THIS, server), 1.2, rounds.ratio(annotated, byHand, (responses) -> responses.slice().rate()));
		report.atLeast("%s, %s, one key: runs per second / by hand with the same problem document"
			.formatted(Variant.THIS, server), 1.1, rounds.ratio(annotated, byHand, Responses::ranPerSecond));
	}

	private static void reportArrivals(Report report, Server server, Rounds<Endpoint, OpenLoad.Outcome> rounds) {
		Table table = new Table("", "ran, % ↑", "p50 of runs, ms ↓", "p99 of runs, ms ↓", "p50 of rejections, ms ↓",
				"p99 of rejections, ms ↓", "without a response ↓");
		Endpoint.of(server, KeySpace.ONE)
			.filter((endpoint) -> ARRIVALS.contains(endpoint.variant))
			.forEach((endpoint) -> table.row(endpoint.variant, rounds.of(endpoint, OpenLoad.Outcome::ranPercent),
					rounds.of(endpoint, (outcome) -> outcome.runs().getValueAtPercentile(50) / 1e6),
					rounds.of(endpoint, (outcome) -> outcome.runs().getValueAtPercentile(99) / 1e6),
					rounds.of(endpoint, (outcome) -> outcome.rejections().getValueAtPercentile(50) / 1e6),
					rounds.of(endpoint, (outcome) -> outcome.rejections().getValueAtPercentile(99) / 1e6),
					rounds.results(endpoint).stream().mapToLong(OpenLoad.Outcome::withoutResponse).sum()));
		report.table("""
				**%s, one key, random arrivals.** %,d requests per second arrive at
				random, and each run takes %d ms. The time counts from the arrival.""".formatted(server, OpenLoad.RATE,
				WORK.toMillis()), table);
	}

	/**
	 * Reports requests to a server that got no response; each of them blocked one client.
	 */
	private static void withoutResponse(Report report, Server server, KeySpace keys,
			Rounds<Endpoint, Responses> rounds) {
		Endpoint.of(server, keys).forEach((endpoint) -> {
			long requests = rounds.results(endpoint).stream().mapToLong(Responses::withoutResponse).sum();
			if (requests > 0) {
				report.paragraph(
						"%s, %s: %d requests never got a response.".formatted(server, endpoint.variant, requests));
			}
		});
	}

	/** A measured endpoint. All endpoints of all servers are measured in turns. */
	private record Endpoint(Server server, Variant variant) {

		static Stream<Endpoint> of(Server server, KeySpace keys) {
			return server.variants()
				.stream()
				.filter((variant) -> variant.isMeasuredWith(keys))
				.map((variant) -> new Endpoint(server, variant));
		}

		int port(Map<Server, Integer> ports) {
			return Objects.requireNonNull(ports.get(this.server));
		}

	}

}
