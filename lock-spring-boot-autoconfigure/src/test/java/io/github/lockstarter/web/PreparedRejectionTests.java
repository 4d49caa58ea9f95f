package io.github.lockstarter.web;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.testing.ProcessorTime;
import io.github.lockstarter.web.PreparedRejections.ConflictKind;

import static org.assertj.core.api.Assertions.assertThat;

class PreparedRejectionTests {

	private static final String JSON = "application/problem+json";

	private static final LockKey KEY = new LockKey("name", "key");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(1));

	@ParameterizedTest
	@ValueSource(strings = { "{\"instance\":\"%s\",\"title\":\"処理中\",\"retryAfterMillis\":%d}",
			"{\"retryAfterMillis\":%2$d,\"instance\":\"%1$s\"}",
			"{\n  \"instance\" : \"%s\",\n  \"retryAfterMillis\" : %d\n}",
			"{\"instance\":\"%s\",\"properties\":{\"retryAfterMillis\":\"%d\"}}" })
	@DisplayName("A prepared body differs in the path and the time only, whatever the application's JSON format")
	void replaces(String format) {
		PreparedRejection prepared = prepare(format.formatted("/users/1", 1840), "/users/1", 1840);
		assertThat(text(prepared.body("/users/22/orders", 7))).isEqualTo(format.formatted("/users/22/orders", 7));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/users/%22/1", "/a(b)/v1.2/~c_d,g", "/%E3%81%82/" })
	@DisplayName("A path of letters, digits, escapes and unreserved characters is inserted unchanged")
	void plainPath(String path) {
		PreparedRejection prepared = prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1}", "/a", 1);
		assertThat(text(prepared.body(path, 1))).isEqualTo("{\"instance\":\"%s\",\"retryAfterMillis\":1}", path);
	}

	@Test
	@DisplayName("A path with many segments needs no deep stack")
	void longPath() {
		plainPath("/a".repeat(50_000));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/\"", "/\\", "/あ", "/<", "/&", "/'", "/=", "/;a", "/a.bat", "/a%2Ebat", "/\n" })
	@DisplayName("A path with other characters is left to the application's converters")
	void otherPath(String path) {
		assertThat(prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1}", "/a", 1).body(path, 1)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "<problem><instance>/a</instance></problem>", "{\"instance\":\"/a\"}",
			"{\"instance\":\"/b\",\"retryAfterMillis\":1}", "{\"instance\":\"/a\",\"retryAfterMillis\":2}",
			"{\"instance\":\"/a\",\"retryAfterMillis\":1,\"old\":{\"instance\":\"/a\"}}" })
	@DisplayName("A body that cannot be parsed is not prepared")
	void notUnderstood(String body) {
		assertThat(PreparedRejection.of(JSON, bytes(body), "/a", 1)).isNull();
		assertThat(PreparedRejection.of(null, bytes("{\"instance\":\"/a\",\"retryAfterMillis\":1}"), "/a", 1)).isNull();
	}

	@Test
	@DisplayName("A response is prepared after two equal responses of the exception handling, and used for a minute")
	void ready() {
		AtomicLong time = new AtomicLong();
		PreparedRejections rejections = new PreparedRejections(time::get);
		ConflictKind kind = kind(Locale.ENGLISH);
		rejections.add(kind, prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1}", "/a", 1));
		assertThat(rejections.find(kind)).isNull();
		rejections.add(kind, prepare("{\"instance\":\"/b\",\"retryAfterMillis\":22}", "/b", 22));
		assertThat(rejections.find(kind)).isNotNull();
		assertThat(rejections.wants(kind)).isFalse();
		time.addAndGet(Duration.ofMinutes(1).toNanos());
		assertThat(rejections.find(kind)).isNull();
		assertThat(rejections.wants(kind)).isTrue();
	}

	@Test
	@DisplayName("Nothing is prepared if responses differ in more than the path and the time, or are not from this library")
	void differs() {
		PreparedRejections rejections = new PreparedRejections(() -> 0);
		ConflictKind differs = kind(Locale.ENGLISH);
		rejections.add(differs, prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1,\"trace\":7}", "/a", 1));
		rejections.add(differs, prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1,\"trace\":8}", "/a", 1));
		ConflictKind others = kind(Locale.JAPANESE);
		rejections.add(others, null);
		assertThat(List.of(differs, others)).allSatisfy((kind) -> {
			assertThat(rejections.find(kind)).isNull();
			assertThat(rejections.wants(kind)).isFalse();
		});
	}

	@Test
	@DisplayName("A conflict that the application has created or changed is not prepared, nor is that of a deadlock")
	void changed() {
		LockConflictException ofDeadlock = new LockDeadlockException(KEY, "a cycle")
			.withStatusCode(HttpStatus.CONFLICT);
		LockConflictException withoutStatus = new LockConflictException(KEY, OPTIONS, Duration.ofMillis(1));
		LockConflictException withProperty = conflict();
		withProperty.getBody().setProperty("owner", "taro");
		LockConflictException withInstance = conflict();
		withInstance.getBody().setInstance(URI.create("/orders"));
		assertThat(Stream.of(ofDeadlock, withoutStatus, withProperty, withInstance)
			.map((conflict) -> ConflictKind.of(Object.class, conflict, Locale.ENGLISH, List.of()))).containsOnlyNulls();
	}

	@Test
	@DisplayName("At most 1,000 responses are prepared, however many languages clients request, and the latest is among them")
	void limited() {
		PreparedRejections rejections = new PreparedRejections(() -> 0);
		List<ConflictKind> kinds = IntStream.range(0, 2_500)
			.mapToObj((i) -> kind(Locale.forLanguageTag("en-x-l" + i)))
			.toList();
		for (ConflictKind kind : kinds) {
			for (int i = 0; i < 2; i++) {
				rejections.add(kind, prepare("{\"instance\":\"/a\",\"retryAfterMillis\":1}", "/a", 1));
			}
		}
		assertThat(kinds.stream().filter((kind) -> rejections.find(kind) != null)).hasSizeBetween(1, 1_000)
			.contains(kinds.get(kinds.size() - 1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/a", "a", "%22", "." })
	@DisplayName("The time to prepare a response and to use it grows only with the length of the path")
	void linear(String repeated) {
		ProcessorTime.assertLinear((length) -> {
			String path = "/" + repeated.repeat(length);
			byte[] body = bytes("{\"instance\":\"%s\",\"retryAfterMillis\":1}".formatted(path));
			return () -> {
				PreparedRejection prepared = PreparedRejection.of(JSON, body, path, 1);
				assertThat(prepared).isNotNull();
				prepared.body(path, 2);
			};
		});
	}

	private static LockConflictException conflict() {
		return new LockConflictException(KEY, ConflictReason.HELD, Duration.ofMillis(1), HttpStatus.CONFLICT);
	}

	private static ConflictKind kind(Locale locale) {
		ConflictKind kind = ConflictKind.of(Object.class, conflict(), locale, List.of(MediaType.ALL));
		assertThat(kind).isNotNull();
		return kind;
	}

	private static PreparedRejection prepare(String body, String path, long retryAfterMillis) {
		PreparedRejection prepared = PreparedRejection.of(JSON, bytes(body), path, retryAfterMillis);
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
