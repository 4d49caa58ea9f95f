package io.github.lockstarter.web.reactive;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.testing.ProcessorTime;

import static org.assertj.core.api.Assertions.assertThat;

class RequestLocaleTests {

	@Test
	@DisplayName("The locale is the one that the request prefers")
	void preferred() {
		assertThat(RequestLocale.of(exchange("ja;q=0.8, de-CH, fr;q=0.9"))).isEqualTo(Locale.forLanguageTag("de-CH"));
	}

	@Test
	@DisplayName("The time to find the locale grows only with the length of the header")
	void linear() {
		ProcessorTime.assertLinear((length) -> {
			String languages = IntStream.range(0, length / 4)
				.mapToObj(RequestLocaleTests::language)
				.collect(Collectors.joining(","));
			return () -> RequestLocale.of(exchange(languages));
		});
	}

	private static String language(int number) {
		return IntStream.of(number / (26 * 26), number / 26, number)
			.mapToObj((letter) -> Character.toString('a' + letter % 26))
			.collect(Collectors.joining());
	}

	private static ServerWebExchange exchange(String languages) {
		return MockServerWebExchange
			.from(MockServerHttpRequest.get("/").header(HttpHeaders.ACCEPT_LANGUAGE, languages));
	}

}
