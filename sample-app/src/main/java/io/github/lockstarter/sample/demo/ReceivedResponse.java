package io.github.lockstarter.sample.demo;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The end of a request for its client.
 *
 * @param time the time of the end
 * @param status the status, or 0 if there was no response
 * @param replayed whether it is the response to another request
 * @param text the transmitted response, or the reason for its absence
 */
record ReceivedResponse(Instant time, int status, boolean replayed, String text) {

	/**
	 * Returns whether the user was registered. The status is 502 if the points could not
	 * be granted afterwards.
	 */
	boolean registered() {
		return this.status == 201 || this.status == 502;
	}

	static ReceivedResponse of(@Nullable HttpResponse<String> response, @Nullable Throwable failure) {
		if (response == null) {
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			return new ReceivedResponse(Instant.now(), 0, false, "No response: " + cause);
		}
		String headers = response.headers()
			.map()
			.entrySet()
			.stream()
			.flatMap((header) -> header.getValue().stream().map((value) -> header.getKey() + ": " + value))
			.collect(Collectors.joining("\n"));
		String version = (response.version() == HttpClient.Version.HTTP_1_1) ? "HTTP/1.1 " : "HTTP/2 ";
		return new ReceivedResponse(Instant.now(), response.statusCode(),
				response.headers().firstValue("Idempotent-Replayed").isPresent(),
				version + response.statusCode() + "\n" + headers + "\n\n" + response.body());
	}

}
