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
 * Some threads of one process that all want one lock, again and again. It is a wait for
 * something else that they do under it, not work for the processor.
 *
 * @param <A> where the server is
 * @param server the server that keeps the lock
 * @param candidate what makes the lock
 * @param key the key of the lock
 * @param process the number of this process
 * @param threads how many threads
 * @param work how long each holds the lock
 * @param pause how long each pauses after it has released the lock
 * @param begin when to begin, in {@link System#nanoTime()}, which on Linux is the same in
 * all processes
 * @param end when to end; who waits then waits on, and is the last to get the lock
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

	/** A thread that was woken by what it did before does not park at all. */
	private static void pauseUntil(long time) {
		for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/**
	 * One holding of the lock, with times in nanoseconds.
	 *
	 * @param process which process
	 * @param thread which thread, counted over all processes
	 * @param wanted when it was asked for
	 * @param acquired when it was granted
	 * @param released when its release was asked for
	 */
	record Holding(int process, int thread, long wanted, long acquired, long released) implements Serializable {

	}

}
