package io.github.lockstarter.benchmarks.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.springframework.boot.system.ApplicationHome;

import io.github.lockstarter.benchmarks.http.LockLoad;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Progress;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.ServerProcess;
import io.github.lockstarter.benchmarks.measure.Slice;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;

/**
 * Measures the lock service over HTTP, in comparison with a server that does nothing.
 */
public final class Service implements Workload {

	private static final String HEAP = "-Xmx256m";

	@Override
	public void run(Run run) throws Exception {
		run.report()
			.section("Lock service",
					"""
							`lock-service` on two stores is compared with an application on Spring MVC that gives the same
							responses and does nothing. Each runs in a JVM of its own with %s. The clients run in another JVM, on
							the same processors, and take their share of the time. Any response other than 201 to an acquire and
							204 to a release is an error, and so is no response within %d s."""
						.formatted(HEAP, LockLoad.PATIENCE.toSeconds()));
		run.server().clear();
		try (Servers servers = new Servers()) {
			for (Variant variant : Variant.values()) {
				Progress.show("service: starting %s", variant);
				servers.start(variant, run);
			}
			cycles(run, servers);
			waiting(run, servers);
		}
	}

	private static void cycles(Run run, Servers servers) throws Exception {
		int clients = run.brief() ? 20 : 1_000;
		int cycles = run.brief() ? 100 : 5_000;
		Map<Variant, Long> errors = new EnumMap<>(Variant.class);
		// Warms up the JVM, which would otherwise delay most of the requests.
		round("to warm up", new Effort(0, 1, Duration.ZERO), servers, 20, cycles, errors);
		Rounds<Variant, Slice> rounds = round("all clients", run.effort(1, 8, Duration.ZERO), servers, clients, cycles,
				errors);
		report(run.report(), clients, cycles, rounds, errors);
	}

	/**
	 * Sends the same number of requests to each server, instead of requests for a period
	 * of time.
	 */
	private static Rounds<Variant, Slice> round(String what, Effort effort, Servers servers, int clients, int cycles,
			Map<Variant, Long> errors) throws Exception {
		try (LockLoad load = new LockLoad(clients)) {
			return Rounds.run("service, " + what, effort, List.of(Variant.values()), (variant) -> {
				ServerProcess server = servers.of(variant);
				double before = server.processorSeconds();
				LockLoad.Outcome outcome = load.run(server.port(), cycles);
				errors.merge(variant, outcome.errors(), Long::sum);
				return new Slice(outcome.latencies(), outcome.seconds(), server.processorSeconds() - before);
			});
		}
	}

	private static void report(Report report, int clients, int cycles, Rounds<Variant, Slice> rounds,
			Map<Variant, Long> errors) {
		Table table = new Table("", "requests per second ↑", "p50 ↓", "p99 ↓", "processor time of the server ↓",
				"errors ↓");
		for (Variant variant : Variant.values()) {
			table.row(variant, rounds.ratio(variant, Variant.BARE, Slice::rate),
					rounds.ratio(variant, Variant.BARE, (slice) -> slice.percentile(50)),
					rounds.ratio(variant, Variant.BARE, (slice) -> slice.percentile(99)),
					rounds.ratio(variant, Variant.BARE, Slice::processorTime),
					Objects.requireNonNull(errors.get(variant)));
		}
		report.table("""
				**%,d clients at once, each with a lock and a connection of its own.** Each client acquires and
				releases its lock in a loop. In each of %d rounds each server gets %,d requests. The figures are
				ratios to bare Spring MVC in the same round, which gave %s responses per second with a p99 of %s ms:
				the median over the rounds, with the quartiles in brackets. The errors include those of the warm-up
				rounds.""".formatted(clients, rounds.results(Variant.BARE).size(), 2 * cycles,
				Spread.text(rounds.of(Variant.BARE, Slice::rate).median()),
				Spread.text(rounds.of(Variant.BARE, (slice) -> slice.percentile(99) / 1e6).median())), table);
		Variant.services()
			.forEach((variant) -> report.atMost("%s, %,d clients at once: errors".formatted(variant, clients), 0,
					Objects.requireNonNull(errors.get(variant))));
	}

