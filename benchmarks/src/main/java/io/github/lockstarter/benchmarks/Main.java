package io.github.lockstarter.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.DefaultApplicationArguments;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.measure.Progress;
import io.github.lockstarter.benchmarks.measure.RedisServer;
import io.github.lockstarter.benchmarks.workload.HandOff;
import io.github.lockstarter.benchmarks.workload.Refusal;
import io.github.lockstarter.benchmarks.workload.Report;
import io.github.lockstarter.benchmarks.workload.Run;
import io.github.lockstarter.benchmarks.workload.UncontendedCycle;
import io.github.lockstarter.benchmarks.workload.Workload;
import io.github.lockstarter.testing.LocalRedis;

/**
 * Runs the workloads that are named, or all, and prints a report.
 */
public final class Main {

	private static final Map<String, Workload> workloads = new LinkedHashMap<>();

	static {
		workloads.put("uncontended", new UncontendedCycle());
		workloads.put("refused", new Refusal());
		workloads.put("contended", new HandOff());
	}

	private Main() {
	}

	public static void main(String[] args) throws Exception {
		DefaultApplicationArguments arguments = new DefaultApplicationArguments(args);
		List<String> chosen = arguments.getNonOptionArgs();
		try (LocalRedis redis = LocalRedis.started()) {
			RedisAddress address = new RedisAddress(redis.port());
			Report report = new Report();
			try (RedisServer server = new RedisServer(address)) {
				Run run = new Run(address, server, arguments.containsOption("brief"), report);
				for (Map.Entry<String, Workload> workload : workloads.entrySet()) {
					if (chosen.isEmpty() || chosen.contains(workload.getKey())) {
						workload.getValue().run(run);
					}
				}
			}
			System.out.println(report);
		}
		Progress.show("done");
		System.exit(0);
	}

}
