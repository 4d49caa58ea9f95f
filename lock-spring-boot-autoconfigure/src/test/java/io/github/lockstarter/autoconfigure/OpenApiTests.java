package io.github.lockstarter.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What springdoc tells clients about handlers under a lock.
 */
class OpenApiTests {

	private static final JsonMapper json = new JsonMapper();

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A Lease parameter is neither a parameter nor the body of the request, and has no schema")
	void leaseParameter(String type) throws Exception {
		try (TestServer server = TestServer.start(new Class<?>[] { TestServer.Application.class, Controller.class },
				"lock.store=memory", "springdoc.api-docs.enabled=true", "spring.main.web-application-type=" + type)) {
			JsonNode api = json.readTree(server.get("/v3/api-docs").body());
			assertThat(api.at("/paths/~1orders/post/parameters").findValuesAsString("name")).isEqualTo(List.of("item"));
			JsonNode withBody = api.at("/paths/~1notes/post");
			assertThat(withBody.path("parameters")).isEmpty();
			assertThat(withBody.at("/requestBody/content").findValuesAsString("type")).containsExactly("string");
			assertThat(api.at("/components/schemas").propertyNames()).containsExactly("LockProblem");
		}
	}

	@RestController
	static class Controller {

		@PostMapping("/orders")
		@ExclusiveRequest(key = "#item")
		String order(@RequestParam String item, @Nullable Lease lease) {
			return item;
		}

		@PostMapping("/notes")
		@ExclusiveRequest(key = "#note")
		String note(@RequestBody String note, Lease lease) {
			return note;
		}

	}

}
