package io.github.lockstarter.result;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeptResponsesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			all         | 200 | true
			all         | 503 | true
			ALL         | 404 | true
			2xx         | 204 | true
			2xx         | 302 | false
			2xx, 402    | 402 | true
			2xx, 402    | 403 | false
			404,4xx     | 410 | true
			 5XX        | 503 | true
			""")
	@DisplayName("A status is kept if it is listed, individually or by its class")
	void statuses(String text, int status, boolean kept) {
		KeptResponses responses = KeptResponses.parse(text);
		assertThat(responses.values()).isFalse();
		assertThat(responses.contain(status)).isEqualTo(kept);
	}

	@ParameterizedTest
	@ValueSource(strings = { "values", " Values " })
	@DisplayName("With a predicate, the predicate decides which values are kept")
	void values(String text) {
		assertThat(KeptResponses.parse(text)).isSameAs(KeptResponses.VALUES);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "2xx,", "none", "20x", "600", "99", "2xx 404", "2xx;404", "values, 404", "all, 404",
			"x2x" })
	@DisplayName("Any other value is an error, and the message lists the options")
	void invalid(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> KeptResponses.parse(text))
			.withMessageContaining("'values', 'all'")
			.withMessageContaining("2xx, 402");
	}

}
