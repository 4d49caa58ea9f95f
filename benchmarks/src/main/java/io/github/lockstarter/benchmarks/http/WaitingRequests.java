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
 * Requests that wait for a lock which somebody else holds, each on a connection of its
 * own.
 */
public final class WaitingRequests implements AutoCloseable {

	/** The longest wait that the service grants. */
	private static final Duration WAIT = Duration.ofMinutes(1);

	/** So that no connection is refused for coming with too many others. */
	private static final int CONNECTING_AT_A_TIME = 200;

	private final ConnectionProvider connections;

	private final Disposable.Composite requests = Disposables.composite();

	private final AtomicInteger ended = new AtomicInteger();

	/**
	 * Sends them all.
	 * @param port where the service is
	 * @param name which lock they want
	 * @param count how many they are
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

	/** Returns how many do not wait any more: none should have ended by itself. */
	public int ended() {
		return this.ended.get();
	}

	/** Gives all of them up: the clients close their connections. */
	@Override
	public void close() {
		this.requests.dispose();
		this.connections.dispose();
	}

}
