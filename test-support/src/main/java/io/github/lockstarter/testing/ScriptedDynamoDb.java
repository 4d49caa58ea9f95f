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
 * An HTTP server that answers like DynamoDB in failure modes that DynamoDB Local does not
 * have.
 */
public final class ScriptedDynamoDb implements AutoCloseable {

	/** An answer to a grant. */
	public static final Answer GRANTED = new Answer(200, "{\"Attributes\":{\"fence\":{\"N\":\"42\"}}}");

	/** No answer. */
	public static final Answer NONE = new Answer(0, "");

	private final Queue<Answer> script = new ConcurrentLinkedQueue<>();

	private final List<String> operations = new CopyOnWriteArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpServer server;

	private volatile Answer last;

	/**
	 * Starts a server that gives these answers in order, and then repeats the last one.
	 */
	public ScriptedDynamoDb(Answer... answers) {
		this.script.addAll(List.of(answers));
		this.last = answers[answers.length - 1];
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(this.threads);
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	/** Returns DynamoDB's answer to an operation that fails. */
	public static Answer error(int status, String code) {
		return new Answer(status, "{\"__type\":\"com.amazonaws.dynamodb.v20120810#%s\",\"message\":\"%s\"}"
			.formatted(code, "said the server"));
	}

	public URI endpoint() {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort());
	}

	/** Returns the operations, with the expression of an update. */
	public List<String> operations() {
		return this.operations;
	}

	private void answer(HttpExchange exchange) throws IOException {
		String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
		String operation = exchange.getRequestHeaders().getFirst("X-Amz-Target").replaceFirst(".*\\.", "");
		this.operations.add(operation + (body.contains("REMOVE") ? " to free" : ""));
		Answer next = this.script.poll();
		Answer answer = (next != null) ? next : this.last;
		if (answer.equals(NONE)) {
			return;
		}
		byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
		exchange.sendResponseHeaders(answer.status(), bytes.length);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/** A status and a body. */
	public record Answer(int status, String body) {
	}

}
