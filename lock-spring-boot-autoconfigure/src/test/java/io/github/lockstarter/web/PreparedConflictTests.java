package io.github.lockstarter.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.MediaType;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.web.PreparedConflicts.Kind;

import static org.assertj.core.api.Assertions.assertThat;

class PreparedConflictTests {

	private static final String JSON = "application/problem+json";

	@ParameterizedTest
	@ValueSource(strings = { "{\"instance\":\"%s\",\"title\":\"処理中\",\"retryAfterMillis\":%d}",
			"{\"retryAfterMillis\":%2$d,\"instance\":\"%1$s\"}",
			"{\n  \"instance\" : \"%s\",\n  \"retryAfterMillis\" : %d\n}",
			"{\"instance\":\"%s\",\"properties\":{\"retryAfterMillis\":\"%d\"}}" })
	@DisplayName("A body differs from the one before in the path and the time, however an application writes JSON")
	void replaces(String format) {
		PreparedConflict prepared = prepare(format.formatted("/users/1", 1840), "/users/1", 1840);
		assertThat(text(prepared.body("/users/22/orders", 7))).isEqualTo(format.formatted("/users/22/orders", 7));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/users/%22", "/a(b)/~c_d;e=f,g", "/%E3%81%82" })
	@DisplayName("A path of letters, digits, escapes and plain characters is written as it is")
	void plainPath(String path) {
		PreparedConflict prepared = prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1}", "/a", 1);
		assertThat(text(prepared.body(path, 1))).isEqualTo("{\"instance\":\"%s\",\"retryAfterMillis\":1}", path);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/\"", "/\\", "/あ", "/<", "/&", "/'", "/\n" })
	@DisplayName("Another path is left to the converters of the application")
	void otherPath(String path) {
		assertThat(prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1}", "/a", 1).body(path, 1)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "<problem><instance>/a</instance></problem>", "{\"instance\":\"/a\"}",
			"{\"instance\":\"/b\",\"retryAfterMillis\":1}", "{\"instance\":\"/a\",\"retryAfterMillis\":2}",
			"{\"instance\":\"/a\",\"retryAfterMillis\":1,\"old\":{\"instance\":\"/a\"}}" })
	@DisplayName("Nothing is prepared after a body that is not understood")
	void notUnderstood(String body) {
		assertThat(PreparedConflict.of(JSON, bytes(body), "/a", 1)).isNull();
		assertThat(PreparedConflict.of(null, bytes("{\"instance\":\"/a\",\"retryAfterMillis\":1}"), "/a", 1)).isNull();
	}

	@Test
	@DisplayName("However many languages clients ask for, there are at most 1,000 answers")
	void limited() {
		PreparedConflicts conflicts = new PreparedConflicts();
		LockConflictException conflict = new LockConflictException(new LockKey("name", "key"),
				LockOptions.of(Duration.ofSeconds(1)), Duration.ofMillis(1));
		List<Kind> kinds = IntStream.range(0, 1_100)
			.mapToObj((i) -> Kind.of("handler", conflict, Locale.forLanguageTag("en-x-l" + i), List.of(MediaType.ALL)))
			.toList();
		kinds.forEach((kind) -> conflicts.prepare(kind, conflict, "/a", JSON,
				bytes("{\"instance\":\"/a\",\"retryAfterMillis\":1}")));
		assertThat(kinds.stream().filter((kind) -> conflicts.find(kind) != null)).hasSize(1_000);
	}

	private static PreparedConflict prepare(String body, String path, long retryAfterMillis) {
		PreparedConflict prepared = PreparedConflict.of(JSON, bytes(body), path, retryAfterMillis);
		assertThat(prepared).isNotNull();
		return prepared;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte @Nullable [] body) {
		assertThat(body).isNotNull();
		return new String(body, StandardCharsets.UTF_8);
	}

}
