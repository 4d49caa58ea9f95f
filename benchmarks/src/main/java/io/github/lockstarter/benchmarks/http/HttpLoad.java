package io.github.lockstarter.benchmarks.http;

import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.netty.handler.timeout.ReadTimeoutException;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

import io.github.lockstarter.benchmarks.measure.Slice;

/**
 * Clients that send one request after the other, each as soon as the previous one has its
 * response. They need no threads of their own.
 */
public final class HttpLoad implements AutoCloseable {

	/** The number of concurrent requests. */
	public static final int CLIENTS = 50;

	/**
	 * The time after which a request counts as without a response, and its connection is
	 * closed.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private final ConnectionProvider connections = ConnectionProvider.create("clients", CLIENTS);

	private final HttpClient http = HttpClient.create(this.connections).responseTimeout(PATIENCE);

	/**
	 * Sends requests, and returns the results.
	 * @param port the port of the server
	 * @param variant the endpoint
	 * @param work the time for which a request holds the lock
	 * @param duration the duration; requests in progress at its end are completed, but
	 * not counted
	 * @param keys the key of each client, by its number
	 */
	public Responses run(int port, Variant variant, Duration work, Duration duration,
			IntFunction<Supplier<String>> keys) {
		String address = variant.address(port, work);
		long end = System.nanoTime() + duration.toNanos();
		List<Client> clients = IntStream.range(0, CLIENTS)
			.mapToObj((client) -> new Client(address, keys.apply(client), end))
			.toList();
		Flux.merge(Flux.fromIterable(clients).map(Client::run), CLIENTS).blockLast();
		Histogram latencies = new Histogram(3);
		clients.forEach((client) -> latencies.add(client.latencies));
		return new Responses(new Slice(latencies, duration.toNanos() / 1e9, Double.NaN),
				clients.stream().mapToLong((client) -> client.ran).sum(),
				clients.stream().mapToLong((client) -> client.withoutResponse).sum());
	}

	@Override
	public void close() {
		this.connections.dispose();
	}

	/** A client with at most one request in progress. */
	private final class Client {

		private final String address;

		private final Supplier<String> keys;

		private final long end;

		private final Histogram latencies = new Histogram(3);

		private long ran;

		private long withoutResponse;

		Client(String address, Supplier<String> keys, long end) {
			this.address = address;
			this.keys = keys;
			this.end = end;
		}

		Mono<Void> run() {
			return Mono.defer(this::once).repeat(() -> System.nanoTime() - this.end < 0).then();
		}

		private Mono<Integer> once() {
			long start = System.nanoTime();
			return HttpLoad.this.http.post()
				.uri(this.address + this.keys.get())
				.responseSingle((response, body) -> body.then(Mono.just(response.status().code())))
				.doOnNext((status) -> record(status, System.nanoTime(), start))
				.onErrorResume(ReadTimeoutException.class, (timeout) -> {
					this.withoutResponse++;
					return Mono.empty();
				});
		}

		private void record(int status, long now, long start) {
			boolean success = status >= 200 && status < 300;
			if (!success && status != 409) {
				throw new IllegalStateException("POST %s returned %d".formatted(this.address, status));
			}
			if (now - this.end < 0) {
				this.latencies.recordValue(now - start);
				this.ran += success ? 1 : 0;
			}
		}

	}

}
