package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of {@code docs/reference} that are written by hand are complete.
 */
@Tag("once")
class ReferenceTests {

	private static final Path FOLDER = Path.of("..", "docs", "reference");

	/** The first cell of a row, which may name two attributes. */
	private static final Pattern ROW = Pattern.compile("^\\| (`[^|]+`) \\|", Pattern.MULTILINE);

	private static final String TITLE = "problemDetail.title.lock.";

	@Test
	@DisplayName("annotation.md has every attribute and every policy")
	void annotation() throws IOException {
		List<String> rows = ROW.matcher(Files.readString(FOLDER.resolve("annotation.md")))
			.results()
			.flatMap((row) -> Stream.of(row.group(1).split(", ")))
			.toList();
		assertThat(rows).containsAll(
				Stream
					.concat(Stream.of(ExclusiveRequest.class.getDeclaredMethods()).map(Method::getName),
							Stream.of(OnConflict.values()).map(OnConflict::name))
					.map((name) -> "`" + name + "`")
					.toList());
	}

	@Test
	@DisplayName("http.md has every problem type that has texts, with a link to its page")
	void problemTypes() throws IOException {
		Properties texts = PropertiesLoaderUtils
			.loadProperties(new ClassPathResource("io/github/lockstarter/web/messages.properties"));
		List<String> types = texts.stringPropertyNames()
			.stream()
			.filter((code) -> code.startsWith(TITLE))
			.map((code) -> code.substring(TITLE.length()))
			.toList();
		String page = Files.readString(FOLDER.resolve("http.md"));
		assertThat(types).isNotEmpty()
			.allSatisfy((type) -> assertThat(page).contains("[`" + type + "`](../problems/" + type + ".md)"));
	}

}
