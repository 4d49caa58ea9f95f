package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.jmh.Jmh;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.Progress;
import io.github.lockstarter.benchmarks.measure.RedisMonitor;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Slice;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;

/**
 * Tries to acquire a lock that is held, without waiting.
 */
public final class Rejection implements Workload {

	private static final String KEY = "rejected";

	private static final int ATTEMPTS = 20;

	@Override
	public void run(Run run) throws Exception {
		run.report().section("Rejected", """
				The lock is held, and the caller does not wait. "Holder elsewhere" means that another client, with
				connections of its own, holds the lock. "Commands" is the number of commands per rejection with one
				thread. With several threads in one instance, Spring Integration lets one thread send a command and
				rejects the other threads without one, although the holder is elsewhere. In this library,
				callers that arrive during a command share its answer. ADR
				[14](../../docs/adr/0014-a-refusal-is-a-script.md) explains the time of a rejection.""");
		elsewhere(run);
		sameJvm(run);
	}

	private void elsewhere(Run run) throws Exception {
		Effort effort = run.effort(1, 10, Duration.ofMillis(200));
		try (Comparison.Clients holders = run.onRedis().connect();
				Comparison.Clients clients = run.onRedis().connect()) {
			Effort warmUp = run.effort(0, 1, Duration.ofSeconds(2));
			Rounds.run("rejected, to warm up", warmUp, Run.CANDIDATES,
					(candidate) -> measure(holders.of(candidate), clients.of(candidate), 1, warmUp.slice()));
			for (int threads : new int[] { 1, 8 }) {
				Rounds<RedisCandidate, Slice> rounds = Rounds.run("rejected, holder elsewhere, " + threads + " threads",
						effort, Run.CANDIDATES,
						(candidate) -> measure(holders.of(candidate), clients.of(candidate), threads, effort.slice()));
				report(run, threads, rounds, holders, clients);
			}
		}
	}

	private static Slice measure(LockClient holder, LockClient client, int threads, Duration duration)
			throws Exception {
		// Acquired again in each round, because the lock would expire otherwise.
		Runnable release = holder.acquire(KEY);
		Slice slice = Load.run(threads, duration, (thread) -> () -> reject(client));
		release.run();
		return slice;
	}

	private static void reject(LockClient client) throws Exception {
		if (client.tryAcquire(KEY) != null) {
			throw new IllegalStateException("The lock was not held");
		}
	}

	/** Returns the number of commands per rejection of a lock that is held. */
	private static double commands(Run run, LockClient client) throws Exception {
		RedisMonitor.Commands counted = RedisMonitor.count(run.redis(), () -> {
			for (int i = 0; i < ATTEMPTS; i++) {
				reject(client);
			}
		});
		return counted.sent() / (double) ATTEMPTS;
	}

	private static void report(Run run, int threads, Rounds<RedisCandidate, Slice> rounds, Comparison.Clients holders,
			Comparison.Clients clients) throws Exception {
		Table table = new Table("", "p50 ↓", "p99 ↓", "rate ↑", "commands ↓");
		for (RedisCandidate candidate : Run.CANDIDATES) {
			Runnable release = holders.of(candidate).acquire(KEY);
			double sent = commands(run, clients.of(candidate));
			release.run();
			table.row(candidate, rounds.ratio(candidate, RedisCandidate.BASELINE, (slice) -> slice.percentile(50)),
					rounds.ratio(candidate, RedisCandidate.BASELINE, (slice) -> slice.percentile(99)),
					rounds.ratio(candidate, RedisCandidate.BASELINE, Slice::rate), Spread.text(sent));
			if (candidate == RedisCandidate.THIS && threads == 1) {
				run.report()
					.atMost("rejected, holder elsewhere, 1 thread: latency (p50) / one bare `SET NX`", 1.02,
							rounds.ratio(candidate, RedisCandidate.BASELINE, (slice) -> slice.percentile(50)));
				run.report().atMost("rejected, holder elsewhere: commands", 1, sent);
			}
		}
		run.report()
			.table("**Holder elsewhere, %d %s.** The baseline, a bare `SET NX PX`, took %s µs (p50).".formatted(threads,
					(threads == 1) ? "thread" : "threads",
					Spread.text(rounds.of(RedisCandidate.BASELINE, (slice) -> slice.percentile(50)).median() / 1000)),
					table);
	}

	private void sameJvm(Run run) throws Exception {
		Jmh jmh = new Jmh(run.redis(), run.brief() ? 1 : 10);
		List<Map<RedisCandidate, Jmh.Score>> costs = new ArrayList<>();
		for (int threads : new int[] { 1, 8 }) {
			Progress.show("rejected, holder in this instance, %d threads: a JVM for each candidate", threads);
			costs.add(jmh.run("reject", threads));
		}
		Table table = new Table("", "1 thread, µs ↓", "8 threads, µs ↓", "bytes allocated ↓", "commands ↓");
		for (RedisCandidate candidate : Run.CANDIDATES) {
			Jmh.Score alone = Objects.requireNonNull(costs.get(0).get(candidate));
			Jmh.Score crowded = Objects.requireNonNull(costs.get(1).get(candidate));
			double sent = commandsOfOneClient(run, candidate);
			table.row(candidate, Spread.text(alone.nanos() / 1000), Spread.text(crowded.nanos() / 1000),
					Math.round(alone.bytes()), Spread.text(sent));
			if (candidate == RedisCandidate.THIS) {
				run.report().atMost("rejected, holder in this instance: µs", 0.2, alone.nanos() / 1000);
				run.report().atMost("rejected, holder in this instance: commands", 0, sent);
			}
		}
		run.report().table("**Holder in this instance.** Average time of each rejection, by JMH.", table);
	}

	/**
	 * Returns the number of commands of a client, another thread of which holds the lock.
	 */
	private static double commandsOfOneClient(Run run, RedisCandidate candidate) throws Exception {
		ExecutorService holder = Executors.newSingleThreadExecutor();
		try (LockClient client = candidate.connect(run.redis())) {
			Runnable release = holder.submit(() -> client.acquire(KEY)).get();
			double sent = commands(run, client);
			holder.submit(release).get();
			return sent;
		}
		finally {
			holder.shutdown();
		}
	}

}
