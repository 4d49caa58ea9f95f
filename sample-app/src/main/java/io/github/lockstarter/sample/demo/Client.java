package io.github.lockstarter.sample.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Sends requests to the instances.
 */
@Component
class Client {

	private final HttpClient client = HttpClient.newBuilder()
		.proxy(HttpClient.Builder.NO_PROXY)
		.connectTimeout(Duration.ofSeconds(2))
		.build();

	SentRequest send(Lane lane, int number, Instance instance, int slowdown) {
		HttpRequest request = post(instance.url() + lane.policy().path() + "?userName=" + lane.userName())
			.header(RequestNumbers.REQUEST, Integer.toString(number))
			.header(RequestNumbers.SLOWDOWN, Integer.toString(slowdown))
			.build();
		return new SentRequest(number, instance, request, Instant.now(),
				this.client.sendAsync(request, BodyHandlers.ofString()).handle(ReceivedResponse::of));
	}

	/** Kills an instance. It has ended only if the connection breaks. */
	CompletableFuture<Kill.Outcome> kill(Instance instance) {
		return this.client
			.sendAsync(post(instance.url() + "/demo/kill?instanceId=" + instance.instanceId()).build(),
					BodyHandlers.discarding())
			.handle(Client::outcome);
	}

	private static Kill.Outcome outcome(@Nullable HttpResponse<?> response, @Nullable Throwable failure) {
		if (response != null) {
			return Kill.Outcome.failed("it responded with " + response.statusCode());
		}
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		boolean broken = cause instanceof IOException && !(cause instanceof HttpTimeoutException);
		return broken ? Kill.Outcome.killed() : Kill.Outcome.failed("there was no response: " + cause);
	}

	private static HttpRequest.Builder post(String url) {
		return HttpRequest.newBuilder(URI.create(url))
			.version(HttpClient.Version.HTTP_1_1)
			.timeout(Duration.ofMinutes(2))
			.POST(BodyPublishers.noBody());
	}

}
