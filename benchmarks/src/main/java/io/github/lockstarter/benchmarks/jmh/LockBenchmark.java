package io.github.lockstarter.benchmarks.jmh;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * One client, one of whose threads holds a lock all the time.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init")
public class LockBenchmark {

	/** The system property with the port of Redis. */
	public static final String REDIS_PORT = "benchmarks.redis-port";

	private static final String HELD = "held";

	@Param
	private RedisCandidate candidate;

	private LockClient client;

	private final CountDownLatch held = new CountDownLatch(1);

	private final CountDownLatch done = new CountDownLatch(1);

	private Thread holder;

	@Setup
	public void connect() throws Exception {
		this.client = this.candidate.connect(new RedisAddress(Integer.getInteger(REDIS_PORT)));
		this.holder = new Thread(this::hold, "holder");
		this.holder.start();
		this.held.await();
	}

	private void hold() {
		try {
			Runnable release = this.client.acquire(HELD);
			this.held.countDown();
			this.done.await();
			release.run();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@TearDown
	public void disconnect() throws InterruptedException {
		this.done.countDown();
		this.holder.join();
		this.client.close();
	}

	/** Tries to acquire a lock that another thread of this instance holds. */
	@Benchmark
	public @Nullable Object reject() throws Exception {
		Runnable release = this.client.tryAcquire(HELD);
		if (release != null) {
			throw new IllegalStateException("The lock was not held");
		}
		return release;
	}

	/** Acquires a free lock, and releases it. */
	@Benchmark
	public void cycle(ThreadKey key) throws Exception {
		this.client.acquireFree(key.key).run();
	}

	/** A lock that only this thread uses. */
	@State(Scope.Thread)
	public static class ThreadKey {

		private final String key = "free-" + Thread.currentThread().getId();

	}

}
