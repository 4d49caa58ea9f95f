package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

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
							One application with an endpoint for each variant, in a JVM of its own, and %d clients in another, each
							of which asks again as soon as it is answered. A lock that is held is refused at once with 409; lock4j
							sleeps for 100 ms before it refuses. By hand a refusal has no body; `@ExclusiveRequest` throws an exception, which becomes
							a problem document. lock4j blocks, so it is left out where no thread may. What the annotation costs: ADR [19](adr/0019-what-the-annotation-costs.md). The variants are measured in turns: the median over the
							rounds, and the quartiles in brackets. Rate: more is better; latency: less is better."""
						.formatted(HttpLoad.CLIENTS));
		run.server().clear();
		try (Worker worker = new Worker(); HttpLoad load = new HttpLoad()) {
			EnumMap<Server, Integer> ports = worker.run(new StartServers(run.redis()));
			for (Map.Entry<Server, Integer> server : ports.entrySet()) {
				distinctKeys(run, server.getKey(), server.getValue(), load);
				oneKey(run, server.getKey(), server.getValue(), load);
			}
			if (!ports.containsKey(Server.VIRTUAL_THREADS)) {
				run.report()
					.paragraph("%s: left out, for JDK %d has none.".formatted(Server.VIRTUAL_THREADS,
							Runtime.version().feature()));
			}
		}
	}

	private static Rounds<Variant, Answers> measure(String what, Effort effort, Duration slice, Server server, int port,
			HttpLoad load) throws Exception {
		return Rounds.run("http, %s, %s".formatted(server, what), effort, server.variants(),
				(variant) -> load.run(port, variant, Duration.ZERO, slice, (client) -> new Keys(client)::next));
	}

	private static void distinctKeys(Run run, Server server, int port, HttpLoad load) throws Exception {
		// Even when it is to be brief, the first request takes longer than a slice.
		Duration warmUp = Duration.ofSeconds(run.brief() ? 1 : 6);
		measure("to warm up", run.effort(0, 1, warmUp), warmUp, server, port, load);
		Effort effort = run.effort(1, 8, Duration.ofMillis(400));
		Rounds<Variant, Answers> rounds = measure("distinct keys", effort, effort.slice(), server, port, load);
		Table table = new Table("", "rate / no lock", "rate / by hand", "p99 / no lock");
		for (Variant variant : server.variants()) {
			table.row(variant, rounds.ratio(variant, Variant.NONE, (answers) -> answers.slice().rate()),
					rounds.ratio(variant, Variant.BY_HAND, (answers) -> answers.slice().rate()),
					rounds.ratio(variant, Variant.NONE, (answers) -> answers.slice().percentile(99)));
		}
		run.report()
			.table("**%s, distinct keys.** The handler does nothing. Without a lock there were %s answers per second."
				.formatted(server, Spread.text(rounds.of(Variant.NONE, (answers) -> answers.slice().rate()).median())),
					table);
		unanswered(run, server, rounds);
		run.report()
			.atLeast(
					"%s on an HTTP endpoint, %s: requests per second / the same lock by hand".formatted(Variant.THIS,
							server),
					0.95, rounds.ratio(Variant.THIS, Variant.BY_HAND, (answers) -> answers.slice().rate()).median());
	}

	private static void oneKey(Run run, Server server, int port, HttpLoad load) throws Exception {
		Effort effort = run.effort(1, 4, Duration.ofMillis(700));
		Rounds<Variant, Answers> rounds = Rounds.run("http, %s, one key".formatted(server), effort, server.variants(),
				(variant) -> load.run(port, variant, WORK, effort.slice(), (client) -> () -> "one"));
		Table table = new Table("", "answers / by hand", "p99 / by hand", "ran, %", "ran per second");
		for (Variant variant : server.variants()) {
			table.row(variant, rounds.ratio(variant, Variant.BY_HAND, (answers) -> answers.slice().rate()),
					rounds.ratio(variant, Variant.BY_HAND, (answers) -> answers.slice().percentile(99)),
					Spread.text(rounds.of(variant, Answers::ranPercent).median()),
					Spread.text(rounds.of(variant, (answers) -> answers.ran() / answers.slice().seconds()).median()));
		}
		run.report()
			.table("**%s, one key.** The handler holds the lock for %d ms; who comes meanwhile is refused. By hand there were %s answers per second."
				.formatted(server, WORK.toMillis(),
						Spread.text(rounds.of(Variant.BY_HAND, (answers) -> answers.slice().rate()).median())),
					table);
		unanswered(run, server, rounds);
	}

	/**
	 * Says so where a server left requests unanswered; each kept one client from its
	 * work.
	 */
	private static void unanswered(Run run, Server server, Rounds<Variant, Answers> rounds) {
		for (Variant variant : server.variants()) {
			long requests = rounds.results(variant).stream().mapToLong(Answers::unanswered).sum();
			if (requests > 0) {
				run.report()
					.paragraph("%s, %s: the server never answered %d requests.%s"
						.formatted(server, variant, requests, (server == Server.WEBFLUX)
								? " Reactor Netty before 1.3.8 leaves some unread, with or without a lock (its issue 4361)."
								: ""));
			}
		}
	}

}
