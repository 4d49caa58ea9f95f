package io.github.lockstarter.recipes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ByteArrayResource;

/**
 * The page of the documentation that shows the recipes.
 */
final class RecipesPage {

	private static final Path PAGE = Path.of("..", "docs", "recipes.md");

	private RecipesPage() {
	}

	/** Returns the blocks of code in a language, in the order of the page. */
	static List<String> blocks(String language) {
		return blocks(language, read());
	}

	/** Returns the properties that the page sets for a recipe. */
	static String[] properties(String recipe) {
		String heading = "\n## " + recipe + "\n";
		String page = read();
		int begin = page.indexOf(heading);
		if (begin < 0) {
			throw new IllegalArgumentException("No recipe has the heading '%s'".formatted(recipe));
		}
		int end = page.indexOf("\n## ", begin + 1);
		return blocks("yaml", page.substring(begin, (end < 0) ? page.length() : end)).stream()
			.map(RecipesPage::yaml)
			.flatMap((yaml) -> yaml.getObject().entrySet().stream())
			.map((property) -> property.getKey() + "=" + property.getValue())
			.toArray(String[]::new);
	}

	private static YamlPropertiesFactoryBean yaml(String text) {
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)));
		return yaml;
	}

	private static List<String> blocks(String language, String text) {
		return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
			.matcher(text)
			.results()
			.map((block) -> block.group(1))
			.toList();
	}

	private static String read() {
		try {
			return Files.readString(PAGE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
