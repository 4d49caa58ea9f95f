package io.github.lockstarter.benchmarks.workload;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.Task;

/**
 * Threads of one process that repeatedly contend for one lock. Their work under the lock
 * is a wait, and uses no processor time.
 *
 * @param <A> the address of the server
 * @param server the server that stores the lock
 * @param candidate the implementation of the lock
 * @param key the key of the lock
 * @param process the number of this process
 * @param threads the number of threads
 * @param work the time for which each thread holds the lock
 * @param pause the pause of each thread after a release
 * @param begin the time of the start as {@link System#nanoTime()}, which on Linux is the
 * same in all processes
 * @param end the time of the end; threads that wait then still acquire the lock once
 */
record Contention<A>(A server, Candidate<A> candidate, String key, int process, int threads, Duration work,
		Duration pause, long begin, long end) implements Task<List<Contention.Holding>> {

	private static final Map<Candidate<?>, LockClient> clients = new HashMap<>();

	@Override
	public List<Holding> run() throws Exception {
		LockClient client = clients.computeIfAbsent(this.candidate, (candidate) -> this.candidate.connect(this.server));
		List<Callable<List<Holding>>> loops = new ArrayList<>();
		for (int thread = 0; thread < this.threads; thread++) {
			int number = this.process * this.threads + thread;
			loops.add(() -> contend(client, number));
		}
		return new ArrayList<>(Load.onThreads(loops).stream().flatMap(List::stream).toList());
	}

	private List<Holding> contend(LockClient client, int thread) throws Exception {
		List<Holding> holdings = new ArrayList<>();
		pauseUntil(this.begin);
		long wanted = System.nanoTime();
		while (wanted - this.end < 0) {
			Runnable release = client.acquire(this.key);
			long acquired = System.nanoTime();
			pauseUntil(acquired + this.work.toNanos());
			long released = System.nanoTime();
			release.run();
			holdings.add(new Holding(this.process, thread, wanted, acquired, released));
			pauseUntil(System.nanoTime() + this.pause.toNanos());
			wanted = System.nanoTime();
		}
		return holdings;
	}

	/** Parks repeatedly, because a thread with an earlier permit does not park at all. */
	private static void pauseUntil(long time) {
		for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/**
	 * One holding of the lock, with times in nanoseconds.
	 *
	 * @param process the number of the process
	 * @param thread the number of the thread, counted across all processes
	 * @param wanted the time of the attempt
	 * @param acquired the time of the grant
	 * @param released the time at which its release began
	 */
	record Holding(int process, int thread, long wanted, long acquired, long released) implements Serializable {

	}

}
