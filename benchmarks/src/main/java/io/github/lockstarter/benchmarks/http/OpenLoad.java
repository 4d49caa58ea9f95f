package io.github.lockstarter.benchmarks.http;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/**
 * Requests for one key that arrive at random, independently of earlier responses (open
 * load). The latency of a response is measured from the scheduled arrival of its request,
 * so that a stalled server does not hide its latency by receiving fewer requests.
 */
public final class OpenLoad implements AutoCloseable {

	/** The average number of requests per second. */
	public static final int RATE = 2000;

	private static final int CONNECTIONS = 400;

	/** The time after which a request counts as without a response. */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private final ConnectionProvider connections = ConnectionProvider.builder("open")
		.maxConnections(CONNECTIONS)
		.pendingAcquireMaxCount(-1)
		.build();

	private final HttpClient http = HttpClient.create(this.connections).responseTimeout(PATIENCE);

	private final Random random = new Random();

	/**
	 * Returns the results.
	 * @param port the port of the server
	 * @param variant the endpoint
	 * @param work the time for which a request holds the lock
	 * @param duration the time for which requests arrive; all of them count
	 */
	public Outcome run(int port, Variant variant, Duration work, Duration duration) throws InterruptedException {
		String uri = variant.address(port, work) + "one";
		Histogram runs = new AtomicHistogram(TimeUnit.MINUTES.toNanos(1), 3);
		Histogram rejections = new AtomicHistogram(TimeUnit.MINUTES.toNanos(1), 3);
		AtomicLong withoutResponse = new AtomicLong();
		AtomicInteger otherStatus = new AtomicInteger();
		AtomicLong underWay = new AtomicLong(1);
		CountDownLatch done = new CountDownLatch(1);
		Runnable ended = () -> {
			if (underWay.decrementAndGet() == 0) {
				done.countDown();
			}
		};
		long end = System.nanoTime() + duration.toNanos();
		for (long arrival = next(System.nanoTime()); arrival - end < 0; arrival = next(arrival)) {
			long now = System.nanoTime();
			while (now - arrival < 0) {
				LockSupport.parkNanos(arrival - now);
				now = System.nanoTime();
			}
			long arrived = arrival;
			underWay.incrementAndGet();
			this.http.post()
				.uri(uri)
				.responseSingle((response, body) -> body.then(Mono.just(response.status().code())))
				.doFinally((signal) -> ended.run())
				.subscribe((status) -> {
					switch (status) {
						case 200 -> runs.recordValue(System.nanoTime() - arrived);
						case 409 -> rejections.recordValue(System.nanoTime() - arrived);
						default -> otherStatus.set(status);
					}
				}, (failure) -> withoutResponse.incrementAndGet());
		}
		ended.run();
		done.await();
		if (otherStatus.get() != 0) {
			throw new IllegalStateException("POST %s returned %d".formatted(uri, otherStatus.get()));
		}
		return new Outcome(runs, rejections, withoutResponse.get());
	}

	/** Returns the next arrival of a Poisson process. */
	private long next(long arrival) {
		return arrival + (long) (-Math.log(1 - this.random.nextDouble()) * 1e9 / RATE);
	}

	@Override
	public void close() {
		this.connections.dispose();
	}

	/**
	 * The results.
	 *
	 * @param runs the latencies of requests that ran, in nanoseconds
	 * @param rejections the latencies of rejections, in nanoseconds
	 * @param withoutResponse the number of requests that never got a response
	 */
	public record Outcome(Histogram runs, Histogram rejections, long withoutResponse) {

		/** Returns the share of the requests that ran, in percent. */
		public double ranPercent() {
			return 100.0 * this.runs.getTotalCount() / (this.runs.getTotalCount() + this.rejections.getTotalCount());
		}

	}

}
