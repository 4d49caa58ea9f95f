package io.github.lockstarter.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * An HTTP API with scripted responses, one per request, and 201 afterwards. Records the
 * requests.
 */
final class ScriptedApi implements AutoCloseable {

	private final HttpServer server;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Queue<Response> responses = new ConcurrentLinkedQueue<>();

	private final List<Sent> requests = new CopyOnWriteArrayList<>();

	private final CountDownLatch closed = new CountDownLatch(1);

	ScriptedApi() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(this.threads);
		this.server.createContext("/", this::handle);
		this.server.start();
	}

	String url() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort() + "/orders";
	}

	/** Responds to the next requests. */
	ScriptedApi then(int times, Response response) {
		for (int i = 0; i < times; i++) {
			this.responses.add(response);
		}
		return this;
	}

	/** Responds to the next request. */
	ScriptedApi then(Response response) {
		return then(1, response);
	}

	/** Responds to the next request with a problem. */
	ScriptedApi thenProblem(int status, String type, String members, String... headers) {
		return then(problem(status, type, members, headers));
	}

	/** Drops the connections of the next requests without a response. */
	ScriptedApi thenDrop(int times) {
		return then(times, (exchange) -> {
		});
	}

	/** Never responds to the next request. */
	ScriptedApi thenHang() {
		return then((exchange) -> {
			try {
				this.closed.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
	}

	static Response problem(int status, String type, String members, String... headers) {
		return response(status, "application/problem+json",
				"{\"type\":\"%s\",\"status\":%d%s}".formatted(type, status, members), headers);
	}

	static Response response(int status, String contentType, String body, String... headers) {
		return (exchange) -> {
			Headers all = exchange.getResponseHeaders();
			if (!contentType.isEmpty()) {
				all.set("Content-Type", contentType);
			}
			for (int i = 0; i < headers.length; i += 2) {
				all.set(headers[i], headers[i + 1]);
			}
			byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(status, (bytes.length > 0) ? bytes.length : -1);
			exchange.getResponseBody().write(bytes);
		};
	}

	List<Sent> requests() {
		return this.requests;
	}

	/** Returns the values of the header, in the order of the requests. */
	List<List<String>> headers(String name) {
		return this.requests.stream().map((each) -> each.headers().getOrDefault(name, List.of())).toList();
	}

	private void handle(HttpExchange exchange) throws IOException {
		try (exchange) {
			String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
			this.requests.add(new Sent(exchange.getRequestMethod(), body, exchange.getRequestHeaders()));
			Response response = this.responses.poll();
			((response != null) ? response : response(201, "text/plain", "done")).to(exchange);
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/** Responds to a request, or drops the connection. */
	@FunctionalInterface
	interface Response {

		void to(HttpExchange exchange) throws IOException;

	}

	/** A request as it arrived. */
	record Sent(String method, String body, Headers headers) {
	}

}
