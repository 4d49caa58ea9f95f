package io.github.lockstarter.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The parameters of forms.
 */
class FormParametersTests {

	@Test
	@DisplayName("The values of the query precede those of the form, in the order in which they were sent")
	void order() {
		FormParameters form = read("a=2&b=%C3%A4+b&a=3&c");
		assertThat(form).isEqualTo(new FormParameters(
				Map.of("a", List.of("1", "2", "3"), "b", List.of("\u00e4 b"), "c", List.of("")), false));
	}

	@ParameterizedTest
	@ValueSource(strings = { "b=%zz", "%=1", "b=%C", "c=1&b=%" })
	@DisplayName("What cannot be decoded is marked")
	void malformed(String form) {
		assertThat(read(form)).isNotNull().extracting(FormParameters::isMalformed).isEqualTo(true);
	}

	@Test
	@DisplayName("A form with more than 10,000 parameters is not read")
	void tooMany() {
		assertThat(read("b&".repeat(9_999) + "b")).isNotNull();
		assertThat(read("b&".repeat(10_000) + "b")).isNull();
	}

	private static FormParameters read(String form) {
		return FormParameters.of(Map.of("a", List.of("1")), form.getBytes(StandardCharsets.US_ASCII),
				StandardCharsets.UTF_8);
	}

}
