package io.github.lockstarter.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The reference of all properties, {@code docs/reference/properties.md}. This class
 * generates the part about a module, which is between two comments, from the
 * configuration metadata of the module. It compares the part with the page, or writes it
 * to the page if the system property {@code properties-page} is {@code write}.
 */
public final class PropertiesPage {

	private static final Path PAGE = Path.of("..", "docs", "reference", "properties.md");

	private static final Path METADATA = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");

	private PropertiesPage() {
	}

	/** Checks, or writes, the part about a module. Tests run in its folder. */
	public static void assertUpToDate(String module) throws IOException {
		String page = Files.readString(PAGE);
		Matcher part = Pattern
			.compile("(?<=^<!-- generated from the metadata of " + module + " -->\n\n).*?(?=^<!-- end -->$)",
					Pattern.DOTALL | Pattern.MULTILINE)
			.matcher(page);
		assertThat(part.find()).as("a part about " + module).isTrue();
		String expected = render(JsonMapper.shared().readTree(METADATA.toFile()));
		if ("write".equals(System.getProperty("properties-page"))) {
			Files.writeString(PAGE, page.substring(0, part.start()) + expected + page.substring(part.end()));
			return;
		}
		assertThat(part.group())
			.as("docs/reference/properties.md; after mvn clean, this test writes it with -Dproperties-page=write -pl "
					+ module)
			.isEqualTo(expected);
	}

	/**
	 * Checks that the page has a row for each component of a record that is the value of
	 * a map. The metadata do not have these.
	 */
	public static void assertHasAll(Class<? extends Record> type, String prefix) throws IOException {
		Set<String> expected = Stream.of(type.getDeclaredFields())
			.filter((field) -> !field.isSynthetic())
			.map((field) -> {
				Name name = field.getAnnotation(Name.class);
				return prefix + "."
						+ ((name != null) ? name.value() : DataObjectPropertyName.toDashedForm(field.getName()));
			})
			.collect(Collectors.toSet());
		Set<String> rows = Pattern.compile("^\\| `(" + Pattern.quote(prefix) + "\\.[^`]+)` \\|", Pattern.MULTILINE)
			.matcher(Files.readString(PAGE))
			.results()
			.map((row) -> row.group(1))
			.collect(Collectors.toSet());
		assertThat(rows).isEqualTo(expected);
	}

	private static String render(JsonNode metadata) {
		Map<String, JsonNode> hints = list(metadata.get("hints"))
			.collect(Collectors.toMap((hint) -> hint.get("name").asString(), Function.identity()));
		Map<String, List<JsonNode>> groups = list(metadata.get("properties"))
			.collect(Collectors.groupingBy(PropertiesPage::group, LinkedHashMap::new, Collectors.toList()));
		return groups.keySet()
			.stream()
			.sorted()
			.map((group) -> groups.get(group)
				.stream()
				.map((property) -> row(property, hints.get(property.get("name").asString())))
				.collect(Collectors.joining("", "### `" + group + "`\n\n| property | default | |\n|---|---|---|\n",
						"\n")))
			.collect(Collectors.joining());
	}

	private static String group(JsonNode property) {
		String name = property.get("name").asString();
		return name.substring(0, name.lastIndexOf('.'));
	}

	private static String row(JsonNode property, JsonNode hint) {
		return "| `%s` | %s | %s%s |\n".formatted(property.get("name").asString(),
				property.has("defaultValue") ? "`" + text(property.get("defaultValue")) + "`" : "",
				property.get("description").asString(), (hint != null) ? values(hint) : "");
	}

	/** Without a provider, a hint has all values that there are. */
	private static String values(JsonNode hint) {
		return hint.has("providers") ? "" : list(hint.get("values")).map(
				(value) -> "<br>`%s`: %s".formatted(value.get("value").asString(), value.get("description").asString()))
			.collect(Collectors.joining());
	}

	private static String text(JsonNode value) {
		return value.isArray() ? list(value).map(JsonNode::asString).collect(Collectors.joining(","))
				: value.asString();
	}

	private static Stream<JsonNode> list(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false);
	}

}
