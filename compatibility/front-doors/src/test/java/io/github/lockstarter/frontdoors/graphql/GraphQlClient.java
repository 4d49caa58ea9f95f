package io.github.lockstarter.frontdoors.graphql;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends GraphQL requests over HTTP, each with the header {@code X-Order: 7}.
 */
final class GraphQlClient {

	private static final JsonMapper json = JsonMapper.builder().build();

	private final HttpClient http = HttpClient.newHttpClient();

	private final URI uri;

	GraphQlClient(int port) {
		this.uri = URI.create("http://localhost:%d/graphql".formatted(port));
	}

	/** Sends a request, and returns the response. */
	CompletableFuture<JsonNode> send(String document) {
		return exchange(document, "application/json").thenApply((body) -> json.readTree(body));
	}

	/** Sends a request for a subscription, and returns the last result of its stream. */
	CompletableFuture<JsonNode> subscribe(String document) {
		return exchange(document, "text/event-stream").thenApply((body) -> json.readTree(body.lines()
			.filter((line) -> line.startsWith("data:{\""))
			.reduce((first, last) -> last)
			.orElseThrow(() -> new AssertionError("no result in " + body))
			.substring("data:".length())));
	}

	private CompletableFuture<String> exchange(String document, String accept) {
		HttpRequest request = HttpRequest.newBuilder(this.uri)
			.header("Content-Type", "application/json")
			.header("Accept", accept)
			.header("X-Order", "7")
			.POST(BodyPublishers.ofString(json.writeValueAsString(Map.of("query", document))))
			.build();
		return this.http.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::body);
	}

}
