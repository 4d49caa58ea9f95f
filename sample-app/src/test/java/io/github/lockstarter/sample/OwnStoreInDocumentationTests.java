package io.github.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store that the documentation shows is the one that passes the contract.
 */
@Tag("once")
class OwnStoreInDocumentationTests {

	private static final Path PAGE = Path.of("..", "docs", "own-store.md");

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "lockstarter", "sample");

	private static final Pattern BLOCK = Pattern.compile("^```java\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

	@ParameterizedTest
	@ValueSource(strings = { "OwnLockStore", "OwnLockStoreTests" })
	@DisplayName("The code in the documentation is the code that is tested")
	void isTested(String name) throws IOException {
		assertThat(BLOCK.matcher(Files.readString(PAGE)).results().map((block) -> block.group(1)))
			.contains(declaration(name));
	}

	@Test
	@DisplayName("A complete store has fewer than 60 lines")
	void isShort() throws IOException {
		assertThat(declaration("OwnLockStore").lines()).hasSizeLessThan(60);
	}

	private static String declaration(String name) throws IOException {
		String source = Files.readString(SOURCES.resolve(name + ".java"));
		return source.substring(source.indexOf("class " + name + " "));
	}

}
