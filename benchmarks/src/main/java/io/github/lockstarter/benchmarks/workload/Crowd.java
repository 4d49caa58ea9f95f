package io.github.lockstarter.benchmarks.workload;

import java.io.IOException;
import java.time.Duration;

import org.awaitility.Awaitility;
import reactor.netty.http.client.HttpClient;

import org.springframework.util.Assert;

import io.github.lockstarter.benchmarks.http.LockRequests;
import io.github.lockstarter.benchmarks.http.WaitingRequests;
import io.github.lockstarter.benchmarks.measure.ServerProcess;

/**
 * What many requests take that wait at the lock service for one lock.
 *
 * @param count how many they are
 * @param before what the server takes without them
 * @param meanwhile what it takes while they wait
 * @param answered how many were answered, though the lock was held
 * @param goneMillis how long it took the server to close their connections when their
 * clients went away
 * @param freeMillis how long it took then to release the lock and give it to somebody
 * else
 */
record Crowd(int count, Footing before, Footing meanwhile, int answered, double goneMillis, double freeMillis) {

	private static final String NAME = "wanted";

	private static final Duration LONG = Duration.ofMinutes(2);

	/** Lets them come, and go. */
	static Crowd of(ServerProcess server, int count) throws IOException {
		LockRequests requests = new LockRequests(HttpClient.create(), server.port());
		String token = requests.acquire(NAME, "ttl=5m&wait=0s").block(LONG);
		Assert.state(token != null, "No token");
		Footing before = Footing.of(server);
		Footing meanwhile;
		int answered;
		long start;
		try (WaitingRequests waiting = new WaitingRequests(server.port(), NAME, count)) {
			meanwhile = Footing.of(server);
			answered = waiting.ended();
			Assert.state(answered > 0 || meanwhile.connections >= count, "Somebody has left");
			start = System.nanoTime();
		}
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(20))
			.atMost(LONG)
			.until(() -> server.connections() <= before.connections);
		double goneMillis = millisSince(start);
		start = System.nanoTime();
		requests.release(NAME, token).block(LONG);
		// If somebody who has left were granted the lock, it would be held for the ttl.
		String next = requests.acquire(NAME, "ttl=30s&wait=1m").block(LONG);
		double freeMillis = millisSince(start);
		Assert.state(next != null, "No token");
		requests.release(NAME, next).block(LONG);
		return new Crowd(count, before, meanwhile, answered, goneMillis, freeMillis);
	}

	private static double millisSince(long start) {
		return (System.nanoTime() - start) / 1e6;
	}

	double threadsEach() {
		return (this.meanwhile.threads - this.before.threads) / (double) this.count;
	}

	double heapEach() {
		return (this.meanwhile.heapBytes - this.before.heapBytes) / (double) this.count;
	}

	/**
	 * What a server takes when it has nothing to do.
	 *
	 * @param threads its threads
	 * @param residentBytes its real memory
	 * @param heapBytes its live objects
	 * @param connections those of its clients
	 */
	record Footing(int threads, long residentBytes, long heapBytes, int connections) {

		static Footing of(ServerProcess server) throws IOException {
			server.awaitQuiet();
			long heapBytes = server.heapBytes();
			return new Footing(server.threads(), server.residentBytes(), heapBytes, server.connections());
		}

	}

}
