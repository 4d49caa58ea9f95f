package io.github.lockstarter.sample.demo;

import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A request of a run.
 *
 * @param number the number of the request
 * @param target the instance to which it was sent
 * @param request the HTTP request
 * @param sent the time at which it was sent
 * @param future the future response, which never completes exceptionally
 */
record SentRequest(int number, Instance target, HttpRequest request, Instant sent,
		CompletableFuture<ReceivedResponse> future) {

	@Nullable ReceivedResponse response() {
		return this.future.getNow(null);
	}

	String text() {
		String headers = this.request.headers()
			.map()
			.entrySet()
			.stream()
			.map((header) -> "\n" + header.getKey() + ": " + String.join(", ", header.getValue()))
			.collect(Collectors.joining());
		return "%s %s?%s HTTP/1.1\nHost: %s%s".formatted(this.request.method(), this.request.uri().getRawPath(),
				this.request.uri().getRawQuery(), this.request.uri().getAuthority(), headers);
	}

}
