package io.github.lockstarter.published;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A program with {@code lock-core} and {@code lock-redis}, in the versions of the lowest
 * supported Spring Boot.
 */
class PlainJavaTests {

	private static final SmallProject project = SmallProject.of("plain");

	private static LocalRedis redis;

	@TempDir
	private static Path output;

	@BeforeAll
	static void compile() {
		redis = LocalRedis.started();
		project.compile(output, "plain");
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@Test
	@DisplayName("A program without Spring Boot and Spring Data shares locks with another one by Redis")
	void sharesLocks() {
		assertThat(project.artifacts()).contains("lock-core", "lock-redis", "lettuce-core")
			.noneMatch((artifact) -> artifact.matches("spring-(boot|data|tx|jdbc).*|lock-(client|spring).*"));
		assertThat(project.jars("runtime")).extracting((jar) -> jar.getFileName().toString())
			.containsAll(jarsThatLockRedisAsksFor());
		assertLocks(project.run(output, List.of(), "PlainJava", redis.port()));
	}

	@Test
	@DisplayName("All its jars can be modules")
	void modules() {
		assertLocks(
				SmallProject.run(List.of(output), List.of("--module-path", SmallProject.join(project.jars("runtime")),
						"--add-modules", "ALL-MODULE-PATH"), "PlainJava", redis.port()));
	}

	private static void assertLocks(List<String> lines) {
		assertThat(lines).contains("held: true, other: false", "released, other: true");
	}

	private static List<String> jarsThatLockRedisAsksFor() {
		return PublishedPom.of("lock-redis")
			.dependencies()
			.stream()
			.filter((dependency) -> !dependency.optional())
			.map((dependency) -> dependency.artifact() + "-" + dependency.version() + ".jar")
			.toList();
	}

}
