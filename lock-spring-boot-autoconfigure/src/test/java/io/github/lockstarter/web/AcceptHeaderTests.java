package io.github.lockstarter.web;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.lockstarter.testing.ProcessorTime;

class AcceptHeaderTests {

	@ParameterizedTest
	@CsvSource({ "'', 'text/html,'", "'', ','", "text/html, ';a=b'", "text/html, ;", "'text/html;a=\"', '\\\"'", "a, /",
			"text/html, ' '", "'text/html;q=', 0" })
	@DisplayName("The time to read an Accept header, valid or not, grows only with its length")
	void linear(String begin, String repeated) {
		ProcessorTime.assertLinear((length) -> {
			List<String> values = List.of(begin + repeated.repeat(length));
			return () -> AcceptHeader.prefersHtml(values);
		});
	}

}
