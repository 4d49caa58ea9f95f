package io.github.lockstarter.benchmarks.workload;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.springframework.util.Assert;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.RedisMonitor;
import io.github.lockstarter.benchmarks.measure.RedisServer;
import io.github.lockstarter.benchmarks.measure.Task;

/**
 * The resources of one candidate, measured in a process of its own.
 *
 * @param redis the address of Redis, which must not have other users
 * @param candidate the candidate
 * @param count the number of waiters, and a third of the number of locks
 */
record Footprint(RedisAddress redis, RedisCandidate candidate, int count) implements Task<Footprint.Figures> {

	private static final int CYCLES = 1000;

	@Override
	public Figures run() throws Exception {
		try (RedisServer server = new RedisServer(this.redis)) {
			server.clear();
			int threads = threads();
			int connections = server.connections();
			LockClient client = this.candidate.connect(this.redis);
			// Warms up all one-time work, and creates most of the counters of fencing
			// tokens.
			Load.run(8, Duration.ofSeconds(1), (thread) -> {
				Keys keys = new Keys(thread);
				return () -> client.acquireFree(keys.next()).run();
			});
			int threadsUsed = threads() - threads;
			int connectionsUsed = server.connections() - connections;
			cycles(client, CYCLES);
			long bytes = server.bytes();
			cycles(client, CYCLES);
			double bytesPerCycle = (server.bytes() - bytes) / (double) CYCLES;
			RedisMonitor.Commands counted = RedisMonitor.count(this.redis, () -> cycles(client, CYCLES));
			long heap = heap();
			long memory = server.memory();
			List<Runnable> releases = new ArrayList<>();
			int locks = 3 * this.count;
			for (int i = 0; i < locks; i++) {
				releases.add(client.acquireFree("held-" + i));
			}
			double heapPerLease = (heap() - heap) / (double) locks;
			double memoryPerLock = (server.memory() - memory) / (double) locks;
			releases.forEach(Runnable::run);
			Waiters waiters = waiters(client, this.candidate.connect(this.redis));
			return new Figures(counted.sent() / (double) CYCLES, counted.executed() / (double) CYCLES, bytesPerCycle,
					memoryPerLock, threadsUsed, connectionsUsed, heapPerLease, waiters);
		}
	}

	private static void cycles(LockClient client, int count) throws Exception {
		for (int i = 0; i < count; i++) {
			client.acquireFree("cycle-" + i).run();
		}
	}

	/**
	 * Starts many waiters for a lock, without a thread for each if the candidate supports
	 * it.
	 */
	private Waiters waiters(LockClient client, LockClient holder) throws Exception {
		Runnable release = holder.acquire("wanted");
		int threads = threads();
		long heap = heap();
		List<CompletableFuture<Void>> served = new ArrayList<>();
		for (int i = 0; i < this.count; i++) {
			CompletionStage<Runnable> answer = client.acquireAsync("wanted");
			if (answer == null) {
				release.run();
				return new Waiters(1, Double.NaN);
			}
			served.add(answer.thenAccept(Runnable::run).toCompletableFuture());
		}
		TimeUnit.SECONDS.sleep(1);
		Assert.state(served.stream().noneMatch(CompletableFuture::isDone), "Somebody did not wait");
		Waiters waiters = new Waiters((threads() - threads) / (double) this.count,
				(heap() - heap) / (double) this.count);
		release.run();
		return waiters;
	}

	private static int threads() {
		return Thread.getAllStackTraces().size();
	}

	/** Returns the number of used bytes of the heap. */
	private static long heap() throws InterruptedException {
		long used = Long.MAX_VALUE;
		for (int i = 0; i < 5; i++) {
			System.gc();
			TimeUnit.MILLISECONDS.sleep(50);
			used = Math.min(used, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
		}
		return used;
	}

	/**
	 * The measured resources.
	 *
	 * @param sent commands sent in each cycle
	 * @param executed commands for each cycle, including those in scripts
	 * @param bytes bytes to and from Redis for each cycle
	 * @param memory bytes in Redis for each held lock
	 * @param threads threads of one instance of an application
	 * @param connections connections of one instance
	 * @param heap bytes of heap for each held lock
	 * @param waiters the resources of waiters
	 */
	record Figures(double sent, double executed, double bytes, double memory, int threads, int connections, double heap,
			Waiters waiters) implements Serializable {

	}

	/**
	 * The resources of waiters.
	 *
	 * @param threads threads for each waiter
	 * @param heap bytes of heap for each waiter; not a number if each is a thread
	 */
	record Waiters(double threads, double heap) implements Serializable {

	}

}
