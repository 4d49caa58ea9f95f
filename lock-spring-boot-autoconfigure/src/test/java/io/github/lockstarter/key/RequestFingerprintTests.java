package io.github.lockstarter.key;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.key.RequestContent.Body;
import io.github.lockstarter.key.RequestContent.Part;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Requests with the same content, and with other content.
 */
class RequestFingerprintTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			{"a":1,"b":[1,2]}      | {"b" : [ 1, 2 ], "a" : 1}
			{"a":{"c":"x","d":1}}  | {"a":{"d":1,"c":"x"}}
			{"a":1.10}             | { "a":1.10}
			"\u00e4"               | "ä"
			[]                     | [ ]
			""")
	@DisplayName("JSON is compared without white space and the order of members")
	void sameJson(String one, String other) {
		assertThat(json(one)).isEqualTo(json(other));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			{"a":1}         | {"a":"1"}
			{"a":1.1}       | {"a":1.10}
			{"a":1}         | {"a":1,"b":null}
			[1,2]           | [2,1]
			{"a":1,"a":2}   | {"a":2}
			{"a":1} {"b":2} | {"a":1}
			{a:1}           | {"a":1}
			9007199254740993 | 9007199254740992
			0.1             | 0.1000000000000000000001
			{"a":""}        | {}
			""")
	@DisplayName("Other JSON has another fingerprint, and what is not JSON is compared by its bytes")
	void otherJson(String one, String other) {
		assertThat(json(one)).isNotEqualTo(json(other)).isEqualTo(json(one));
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/json", "application/json;charset=UTF-8", "application/vnd.api+json",
			"APPLICATION/JSON" })
	@DisplayName("JSON is recognized by its media type")
	void mediaTypes(String type) {
		assertThat(of(content("POST", Map.of(), type, "{ }"))).isEqualTo(of(content("POST", Map.of(), type, "{}")));
		assertThat(of(content("POST", Map.of(), "text/plain", "{ }")))
			.isNotEqualTo(of(content("POST", Map.of(), "text/plain", "{}")));
	}

	@Test
	@DisplayName("Method, path, parameters, body and parts count; a HEAD request asks for the same as a GET request")
	void content() {
		String plain = of(content("GET", Map.of("a", List.of("1", "2")), null, ""));
		assertThat(of(content("HEAD", Map.of("a", List.of("1", "2")), null, ""))).isEqualTo(plain);
		assertThat(List.of(of(content("POST", Map.of("a", List.of("1", "2")), null, "")),
				of(content("GET", Map.of("a", List.of("2", "1")), null, "")),
				of(content("GET", Map.of("a", List.of("1,2")), null, "")), of(content("GET", Map.of(), null, "")),
				of(content("GET", Map.of("a", List.of("1", "2")), null, "body")),
				of(new RequestContent("GET", Map.of("1;b", List.of("1")), Map.of("a", List.of("1", "2")), Body.EMPTY,
						List.of())),
				new RequestFingerprint(FingerprintParts.ALL)
					.of(content("GET", Map.of("a", List.of("1", "2")), null, ""), call("/other"))))
			.doesNotContain(plain)
			.doesNotHaveDuplicates();
		Map<String, List<String>> ordered = new LinkedHashMap<>();
		ordered.put("b", List.of("1"));
		ordered.put("a", List.of("1"));
		assertThat(of(content("GET", ordered, null, "")))
			.isEqualTo(of(content("GET", Map.of("a", List.of("1"), "b", List.of("1")), null, "")));
	}

	@Test
	@DisplayName("The CSRF token of a form, which is new in each page, does not count")
	void csrfToken() throws IOException {
		Map<String, List<String>> form = Map.of("amount", List.of("5"), "_csrf", List.of("a"));
		Map<String, List<String>> again = Map.of("amount", List.of("5"), "_csrf", List.of("b"));
		assertThat(of(content("POST", form, null, ""))).isEqualTo(of(content("POST", again, null, "")));
		assertThat(ofParts(part("_csrf", null, null, 1))).isEqualTo(ofParts(part("_csrf", null, null, 2)));
	}

	@Test
	@DisplayName("Each part counts by its name, file name, media type and bytes")
	void parts() throws IOException {
		Part part = part("file", "a.txt", "text/plain", 1);
		assertThat(List.of(ofParts(part("other", "a.txt", "text/plain", 1)),
				ofParts(part("file", "b.txt", "text/plain", 1)), ofParts(part("file", "a.txt", "text/html", 1)),
				ofParts(part("file", "a.txt", "text/plain", 2)), ofParts(part, part)))
			.doesNotContain(ofParts(part))
			.doesNotHaveDuplicates();
		Part second = part("a", null, null);
		assertThat(ofParts(part, second)).isEqualTo(ofParts(second, part));
	}

	@Test
	@DisplayName("Parameters, parts and members of a JSON body can be left out, and headers added")
	void chosenParts() throws IOException {
		RequestFingerprint chosen = new RequestFingerprint(FingerprintParts
			.parse(List.of("-param.trace", "-part.signature", "-/sent/at", "-/list/0/id", "+header.X-Tenant")));
		String first = chosen.of(content("POST", Map.of("trace", List.of("1")), "application/json",
				"{\"sent\":{\"at\":1,\"by\":2},\"list\":[{\"id\":1}]}"), call("/"));
		assertThat(chosen.of(content("POST", Map.of("trace", List.of("2")), "application/json",
				"{\"sent\":{\"at\":9,\"by\":2},\"list\":[{\"id\":7}]}"), call("/")))
			.isEqualTo(first);
		assertThat(chosen.of(
				content("POST", Map.of(), "application/json", "{\"sent\":{\"at\":1,\"by\":3},\"list\":[{\"id\":1}]}"),
				call("/")))
			.isNotEqualTo(first);
		assertThat(first).contains("\"x-tenant\":[\"value of x-tenant\"]");
		assertThat(chosen.of(
				new RequestContent("POST", Map.of(), Map.of(), Body.EMPTY, List.of(part("signature", null, null, 1))),
				call("/")))
			.isEqualTo(chosen.of(content("POST", Map.of(), null, ""), call("/")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "param.a", "-param", "-param.", "+param.a", "-header.a", "/a", "-", "sent" })
	@DisplayName("What is neither left out nor added is an error, and the message shows how it is written")
	void misspelt(String part) {
		assertThatIllegalArgumentException().isThrownBy(() -> FingerprintParts.parse(List.of(part)))
			.withMessageContaining("'" + part + "'")
			.withMessageContaining("-param.<name>");
	}

	private static String json(String body) {
		return of(content("POST", Map.of(), "application/json", body));
	}

	private static Part part(String name, @Nullable String fileName, @Nullable String type, int... bytes)
			throws IOException {
		byte[] content = new byte[bytes.length];
		for (int i = 0; i < bytes.length; i++) {
			content[i] = (byte) bytes[i];
		}
		return Part.of(name, fileName, type, new ByteArrayInputStream(content));
	}

	private static String ofParts(Part... parts) {
		return of(new RequestContent("POST", Map.of(), Map.of(), Body.EMPTY, List.of(parts)));
	}

	private static RequestContent content(String method, Map<String, List<String>> parameters, @Nullable String type,
			String body) {
		return new RequestContent(method, Map.of(), parameters, new Body(type, body.getBytes(StandardCharsets.UTF_8)),
				List.of());
	}

	private static String of(RequestContent content) {
		return new RequestFingerprint(FingerprintParts.ALL).of(content, call("/"));
	}

	private static LockInvocation call(String path) {
		Method method = ReflectionUtils.findMethod(RequestFingerprintTests.class, "content");
		return new LockInvocation(method, new Object[0], new Request(path), new IdempotencyKeyHeader("orders", 255));
	}

	private record Request(String path) implements CurrentRequest {

		@Override
		public @Nullable Principal principal() {
			return null;
		}

		@Override
		public List<String> headers(String name) {
			return List.of("value of " + name);
		}

		@Override
		public @Nullable RequestContent content() {
			return null;
		}

		@Override
		public @Nullable String pathVariable(String name) {
			return null;
		}

		@Override
		public @Nullable String param(String name) {
			return null;
		}

	}

}