	private static void waiting(Run run, Servers servers) throws Exception {
		int count = run.brief() ? 200 : 10_000;
		Table table = new Table("", "threads before ↓", "threads meanwhile ↓", "heap each, bytes ↓",
				"resident before, MB ↓", "resident meanwhile, MB ↓", "ended ↓", "gone after, ms ↓", "free after, ms ↓");
		for (Variant variant : Variant.services().toList()) {
			Progress.show("service, waiting: %s", variant);
			Crowd crowd = Crowd.of(servers.of(variant), count);
			table.row(variant, crowd.before().threads(), crowd.meanwhile().threads(), Spread.text(crowd.heapEach()),
					Spread.text(crowd.before().residentBytes() / 1e6),
					Spread.text(crowd.meanwhile().residentBytes() / 1e6), crowd.ended(),
					Spread.text(crowd.goneMillis()), Spread.text(crowd.freeMillis()));
			run.report()
				.atMost("%s, %,d requests that wait: threads each".formatted(variant, count), 0.01,
						crowd.threadsEach());
			run.report()
				.atMost("%s, %,d requests whose clients disconnected: ms until another caller has the lock"
					.formatted(variant, count), 1000, crowd.freeMillis());
			run.report()
				.atMost("%s, %,d requests that wait: ended before their time".formatted(variant, count), 0,
						crowd.ended());
		}
		run.report()
			.table("""
					**%,d requests that wait for one lock**, each on a connection of its own, until their clients
					disconnect. "Heap each" is the growth of the live objects of the server per request, including its
					connection. "Ended" is the number of requests that got an error, or got the lock although it was
					held. "Gone after" is the time until the server has closed all these connections. Then the holder
					releases the lock. "Free after" is the time until a new caller has acquired it.""".formatted(count),
					table);
	}

	/** The measured servers. */
	private enum Variant {

		BARE("bare Spring MVC"), MEMORY("lock-service, in memory"), REDIS("lock-service, Redis");

		private final String title;

		Variant(String title) {
			this.title = title;
		}

		static Stream<Variant> services() {
			return Stream.of(MEMORY, REDIS);
		}

		Stream<String> command(Run run) throws IOException {
			if (this == BARE) {
				return Stream.of("-cp", ClassPath.read(ClassPath.WITHOUT_STARTER).toString(),
						"io.github.lockstarter.benchmarks.bare.BareApplication",
						// Connections stay open, as with the other servers.
						"--server.tomcat.max-keep-alive-requests=-1", "--server.tomcat.keep-alive-timeout=-1");
			}
			return Stream.concat(
					Stream.of("-jar", serviceJar().toString(), "--lock.service.open=true",
							"--lock.store=" + ((this == REDIS) ? "redis" : "memory")),
					Stream.of(run.redis().properties()).map("--"::concat));
		}

		private static Path serviceJar() {
			Path jar = new ApplicationHome(Service.class).getDir()
				.toPath()
				.resolve(Path.of("..", "..", "lock-service", "target", "lock-service.jar"))
				.normalize();
			if (!Files.exists(jar)) {
				throw new IllegalStateException(
						"There is no %s; build it with mvn -q -DskipTests package".formatted(jar));
			}
			return jar;
		}

		@Override
		public String toString() {
			return this.title;
		}

	}

	/** The started servers. */
	private static final class Servers implements AutoCloseable {

		private final Map<Variant, ServerProcess> processes = new EnumMap<>(Variant.class);

		void start(Variant variant, Run run) throws IOException {
			this.processes.put(variant, new ServerProcess(Stream
				.of(Stream.of(HEAP), variant.command(run), Stream.of("--server.address=127.0.0.1", "--server.port=0"))
				.flatMap((part) -> part)
				.toArray(String[]::new)));
		}

		ServerProcess of(Variant variant) {
			return Objects.requireNonNull(this.processes.get(variant));
		}

		@Override
		public void close() {
			this.processes.values().forEach(ServerProcess::close);
		}

	}

}
