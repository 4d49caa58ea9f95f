package io.github.lockstarter.result;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

class ResponseHeadTests {

	@ParameterizedTest
	@ValueSource(strings = { "Location", "ETag", "Link", "Content-Type", "Content-Encoding", "Content-Disposition",
			"Content-Language", "Cache-Control", "Vary", "Content-Security-Policy", "X-Content-Type-Options" })
	@DisplayName("A header that describes the content is kept, with all of its values")
	void kept(String name) {
		HttpHeaders sent = new HttpHeaders();
		sent.addAll(name.toLowerCase(Locale.ROOT), List.of("one", "two"));
		assertThat(ResponseHead.of(201, sent::get).headers()).isEqualTo(Map.of(name, List.of("one", "two")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Set-Cookie", "Content-Length", "Transfer-Encoding", "Date", "Connection", "Authorization",
			"Access-Control-Allow-Origin", "X-Request-Id" })
	@DisplayName("A header that is for one client, one connection or one request is not kept")
	void notKept(String name) {
		HttpHeaders sent = new HttpHeaders();
		sent.add(name, "one");
		assertThat(ResponseHead.of(201, sent::get)).isEqualTo(new ResponseHead(201, Map.of()));
	}

	@Test
	@DisplayName("A header without values is not kept")
	void withoutValues() {
		assertThat(ResponseHead.of(null, (name) -> List.of())).isEqualTo(ResponseHead.EMPTY);
		assertThat(ResponseHead.of(null, (name) -> null)).isEqualTo(ResponseHead.EMPTY);
	}

	@Test
	@DisplayName("Of a head from the store, only the headers that may be kept are used, by their exact names")
	void checked() {
		ResponseHead stored = new ResponseHead(302, Map.of("Location", List.of("/a"), "Set-Cookie", List.of("SID=1"),
				"location", List.of("/b"), "ETag", List.of()));
		assertThat(stored.checked()).isEqualTo(new ResponseHead(302, Map.of("Location", List.of("/a"))));
	}

}
