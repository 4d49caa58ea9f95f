package io.github.lockstarter.listeners;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.testing.DocumentedCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the documented recipes are the tested code.
 */
class ListenersInDocumentationTests {

	private static final Path PAGE = Path.of("..", "docs", "listeners.md");

	private static final Path SOURCES = Path.of("src", "test", "java", "io", "github", "lockstarter", "listeners");

	@ParameterizedTest
	@ValueSource(strings = { "KafkaPayments", "KafkaErrors", "RabbitPayments", "RabbitErrors", "JmsPayments" })
	@DisplayName("The code in the documentation is the tested code")
	void isTested(String name) throws IOException {
		assertThat(DocumentedCode.blocks(PAGE))
			.contains(DocumentedCode.source(SOURCES.resolve(name + ".java"), "\n@").substring(1));
	}

}
