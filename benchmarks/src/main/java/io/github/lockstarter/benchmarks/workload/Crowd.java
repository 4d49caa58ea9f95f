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
 * The cost of many requests that wait at the lock service for one lock.
 *
 * @param count the number of requests
 * @param before the resources of the server without them
 * @param meanwhile the resources of the server while they wait
 * @param ended the number of requests that ended although the lock was held
 * @param goneMillis the time that the server needed to close their connections after
 * their clients disconnected
 * @param freeMillis the time that it then needed to release the lock and grant it to
 * another client
 */
record Crowd(int count, Footing before, Footing meanwhile, int ended, double goneMillis, double freeMillis) {

	private static final String NAME = "wanted";

	private static final Duration LONG = Duration.ofMinutes(2);

	/** Sends the requests, and then disconnects their clients. */
	static Crowd of(ServerProcess server, int count) throws IOException {
		LockRequests requests = new LockRequests(HttpClient.create(), server.port());
		String token = requests.acquire(NAME, "ttl=5m&wait=0s").block(LONG);
		Assert.state(token != null, "No token");
		Footing before = Footing.of(server);
		Footing meanwhile;
		int ended;
		long start;
		try (WaitingRequests waiting = new WaitingRequests(server.port(), NAME, count)) {
			meanwhile = Footing.of(server);
			ended = waiting.ended();
			Assert.state(ended > 0 || meanwhile.connections >= count, "A client has disconnected");
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
		// If the lock was granted to a disconnected client, it would be held for the ttl.
		String next = requests.acquire(NAME, "ttl=30s&wait=1m").block(LONG);
		double freeMillis = millisSince(start);
		Assert.state(next != null, "No token");
		requests.release(NAME, next).block(LONG);
		return new Crowd(count, before, meanwhile, ended, goneMillis, freeMillis);
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
	 * The resources of an idle server.
	 *
	 * @param threads the number of threads
	 * @param residentBytes the resident memory
	 * @param heapBytes the memory of live objects
	 * @param connections the connections of its clients
	 */
	record Footing(int threads, long residentBytes, long heapBytes, int connections) {

		static Footing of(ServerProcess server) throws IOException {
			server.awaitQuiet();
			long heapBytes = server.heapBytes();
			return new Footing(server.threads(), server.residentBytes(), heapBytes, server.connections());
		}

	}

}
