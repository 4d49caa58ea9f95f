package io.github.lockstarter.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A proxy between a client and the service that records the requests and the status of
 * the responses. It can let the next requests fail.
 */
final class Relay implements AutoCloseable {

	/** A fault of the relay. */
	enum Fault {

		/** The request is not passed on, and gets a 503. */
		UNAVAILABLE,

		/** The request is passed on, but the response is not. */
		RESPONSE_LOST,

		/** The request is passed on, and gets its response after three seconds. */
		SLOW,

		/** The request is not passed on, and gets no response. */
		HANGING

	}

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();

	private final List<String> responses = new CopyOnWriteArrayList<>();

	private final AtomicInteger received = new AtomicInteger();

	private final Set<String> tokens = ConcurrentHashMap.newKeySet();

	private final HttpServer server;

	private final int servicePort;

	private Relay(HttpServer server, int servicePort) {
		this.server = server;
		this.servicePort = servicePort;
	}

	/** Starts a relay with the faults of the first requests. */
	static Relay start(int servicePort, Fault... faults) throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		Relay relay = new Relay(server, servicePort);
		relay.failNext(List.of(faults));
		server.createContext("/", relay::pass);
		server.start();
		return relay;
	}

	String url() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	/** Lets the next requests fail. */
	void failNext(List<Fault> faults) {
		this.faults.addAll(faults);
	}

	/** Returns the method and the status of each request that was passed on. */
	List<String> responses() {
		return this.responses;
	}

	/** Returns the number of requests that have arrived, whether passed on or not. */
	int received() {
		return this.received.get();
	}

	/** Returns the only token that was sent. */
	String token() {
		if (this.tokens.size() != 1) {
			throw new IllegalStateException(this.tokens.size() + " tokens were sent");
		}
		return this.tokens.iterator().next();
	}

	private void pass(HttpExchange exchange) throws IOException {
		this.received.incrementAndGet();
		Fault fault = this.faults.poll();
		if (fault == Fault.HANGING) {
			// An exchange that is not closed keeps its connection.
			return;
		}
		int status = (fault == Fault.UNAVAILABLE) ? 503 : passOn(exchange);
		Executor executor = (fault == Fault.SLOW) ? CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS)
				: Runnable::run;
		executor.execute(() -> {
			try (exchange) {
				if (fault != Fault.RESPONSE_LOST) {
					exchange.sendResponseHeaders(status, -1);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	private int passOn(HttpExchange exchange) throws IOException {
		try {
			HttpResponse<Void> response = ask(exchange);
			this.responses.add(exchange.getRequestMethod() + " " + response.statusCode());
			return response.statusCode();
		}
		catch (InterruptedException ex) {
			throw new IOException(ex);
		}
	}

	private HttpResponse<Void> ask(HttpExchange exchange) throws IOException, InterruptedException {
		String token = exchange.getRequestHeaders().getFirst("Lock-Token");
		this.tokens.add(token);
		URI uri = URI.create("http://127.0.0.1:" + this.servicePort + exchange.getRequestURI());
		return this.client.send(HttpRequest.newBuilder(uri)
			.method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.noBody())
			.headers("Lock-Token", token, "X-API-Key", exchange.getRequestHeaders().getFirst("X-API-Key"))
			.build(), HttpResponse.BodyHandlers.discarding());
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
