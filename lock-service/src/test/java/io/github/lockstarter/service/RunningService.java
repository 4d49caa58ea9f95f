package io.github.lockstarter.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * The service on a real port, and a client that sends the API key of {@code taro}.
 */
final class RunningService implements AutoCloseable {

	static final String KEY = "the-key-of-taro-0123456789";

	static final String TARO = "lock.service.clients.taro.api-key=" + KEY;

	private static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private static final JsonMapper json = new JsonMapper();

	private final ConfigurableApplicationContext context;

	private RunningService(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Starts the service with locks in memory and the client taro, unless the properties
	 * override that.
	 */
	static RunningService start(String... properties) {
		return startBare(
				Stream.concat(Stream.of("lock.store=memory", TARO), Stream.of(properties)).toArray(String[]::new));
	}

	/** Starts the service with the given properties only. */
	static RunningService startBare(String... properties) {
		String[] args = Stream.concat(Stream.of("server.port=0", "server.address=127.0.0.1"), Stream.of(properties))
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		return new RunningService(new SpringApplication(LockServiceApplication.class, OwnThreads.class).run(args));
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	int port() {
		return this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	/** Sends a request with the API key of taro, and returns the response. */
	Response send(String method, String path, String... headers) {
		return sendAsync(method, path, headers).join();
	}

	CompletableFuture<Response> sendAsync(String method, String path, String... headers) {
		return sendWithoutKey(method, path,
				Stream.concat(Stream.of("X-API-Key", KEY), Stream.of(headers)).toArray(String[]::new));
	}

	CompletableFuture<Response> sendWithoutKey(String method, String path, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
			.method(method, HttpRequest.BodyPublishers.noBody());
		if (headers.length > 0) {
			request.headers(headers);
		}
		return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()).thenApply(Response::new);
	}

	/**
	 * Sends raw bytes over a new connection, with the API key of taro after the first
	 * line.
	 */
	Socket sendRaw(String firstLine, String... headers) {
		try {
			Socket socket = new Socket("127.0.0.1", port());
			socket.setSoTimeout(30_000);
			String lines = String.join("\r\n",
					Stream
						.concat(Stream.of(firstLine + " HTTP/1.1", "Host: localhost", "X-API-Key: " + KEY),
								Stream.of(headers))
						.toList());
			socket.getOutputStream().write((lines + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
			return socket;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns whether the lock of taro is held. */
	boolean isHeld(String name) {
		Response state = send("GET", "/locks/" + name);
		return state.json().get("held").asBoolean();
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** A response of the service. */
	record Response(HttpResponse<String> http) {

		int status() {
			return this.http.statusCode();
		}

		String header(String name) {
			return this.http.headers().firstValue(name).orElse("");
		}

		String body() {
			return this.http.body();
		}

		JsonNode json() {
			return json.readTree(body());
		}

		String token() {
			return json().get("token").asString();
		}

		/** Returns the last segment of the problem type. */
		String problem() {
			JsonNode type = json().get("type");
			return (type != null) ? type.asString().replaceFirst(".*/", "") : "";
		}

	}

	/**
	 * Closing one of several services in this process must not end the threads of the
	 * others.
	 */
	@Configuration(proxyBeanMethods = false)
	static class OwnThreads {

		@Bean
		ReactorResourceFactory reactorResourceFactory() {
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setUseGlobalResources(false);
			resources.setShutdownQuietPeriod(Duration.ZERO);
			return resources;
		}

	}

}
