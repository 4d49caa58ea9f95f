package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * An HTTP server that replies like DynamoDB in failure modes that DynamoDB Local does not
 * have.
 */
public final class ScriptedDynamoDb implements AutoCloseable {

	/** A reply to a grant. */
	public static final Reply GRANTED = new Reply(200, "{\"Attributes\":{\"fence\":{\"N\":\"42\"}}}");

	/** No reply. */
	public static final Reply NONE = new Reply(0, "");

	private final Queue<Reply> script = new ConcurrentLinkedQueue<>();

	private final List<String> operations = new CopyOnWriteArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpServer server;

	private volatile Reply last;

	/**
	 * Starts a server that gives these replies in order, and then repeats the last one.
	 */
	public ScriptedDynamoDb(Reply... replies) {
		this.script.addAll(List.of(replies));
		this.last = replies[replies.length - 1];
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(this.threads);
		this.server.createContext("/", this::reply);
		this.server.start();
	}

	/** Returns DynamoDB's reply to an operation that fails. */
	public static Reply error(int status, String code) {
		return new Reply(status, "{\"__type\":\"com.amazonaws.dynamodb.v20120810#%s\",\"message\":\"%s\"}"
			.formatted(code, "said the server"));
	}

	public URI endpoint() {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort());
	}

	/** Returns the operations, with the expression of an update. */
	public List<String> operations() {
		return this.operations;
	}

	private void reply(HttpExchange exchange) throws IOException {
		String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
		String operation = exchange.getRequestHeaders().getFirst("X-Amz-Target").replaceFirst(".*\\.", "");
		this.operations.add(operation + (body.contains("REMOVE") ? " to free" : ""));
		Reply next = this.script.poll();
		Reply reply = (next != null) ? next : this.last;
		if (reply.equals(NONE)) {
			return;
		}
		byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
		exchange.sendResponseHeaders(reply.status(), bytes.length);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/** A status and a body. */
	public record Reply(int status, String body) {
	}

}
