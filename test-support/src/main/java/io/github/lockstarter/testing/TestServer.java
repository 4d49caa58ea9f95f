package io.github.lockstarter.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application that runs on a real port, and a client for it.
 */
public final class TestServer implements AutoCloseable {

	private static final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private TestServer(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/** Starts the application with the properties, on a free port. */
	public static TestServer start(Class<?>[] sources, String... properties) {
		SpringApplication application = new SpringApplication(sources);
		application.setMainApplicationClass(sources[0]);
		return start(application, properties);
	}

	/** Starts the application with the properties, on a free port. */
	public static TestServer start(SpringApplication application, String... properties) {
		// Reactor Netty would wait two seconds for late work at shutdown. Some handlers
		// of WebFlux block their event loop, and with it all connections of that loop;
		// a new connection gets the next one.
		String[] args = Stream
			.concat(Stream.of("server.port=0", "server.address=127.0.0.1",
					"spring.reactor.netty.shutdown-quiet-period=0s", "server.netty.max-keep-alive-requests=1"),
					Stream.of(properties))
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		return new TestServer(application.run(args));
	}

	public ConfigurableApplicationContext context() {
		return this.context;
	}

	/** Sends a POST without a body and returns the response. */
	public HttpResponse<String> post(String path, String... headers) throws IOException, InterruptedException {
		return client.send(request(path, headers), HttpResponse.BodyHandlers.ofString());
	}

	/** Sends a POST without a body. */
	public CompletableFuture<HttpResponse<String>> postAsync(String path, String... headers) {
		return client.sendAsync(request(path, headers), HttpResponse.BodyHandlers.ofString());
	}

	/** Sends a GET and returns the response. */
	public HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return client.send(newRequest(path).build(), HttpResponse.BodyHandlers.ofString());
	}

	/** Sends a request without a body, and returns the response. */
	public HttpResponse<String> send(String method, String path, String... headers)
			throws IOException, InterruptedException {
		HttpRequest request = newRequest(path).method(method, HttpRequest.BodyPublishers.noBody())
			.headers(headers)
			.build();
		return client.send(request, HttpResponse.BodyHandlers.ofString());
	}

	/** Sends a DELETE and returns the response. */
	public HttpResponse<String> delete(String path) throws IOException, InterruptedException {
		return client.send(newRequest(path).DELETE().build(), HttpResponse.BodyHandlers.ofString());
	}

	/** Sends a GET. */
	public CompletableFuture<HttpResponse<String>> getAsync(String path) {
		return client.sendAsync(newRequest(path).build(), HttpResponse.BodyHandlers.ofString());
	}

	private HttpRequest request(String path, String... headers) {
		HttpRequest.Builder request = newRequest(path).POST(HttpRequest.BodyPublishers.noBody());
		if (headers.length > 0) {
			request.headers(headers);
		}
		return request.build();
	}

	/** A timeout, so that a request without a response fails the test. */
	private HttpRequest.Builder newRequest(String path) {
		return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofMinutes(1));
	}

	private URI uri(String path) {
		return URI.create("http://127.0.0.1:" + port() + path);
	}

	public int port() {
		return this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * The configuration of an application besides its controllers: the locks in Redis,
	 * and the web. It starts in about half of the time of a complete one.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration
	public static class Application {

	}

	/** The same, with the auto-configurations of all libraries on the class path. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	public static class CompleteApplication {

	}

}
