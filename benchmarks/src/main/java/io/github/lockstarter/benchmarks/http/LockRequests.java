package io.github.lockstarter.benchmarks.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/**
 * Sends the requests of clients of the lock service. Every response other than success is
 * an error.
 *
 * @param http the HTTP client
 * @param port the port of the service
 */
public record LockRequests(HttpClient http, int port) {

	private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");

	/**
	 * Acquires a lock.
	 * @param name the name of the lock
	 * @param terms the parameters
	 * @return the token
	 */
	public Mono<String> acquire(String name, String terms) {
		return send(this.http.put().uri(uri(name) + "?" + terms), 201).map((body) -> {
			Matcher token = TOKEN.matcher(body);
			if (!token.find()) {
				throw new IllegalStateException("No token: " + body);
			}
			return token.group(1);
		});
	}

	/** Releases a lock. */
	public Mono<Void> release(String name, String token) {
		HttpClient holder = this.http.headers((headers) -> headers.set("Lock-Token", token));
		return send(holder.delete().uri(uri(name)), 204).then();
	}

	private String uri(String name) {
		return "http://127.0.0.1:%d/locks/%s".formatted(this.port, name);
	}

	private static Mono<String> send(HttpClient.ResponseReceiver<?> request, int expected) {
		return request.responseSingle((response, body) -> body.asString().defaultIfEmpty("").map((text) -> {
			if (response.status().code() != expected) {
				throw new IllegalStateException("The response was %s: %s".formatted(response.status(), text));
			}
			return text;
		}));
	}

}
