package io.github.lockstarter.plain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.DocumentedCode;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The example of {@code docs/without-spring-boot.md}.
 */
class WithoutSpringBootPageTests {

	private static final Path PAGE = Path.of("..", "docs", "without-spring-boot.md");

	private static final Path SOURCE = Path.of("src", "test", "java", "io", "github", "lockstarter", "plain",
			"Registrations.java");

	@Test
	@DisplayName("The code on the page is the tested code")
	void isTested() throws IOException {
		assertThat(DocumentedCode.blocks(PAGE)).contains(DocumentedCode.source(SOURCE, "class Registrations "));
	}

	@Test
	@DisplayName("A user is registered by one of two processes at a time")
	void excludes() {
		RedisURI redis = RedisURI.create(TestRedis.host(), TestRedis.port());
		String user = UUID.randomUUID().toString();
		try (Registrations one = new Registrations(redis); Registrations other = new Registrations(redis)) {
			assertThat(one.register(user, () -> {
				assertThat(other.register(user, () -> {
				})).isFalse();
				assertThat(other.register(user + "2", () -> {
				})).isTrue();
			})).isTrue();
			assertThat(other.register(user, () -> {
			})).isTrue();
		}
	}

}
