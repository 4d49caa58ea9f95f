package io.github.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.testing.DocumentedCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the documented store is the one that passes the contract.
 */
@Tag("once")
class OwnStoreInDocumentationTests {

	private static final Path PAGE = Path.of("..", "docs", "own-store.md");

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "lockstarter", "sample");

	@ParameterizedTest
	@ValueSource(strings = { "OwnLockStore", "OwnLockStoreTests" })
	@DisplayName("The code in the documentation is the tested code")
	void isTested(String name) throws IOException {
		assertThat(DocumentedCode.blocks(PAGE)).contains(declaration(name));
	}

	@Test
	@DisplayName("A complete store has fewer than 60 lines")
	void isShort() throws IOException {
		assertThat(declaration("OwnLockStore").lines()).hasSizeLessThan(60);
	}

	private static String declaration(String name) throws IOException {
		return DocumentedCode.source(SOURCES.resolve(name + ".java"), "class " + name + " ");
	}

}
