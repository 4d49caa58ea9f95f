package io.github.lockstarter.sample;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of orders, with locks in memory.
 */
@SpringBootTest(properties = { "lock.store=memory", "spring.datasource.url=jdbc:h2:mem:orders" })
@AutoConfigureMockMvc
class OrdersTests {

	private static final String TEA = "{\"item\":\"tea\",\"quantity\":2}";

	@Autowired
	private MockMvcTester mvc;

	@Test
	@DisplayName("An order repeated with its Idempotency-Key gets the first response, and is placed once")
	void replays() throws Exception {
		MvcTestResult first = place("replays", TEA);
		MvcTestResult second = place("replays", TEA);
		assertThat(first).hasStatus(HttpStatus.CREATED).doesNotContainHeader("Idempotent-Replayed");
		assertThat(second).hasStatus(HttpStatus.CREATED)
			.hasHeader("Idempotent-Replayed", "true")
			.hasHeader(HttpHeaders.LOCATION, first.getResponse().getHeader(HttpHeaders.LOCATION));
		assertThat(second.getResponse().getContentAsString()).isEqualTo(first.getResponse().getContentAsString());
		assertThat(place("another-key", TEA)).hasStatus(HttpStatus.CREATED)
			.bodyText()
			.isNotEqualTo(first.getResponse().getContentAsString());
	}

	@Test
	@DisplayName("Another order with the same key is rejected with 422, and an invalid key with 400")
	void rejects() {
		assertThat(place("rejects", TEA)).hasStatus(HttpStatus.CREATED);
		assertThat(place("rejects", "{\"item\":\"tea\",\"quantity\":3}")).hasStatus(HttpStatus.UNPROCESSABLE_CONTENT)
			.bodyText()
			.contains("payload-mismatch");
		assertThat(place("", TEA)).hasStatus(HttpStatus.BAD_REQUEST).bodyText().contains("key-empty");
		assertThat(place("another key", TEA)).hasStatus(HttpStatus.BAD_REQUEST).bodyText().contains("key-malformed");
	}

	private MvcTestResult place(String key, String order) {
		return this.mvc.post()
			.uri("/orders")
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.content(order)
			.exchange();
	}

}
