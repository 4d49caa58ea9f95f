package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata that IDEs read about the properties.
 */
class ConfigurationMetadataTests {

	/** Properties whose defaults are described in words, or absent. */
	private static final List<String> WITHOUT_DEFAULT = List.of("lock.replay.fingerprint-key", "lock.replay.max-memory",
			"lock.max-hold", "lock.order", "lock.names", "lock.jdbc.url", "lock.jdbc.username", "lock.jdbc.password",
			"lock.web.max-waiting-threads");

	@Test
	@DisplayName("Every property has a description and a type, and its default if there is one")
	void properties() throws IOException {
		assertThat(all("properties")).isNotEmpty().allSatisfy((each) -> {
			assertThat(each.path("description").asString("")).endsWith(".");
			assertThat(each.path("type").asString("")).isNotEmpty();
		});
		assertThat(all("properties").filter((each) -> name(each).startsWith("lock.")))
			.allSatisfy(
					(each) -> assertThat(each.has("defaultValue")).isNotEqualTo(WITHOUT_DEFAULT.contains(name(each))))
			.extracting(ConfigurationMetadataTests::name)
			.containsExactlyInAnyOrder("lock.enabled", "lock.store", "lock.ttl", "lock.wait", "lock.renew",
					"lock.max-hold", "lock.max-waiters", "lock.max-keys", "lock.on-store-failure", "lock.order",
					"lock.names", "lock.web.conflict-status", "lock.web.release-on", "lock.web.waiting",
					"lock.web.max-waiting-threads", "lock.web.prepared-rejections", "lock.web.problem-base-uri",
					"lock.share.ttl", "lock.share.max-size", "lock.replay.keep", "lock.replay.max-key-length",
					"lock.replay.fingerprint-key", "lock.replay.anonymous", "lock.replay.max-request-size",
					"lock.replay.max-results", "lock.replay.max-memory", "lock.redis.key-prefix",
					"lock.redis.command-timeout", "lock.redis.replicas-to-ack", "lock.jdbc.url", "lock.jdbc.username",
					"lock.jdbc.password", "lock.jdbc.table", "lock.jdbc.initialize-schema", "lock.jdbc.connections",
					"lock.jdbc.command-timeout", "lock.memcached.servers", "lock.memcached.key-prefix",
					"lock.memcached.command-timeout", "lock.dynamodb.table", "lock.dynamodb.create-table",
					"lock.dynamodb.clock-skew", "lock.dynamodb.command-timeout", "lock.client.enabled",
					"lock.client.max-attempts", "lock.client.max-time");
	}

	@Test
	@DisplayName("Every hint belongs to a property, and every default shown in a hint is the actual default")
	void hints() throws IOException {
		List<JsonNode> properties = all("properties").toList();
		assertThat(all("hints")).isNotEmpty().allSatisfy((hint) -> {
			JsonNode property = properties.stream()
				.filter((each) -> name(each).equals(name(hint).replaceFirst("\\.keys$", "")))
				.findFirst()
				.orElseThrow(() -> new AssertionError("No property for the hint " + name(hint)));
			list(hint.get("values")).filter((value) -> value.path("description").asString("").endsWith("he default."))
				.forEach((value) -> assertThat(value.get("value").asString())
					.isEqualTo(property.get("defaultValue").asString()));
		});
	}

	@Test
	@DisplayName("The hints list every store, every moment of release, and every status")
	void values() throws IOException {
		assertThat(values("lock.store")).containsExactlyInAnyOrderElementsOf(
				Stream.of(LockProperties.Store.values()).map(LockProperties.Store::toString).toList());
		assertThat(values("lock.web.release-on")).containsExactlyInAnyOrder("method", "response");
		assertThat(values("lock.web.conflict-status")).containsExactlyInAnyOrder("409", "422", "423", "429");
	}

	private static List<String> values(String property) throws IOException {
		return all("hints").filter((hint) -> name(hint).equals(property))
			.flatMap((hint) -> list(hint.get("values")))
			.map((value) -> value.get("value").asString())
			.toList();
	}

	private static String name(JsonNode named) {
		return named.get("name").asString();
	}

	private static Stream<JsonNode> all(String kind) throws IOException {
		return list(JsonMapper.shared()
			.readTree(new ClassPathResource("META-INF/spring-configuration-metadata.json").getInputStream())
			.get(kind));
	}

	private static Stream<JsonNode> list(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false);
	}

}
