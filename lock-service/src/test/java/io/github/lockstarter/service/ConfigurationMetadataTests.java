package io.github.lockstarter.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata that IDEs read about the properties of the service.
 */
class ConfigurationMetadataTests {

	@Test
	@DisplayName("Every property has a description, a type and a default, and every hint belongs to a property")
	void properties() throws IOException {
		// The library's file has the same name, and may come first on the class path.
		JsonNode metadata = JsonMapper.shared()
			.readTree(Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json")));
		assertThat(list(metadata, "properties")).isNotEmpty()
			.allSatisfy((each) -> assertThat(each.path("description").asString("")).endsWith("."))
			.allSatisfy((each) -> assertThat(each.path("type").asString("")).isNotEmpty())
			.allSatisfy((each) -> assertThat(each.has("defaultValue"))
				.isNotEqualTo(name(each).equals("lock.service.clients")))
			.extracting(ConfigurationMetadataTests::name)
			.containsExactlyInAnyOrder("lock.service.open", "lock.service.max-ttl", "lock.service.max-wait",
					"lock.service.max-locks", "lock.service.clients");
		assertThat(list(metadata, "hints")).extracting(ConfigurationMetadataTests::name)
			.containsExactlyInAnyOrder("lock.service.max-ttl", "lock.service.max-wait", "lock.service.clients.keys");
	}

	private static String name(JsonNode named) {
		return named.get("name").asString();
	}

	private static Stream<JsonNode> list(JsonNode metadata, String kind) {
		return StreamSupport.stream(metadata.get(kind).spliterator(), false);
	}

}
