package io.github.lockstarter.web;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticMessageSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** Sends requests for a held lock, and counts how the exception handling responded. */
public final class RejectedRequests {

	/** The lock. */
	public static final LockKey KEY = new LockKey("hot", "key");

	/** The number of requests after which a response is prepared. */
	public static final int UNTIL_PREPARED = 2;

	private RejectedRequests() {
	}

	/** Sends requests, one after the other, while the lock is held. */
	public static List<HttpResponse<String>> send(TestServer server, String path, int times, String... headers) {
		LockRegistry registry = server.context().getBean(LockRegistry.class);
		try (Lease lease = registry.acquire(KEY, LockOptions.of(Duration.ofSeconds(30)))) {
			assertThat(lease.isHeld()).isTrue();
			return IntStream.range(0, times).mapToObj((i) -> server.postAsync(path, headers).join()).toList();
		}
	}

	/**
	 * Returns the number of responses that the exception handling created since the last
	 * call.
	 */
	public static int described(TestServer server) {
		return server.context().getBean(CountedMessages.class).details.getAndSet(0);
	}

	/**
	 * Asserts that the exception handling creates each response, and that they are alike.
	 */
	public static void assertUnprepared(TestServer server, String path) {
		List<HttpResponse<String>> responses = send(server, path, UNTIL_PREPARED);
		described(server);
		for (int i = 0; i < 3; i++) {
			responses = Stream.concat(responses.stream(), send(server, path, 1).stream()).toList();
			assertThat(described(server)).isPositive();
		}
		assertAlike(responses, path);
	}

	/**
	 * Asserts that each is the documented response, and that they differ in the delay
	 * only.
	 */
	public static void assertAlike(List<HttpResponse<String>> responses, String path) {
		assertThat(responses).allSatisfy((response) -> {
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.headers().map()).containsEntry("Cache-Control", List.of("no-store"))
				.containsEntry("Content-Type", List.of("application/problem+json"));
			assertThat(response.headers().firstValue("Retry-After").orElseThrow()).matches("[12]?\\d|30");
			assertThat(response.body()).contains("\"instance\":\"%s\"".formatted(path))
				.containsPattern("\"retryAfterMillis\":(1?\\d{4}|2\\d{4}|30000)\\b");
		});
		assertThat(responses.stream()
			.map((response) -> response.body().replaceAll("\"retryAfterMillis\":\\d+", "\"retryAfterMillis\":"))
			.distinct()).hasSize(1);
	}

	/**
	 * Asserts that it is the documented response to a conflict for a lock that was just
	 * acquired for 30 seconds, and that it does not contain the key.
	 */
	public static void assertConflict(HttpResponse<String> response, String path, String key) {
		assertThat(response.statusCode()).isEqualTo(409);
		assertThat(response.headers().firstValue("Retry-After").orElseThrow()).matches("2\\d|30");
		assertThat(response.headers().map()).containsEntry("Cache-Control", List.of("no-store"))
			.containsEntry("Content-Type", List.of("application/problem+json"));
		JsonNode body = JsonMapper.shared().readTree(response.body());
		assertThat(body.get("type").asString()).isEqualTo("https://lockstarter.github.io/problems/request-in-progress");
		assertThat(body.get("title").asString()).isEqualTo("Request already in progress");
		assertThat(body.get("status").asInt()).isEqualTo(409);
		assertThat(body.get("detail").asString()).startsWith("Another request for the same resource");
		assertThat(body.get("instance").asString()).isEqualTo(path);
		assertThat(body.get("retryAfterMillis").asLong()).isBetween(20_000L, 30_000L);
		assertThat(response.body()).doesNotContain(key);
	}

	/** Counts the responses that the exception handling makes. */
	@Configuration(proxyBeanMethods = false)
	public static class CountedResponses {

		@Bean
		static MessageSource messageSource() {
			return new CountedMessages();
		}

	}

	private static final class CountedMessages extends StaticMessageSource {

		private final AtomicInteger details = new AtomicInteger();

		@Override
		protected @Nullable String resolveCodeWithoutArguments(String code, Locale locale) {
			if (code.startsWith("problemDetail.lock.")) {
				this.details.incrementAndGet();
			}
			return null;
		}

	}

}
