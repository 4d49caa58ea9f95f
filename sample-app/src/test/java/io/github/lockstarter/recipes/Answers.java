package io.github.lockstarter.recipes;

import java.net.http.HttpResponse;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the client of a recipe sees.
 */
final class Answers {

	private Answers() {
	}

	static boolean isReplayed(HttpResponse<?> answer) {
		return answer.headers().firstValue("Idempotent-Replayed").equals(Optional.of("true"));
	}

	static String location(HttpResponse<?> answer) {
		return answer.headers().firstValue("Location").orElseThrow();
	}

	static void assertProblem(HttpResponse<String> answer, int status, String type) {
		assertThat(answer.statusCode()).isEqualTo(status);
		assertThat(answer.body()).contains("/problems/" + type + "\"");
	}

	/** Asserts that the response asks for a later retry. */
	static void assertRejected(HttpResponse<String> answer) {
		assertProblem(answer, 409, "request-in-progress");
		assertThat(answer.headers().firstValue("Retry-After")).isPresent();
	}

}
