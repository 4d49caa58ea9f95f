package io.github.lockstarter.benchmarks.http;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

import io.github.lockstarter.benchmarks.measure.Progress;

/**
 * Clients that repeatedly acquire and release a lock, each with its own lock and
 * connection. They need no threads of their own.
 */
public final class LockLoad implements AutoCloseable {

	/** The time after which a request counts as without a response, which is an error. */
	public static final Duration PATIENCE = Duration.ofSeconds(10);

	private final List<ConnectionProvider> connections;

	public LockLoad(int clients) {
		this.connections = IntStream.range(0, clients)
			.mapToObj((client) -> ConnectionProvider.create("client-" + client, 1))
			.toList();
	}

	/**
	 * Runs the cycles, and returns the results.
	 * @param port the port of the service
	 * @param cycles the number of times that a lock is acquired and released, at least
	 * once by each client
	 */
	public Outcome run(int port, int cycles) {
		Round round = new Round(port, new AtomicInteger(cycles - this.connections.size()));
		Flux.merge(Flux.fromStream(clients(round)), this.connections.size()).blockLast();
		return new Outcome(round.latencies, (round.lastResponse.get() - round.start) / 1e9, round.errors.get());
	}

	private Stream<Mono<Void>> clients(Round round) {
		return IntStream.range(0, this.connections.size())
			// A request without a response must not be repeated unnoticed.
			.mapToObj((client) -> round.client("lock-" + client,
					HttpClient.create(this.connections.get(client)).disableRetry(true).responseTimeout(PATIENCE)));
	}

	@Override
	public void close() {
		this.connections.forEach(ConnectionProvider::dispose);
	}

	/**
	 * The results.
	 *
	 * @param latencies the latencies of the responses, in nanoseconds
	 * @param seconds the time until the last response
	 * @param errors the number of requests that failed or had no response
	 */
	public record Outcome(Histogram latencies, double seconds, long errors) {

	}

	/** The shared state of the clients during a run. */
	private static final class Round {

		private final Histogram latencies = new AtomicHistogram(TimeUnit.MINUTES.toNanos(1), 3);

		private final AtomicLong errors = new AtomicLong();

		private final long start = System.nanoTime();

		private final AtomicLong lastResponse = new AtomicLong(this.start);

		private final int port;

		private final AtomicInteger cyclesLeft;

		Round(int port, AtomicInteger cyclesLeft) {
			this.port = port;
			this.cyclesLeft = cyclesLeft;
		}

		Mono<Void> client(String name, HttpClient http) {
			LockRequests requests = new LockRequests(http, this.port);
			return timed(requests.acquire(name, "ttl=30s&wait=0s"))
				.flatMap((token) -> timed(requests.release(name, token)))
				.onErrorResume(this::error)
				.repeat(() -> this.cyclesLeft.getAndDecrement() > 0)
				.then();
		}

		private <T> Mono<T> timed(Mono<T> request) {
			return Mono.defer(() -> {
				long sent = System.nanoTime();
				return request.doOnSuccess((done) -> {
					long now = System.nanoTime();
					this.latencies.recordValue(now - sent);
					this.lastResponse.accumulateAndGet(now, Math::max);
				});
			});
		}

		private Mono<Void> error(Throwable error) {
			if (this.errors.incrementAndGet() == 1) {
				Progress.show("the first error: %s", error);
			}
			return Mono.empty();
		}

	}

}
