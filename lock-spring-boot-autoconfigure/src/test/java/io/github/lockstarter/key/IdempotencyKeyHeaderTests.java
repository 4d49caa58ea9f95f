package io.github.lockstarter.key;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.InvalidIdempotencyKeyException;
import io.github.lockstarter.testing.ProcessorTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class IdempotencyKeyHeaderTests {

	private final IdempotencyKeyHeader header = new IdempotencyKeyHeader("orders", 255);

	@ParameterizedTest
	@MethodSource
	@DisplayName("A key is a quoted string or an unquoted word")
	void keys(String line, String key) {
		assertThat(this.header.read(List.of(line))).isEqualTo(key);
	}

	static Stream<Arguments> keys() {
		String uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";
		Stream<Arguments> bare = Stream
			.of("abc", uuid, "{" + uuid + "}", "a+b/c==", "urn:order:4711", "'abc'", "*", "!#$%&()<>?@[]^_`|~", "7",
					"-")
			.flatMap((key) -> Stream.of(arguments(key, key), arguments('"' + key + '"', key)));
		return Stream.concat(bare,
				Stream.of(arguments("\"two words, and a list; a=1\"", "two words, and a list; a=1"),
						arguments("\"a \\\"b\\\" \\\\ c\"", "a \"b\" \\ c"), arguments("  abc ", "abc"),
						arguments("\t\"abc\" ", "abc"), arguments("\" abc \"", " abc ")));
	}

	@Test
	@DisplayName("A request without the header has no key")
	void none() {
		assertThat(this.header.read(List.of())).isNull();
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("An invalid key is rejected, and the problem type gives the reason")
	void rejected(String problem, List<String> lines) {
		assertThatExceptionOfType(InvalidIdempotencyKeyException.class).isThrownBy(() -> this.header.read(lines))
			.satisfies((ex) -> {
				assertThat(ex.getStatusCode().value()).isEqualTo(400);
				assertThat(ex.getBody().getType().getPath()).isEqualTo("/problems/" + problem);
				assertThat(ex.getLockName()).isEqualTo("orders");
				assertThat(ex.getMessage()).doesNotContain("secret");
			});
	}

	static Stream<Arguments> rejected() {
		Stream<Arguments> malformed = Stream
			.of("\"unterminated", "\"", "\"abc\"def", "\"abc\" \"def\"", "\"abc\";v=1", "abc;v=1", "\"a\", \"b\"",
					"a, b", "a,b", "two words", "a\"b", "a\\b", "\"a\\b\"", "\"abc\\\"", "\"abc\\", "s\u00e9cret",
					"\"s\u00e9cret\"", "\u65e5\u672c", "a\u0000b", "\"a\u0000b\"", "\"a\tb\"", "a\u007fb", "\"a\nb\"",
					"\"\ud83d\ude00\"", "(abc)\u0001")
			.map((line) -> arguments("key-malformed", List.of(line)));
		Stream<Arguments> others = Stream.of(arguments("key-empty", List.of("")), arguments("key-empty", List.of("  ")),
				arguments("key-empty", List.of("\"\"")), arguments("key-empty", List.of("\"   \"")),
				arguments("key-repeated", List.of("a", "b")), arguments("key-repeated", List.of("a", "a")),
				arguments("key-repeated", Collections.nCopies(3, "\"a\"")),
				arguments("key-too-long", List.of("k".repeat(256))),
				arguments("key-too-long", List.of('"' + "k".repeat(256) + '"')),
				arguments("key-too-long", Arrays.asList("k".repeat(100_000))),
				arguments("key-too-long", List.of("a" + " ".repeat(7_900) + "b")),
				arguments("key-too-long", List.of('"' + "\\\"".repeat(256) + '"')));
		return Stream.concat(malformed, others);
	}

	@ParameterizedTest
	@CsvSource({ "a, ' ', b", "' ', a, ' '", "'', ' ', ''", "'', '\t ', a", "'\"', ' ', '\"'", "'\"', '\\\"', '\"'",
			"a, ',', b" })
	@DisplayName("The time to read a header, valid or not, grows only with its length")
	void linear(String begin, String repeated, String end) {
		IdempotencyKeyHeader unlimited = new IdempotencyKeyHeader("orders", Integer.MAX_VALUE);
		ProcessorTime.assertLinear((length) -> {
			List<String> lines = List.of(begin + repeated.repeat(length) + end);
			return () -> catchThrowable(() -> unlimited.read(lines));
		});
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("The HTTP working group's test cases for strings pass, except that an empty key is rejected")
	void structuredFieldTests(List<String> lines, @Nullable String value) {
		if (value != null) {
			assertThat(this.header.read(lines)).isEqualTo(value);
		}
		else {
			assertThatExceptionOfType(InvalidIdempotencyKeyException.class).isThrownBy(() -> this.header.read(lines));
		}
	}

	/**
	 * The inputs and results of string.json and string-generated.json in
	 * httpwg/structured-field-tests. Its single quotes are two characters of a bare word
	 * here, and its string of 260 characters is too long.
	 */
	static Stream<Arguments> structuredFieldTests() {
		Stream<Arguments> strings = Stream.of(arguments(List.of("\"foo bar\""), "foo bar"),
				arguments(List.of("\"\""), null), arguments(List.of("\"   \""), null),
				arguments(List.of("\"f\u00fc\u00fc\""), null), arguments(List.of("\"\t\""), null),
				arguments(List.of("\" \n \""), null), arguments(List.of("\"foo"), null),
				arguments(List.of("\"foo \\\"bar\\\" \\\\ baz\""), "foo \"bar\" \\ baz"),
				arguments(List.of("\"foo \\,\""), null), arguments(List.of("\"foo \\\""), null),
				arguments(List.of("\"foo \\"), null), arguments(List.of("\"foo", "bar\""), null));
		Stream<Arguments> characters = IntStream.rangeClosed(0, 0x7f)
			.mapToObj((code) -> arguments(List.of("\" " + (char) code + " \""),
					(code < 0x21 || code == '"' || code == '\\' || code == 0x7f) ? null : " " + (char) code + " "));
		Stream<Arguments> escapes = IntStream.rangeClosed(0, 0x7f)
			.mapToObj((code) -> arguments(List.of("\"\\" + (char) code + "\""),
					(code == '"' || code == '\\') ? Character.toString(code) : null));
		return Stream.of(strings, characters, escapes).flatMap((each) -> each);
	}

	@Test
	@DisplayName("The maximum key length counts characters without quotes and escapes")
	void longest() {
		assertThat(this.header.read(List.of("k".repeat(255)))).hasSize(255);
		assertThat(this.header.read(List.of('"' + "\\\"".repeat(255) + '"'))).hasSize(255);
		IdempotencyKeyHeader shortKeys = new IdempotencyKeyHeader("orders", 3);
		assertThat(shortKeys.read(List.of("\"abc\""))).isEqualTo("abc");
		assertThatExceptionOfType(InvalidIdempotencyKeyException.class)
			.isThrownBy(() -> shortKeys.read(List.of("abcd")));
	}

}
