package io.github.lockstarter.benchmarks;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.boot.DefaultApplicationArguments;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.measure.Progress;
import io.github.lockstarter.benchmarks.measure.RedisServer;
import io.github.lockstarter.benchmarks.workload.Cost;
import io.github.lockstarter.benchmarks.workload.Contended;
import io.github.lockstarter.benchmarks.workload.Http;
import io.github.lockstarter.benchmarks.workload.Jdbc;
import io.github.lockstarter.benchmarks.workload.Rejection;
import io.github.lockstarter.benchmarks.workload.Report;
import io.github.lockstarter.benchmarks.workload.Run;
import io.github.lockstarter.benchmarks.workload.Service;
import io.github.lockstarter.benchmarks.workload.StartUp;
import io.github.lockstarter.benchmarks.workload.Uncontended;
import io.github.lockstarter.benchmarks.workload.Workload;
import io.github.lockstarter.testing.LocalRedis;

/**
 * Runs the named workloads, or all, on its own servers, and prints a report in Markdown.
 * With {@code --brief} it measures only enough to check that it works.
 */
public final class Main {

	private static final String COMMAND = "java -jar benchmarks/target/benchmarks.jar";

	private static final Map<String, Workload> workloads = new LinkedHashMap<>();

	static {
		workloads.put("uncontended", new Uncontended());
		workloads.put("rejected", new Rejection());
		workloads.put("contended", new Contended());
		workloads.put("jdbc", new Jdbc());
		workloads.put("cost", new Cost());
		workloads.put("http", new Http());
		workloads.put("service", new Service());
		workloads.put("startup", new StartUp());
	}

	private Main() {
	}

	public static void main(String[] args) throws Exception {
		DefaultApplicationArguments arguments = new DefaultApplicationArguments(args);
		List<String> chosen = arguments.getNonOptionArgs();
		List<String> unknown = Stream
			.concat(chosen.stream().filter((name) -> !workloads.containsKey(name)),
					arguments.getOptionNames().stream().filter((name) -> !name.equals("brief")).map("--"::concat))
			.toList();
		if (!unknown.isEmpty()) {
			System.err.println("Unknown: " + String.join(", ", unknown));
			System.err.println("Usage: %s [--brief] [workload ...]".formatted(COMMAND));
			System.err
				.println("The workloads are " + String.join(", ", workloads.keySet()) + "; all, if none is named");
			System.err.println("--brief measures just enough to see that it works: its figures say nothing");
			System.exit(2);
		}
		PrintStream output = System.out;
		// Output of others, in particular of JMH's JVMs, must not be part of the report.
		System.setOut(System.err);
		try (LocalRedis redis = LocalRedis.started()) {
			output.println(report(new RedisAddress(redis.port()), chosen, arguments.containsOption("brief"),
					String.join(" ", COMMAND, String.join(" ", args)).strip()));
		}
		if (output.checkError()) {
			System.err.println("The report could not be written");
			System.exit(1);
		}
		Progress.show("done");
		// Candidates may have left threads running.
		System.exit(0);
	}

	/** Runs workloads, or all if none is named. */
	static Report report(RedisAddress redis, List<String> chosen, boolean brief, String command) throws Exception {
		try (RedisServer server = new RedisServer(redis)) {
			Report report = new Report(command, server.version());
			Run run = new Run(redis, server, brief, report);
			for (Map.Entry<String, Workload> workload : workloads.entrySet()) {
				if (chosen.isEmpty() || chosen.contains(workload.getKey())) {
					workload.getValue().run(run);
				}
			}
			return report;
		}
	}

}
