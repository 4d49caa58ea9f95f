package io.github.lockstarter.test.example;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the examples of {@code docs/testing.md} are code of this package.
 */
class TestingPageTests {

	private static final Path PAGE = Path.of("..", "docs", "testing.md");

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "lockstarter", "test",
			"example");

	@Test
	@DisplayName("Each Java example of the page is part of a running test")
	void java() throws IOException {
		List<String> examples = blocks("java").stream().map(TestingPageTests::withoutSpace).toList();
		assertThat(examples).hasSize(5);
		List<String> sources = sources();
		assertThat(examples).allSatisfy((example) -> assertThat(sources).anyMatch((each) -> each.contains(example)));
	}

	@Test
	@DisplayName("The documented dependency is this module")
	void dependency() {
		String artifact = "<artifactId>lock-spring-boot-test</artifactId>";
		assertThat(blocks("xml")).singleElement().asString().contains(artifact);
		assertThat(read(Path.of("pom.xml"))).contains(artifact);
	}

	/** Removes display names, which the page does not show. */
	private static List<String> sources() throws IOException {
		try (Stream<Path> files = Files.list(SOURCES)) {
			return files.map(TestingPageTests::read)
				.map((source) -> source.replaceAll("@DisplayName\\(\"[^\"]*\"\\)", ""))
				.map(TestingPageTests::withoutSpace)
				.toList();
		}
	}

	private static List<String> blocks(String language) {
		return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
			.matcher(read(PAGE))
			.results()
			.map((block) -> block.group(1))
			.toList();
	}

	private static String withoutSpace(String code) {
		return code.replaceAll("\\s", "");
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
