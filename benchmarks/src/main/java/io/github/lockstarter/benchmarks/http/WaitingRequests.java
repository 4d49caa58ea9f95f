package io.github.lockstarter.benchmarks.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

import io.github.lockstarter.benchmarks.measure.Progress;

/**
 * Requests that wait for a lock that another client holds, each on its own connection.
 */
public final class WaitingRequests implements AutoCloseable {

	/** The longest wait that the service grants. */
	private static final Duration WAIT = Duration.ofMinutes(1);

	/** Limits concurrent connection attempts, so that none is refused. */
	private static final int CONNECTING_AT_A_TIME = 200;

	private final ConnectionProvider connections;

	private final Disposable.Composite requests = Disposables.composite();

	private final AtomicInteger ended = new AtomicInteger();

	/**
	 * Sends all requests.
	 * @param port the port of the service
	 * @param name the name of the lock
	 * @param count the number of requests
	 */
	public WaitingRequests(int port, String name, int count) {
		this.connections = ConnectionProvider.builder("waiting").maxConnections(count).build();
		Flux.range(0, count)
			.flatMap((number) -> send(HttpClient.create(this.connections).disableRetry(true), port, name),
					CONNECTING_AT_A_TIME)
			.blockLast();
	}

	private Mono<Void> send(HttpClient http, int port, String name) {
		return Mono.create((sent) -> {
			HttpClient tellsWhenSent = http.doAfterRequest((request, connection) -> sent.success());
			this.requests.add(new LockRequests(tellsWhenSent, port).acquire(name, "ttl=30s&wait=%s".formatted(WAIT))
				.subscribe((token) -> end("it was granted"), (failure) -> {
					end(failure);
					sent.success();
				}));
		});
	}

	private void end(Object why) {
		if (this.ended.incrementAndGet() == 1) {
			Progress.show("the first request that did not wait: %s", why);
		}
	}

	/**
	 * Returns the number of requests that no longer wait. None should have ended by
	 * itself.
	 */
	public int ended() {
		return this.ended.get();
	}

	/** Abandons all requests: the clients close their connections. */
	@Override
	public void close() {
		this.requests.dispose();
		this.connections.dispose();
	}

}
