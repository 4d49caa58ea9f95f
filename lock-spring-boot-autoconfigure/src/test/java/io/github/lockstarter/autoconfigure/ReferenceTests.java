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
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of {@code docs/reference} that are written by hand are complete.
 */
class ReferenceTests {

	private static final Path FOLDER = Path.of("..", "docs", "reference");

	/**
	 * The first cell of a row, but not of the heading. It may name two attributes.
	 */
	private static final Pattern ROW = Pattern.compile("^\\| (`[^|]+`) \\|(?!.*\n\\|---)", Pattern.MULTILINE);

	private static final Pattern PROBLEM = Pattern.compile("\\[`([^`]+)`]\\(\\.\\./problems/([^)]+)\\.md\\)");

	private static final String TITLE = "problemDetail.title.lock.";

	@Test
	@DisplayName("annotation.md has a row for each attribute and each policy, and for nothing else")
	void annotation() throws IOException {
		assertThat(rows("Attributes")).containsExactlyInAnyOrderElementsOf(
				Stream.of(ExclusiveRequest.class.getDeclaredMethods()).map(Method::getName).toList());
		assertThat(rows("When the lock is held"))
			.containsExactlyInAnyOrderElementsOf(Stream.of(OnConflict.values()).map(OnConflict::name).toList());
	}

	@Test
	@DisplayName("http.md has each problem type that has texts, with a link to its page, and no other")
	void problemTypes() throws IOException {
		Properties texts = PropertiesLoaderUtils
			.loadProperties(new ClassPathResource("io/github/lockstarter/messages.properties"));
		List<String> types = texts.stringPropertyNames()
			.stream()
			.filter((code) -> code.startsWith(TITLE))
			.map((code) -> code.substring(TITLE.length()))
			.toList();
		assertThat(types).isNotEmpty();
		assertThat(PROBLEM.matcher(Files.readString(FOLDER.resolve("http.md"))).results())
			.allSatisfy((link) -> assertThat(link.group(1)).isEqualTo(link.group(2)))
			.extracting((link) -> link.group(1))
			.containsOnlyOnceElementsOf(types)
			.isSubsetOf(types);
	}

	/**
	 * Returns the names in the first cells of the table in a section of annotation.md.
	 */
	private static List<String> rows(String section) throws IOException {
		String page = Files.readString(FOLDER.resolve("annotation.md"));
		String table = page.split("(?m)^## " + section + "$")[1].split("(?m)^## ")[0];
		return ROW.matcher(table)
			.results()
			.flatMap((row) -> Stream.of(row.group(1).split(", ")))
			.map((name) -> name.replace("`", ""))
			.toList();
	}

}
