package io.github.lockstarter.recipes;

import java.net.http.HttpResponse;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the client of a recipe sees.
 */
final class Responses {

	private Responses() {
	}

	static boolean isReplayed(HttpResponse<?> response) {
		return response.headers().firstValue("Idempotent-Replayed").equals(Optional.of("true"));
	}

	static String location(HttpResponse<?> response) {
		return response.headers().firstValue("Location").orElseThrow();
	}

	static void assertProblem(HttpResponse<String> response, int status, String type) {
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.body()).contains("/problems/" + type + "\"");
	}

	/** Asserts that the response asks for a later retry. */
	static void assertRejected(HttpResponse<String> response) {
		assertProblem(response, 409, "request-in-progress");
		assertThat(response.headers().firstValue("Retry-After")).isPresent();
	}

}
