package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that links and properties in the documentation exist.
 */
class DocumentationTests {

	private static final Path ROOT = Path.of("..");

	private static final Path METADATA = Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json");

	private static final Pattern BLOCK = Pattern.compile("^```(\\w*)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

	private static final Pattern SPAN = Pattern.compile("`[^`\n]+`");

	private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

	/** The first line of a decision. */
	private static final Pattern DECISION = Pattern.compile("# (\\d+)\\. (.+?)(?: \\(superseded by (\\d+)\\))?");

	private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

	private static final Pattern PROPERTY = Pattern.compile("(?<![\\w.])lock(\\.[a-z<][a-z0-9<>-]*)+");

	/**
	 * Names of meters, which look like properties. Another test checks that they exist.
	 */
	private static final Pattern METER = Pattern
		.compile("^\\| `(lock\\.[a-z.]+)` \\| (?:timer|long task timer|gauge|counter) \\|", Pattern.MULTILINE);

	/** Properties of the lock service. */
	private static final String OF_SERVICE = "lock.service";

	/** A property that does not exist, used as an example. */
	private static final String MISSPELT = "lock.tttl";

	@Test
	@DisplayName("Every relative link points to a file, and every anchor to a heading")
	void links() throws IOException {
		List<String> broken = new ArrayList<>();
		for (Path page : pages()) {
			for (String link : found(LINK, prose(page), 1)) {
				if (!link.contains(":") && !leadsSomewhere(page, link)) {
					broken.add(page + ": " + link);
				}
			}
		}
		assertThat(broken).isEmpty();
	}

	@Test
	@DisplayName("Every documented property exists")
	void properties() throws IOException {
		Set<String> known = knownProperties();
		known.addAll(found(METER, Files.readString(ROOT.resolve("docs/operating.md")), 1));
		assertThat(known).contains("lock.ttl", "lock.names.<name>.wait", "lock.redis");
		List<String> unknown = new ArrayList<>();
		for (Path page : pages()) {
			for (String property : namedProperties(Files.readString(page))) {
				if (!property.startsWith(OF_SERVICE) && !property.equals(MISSPELT)
						&& !known.contains(property.replaceFirst("^lock\\.names\\.[^.]+", "lock.names.<name>"))) {
					unknown.add(page + ": " + property);
				}
			}
		}
		assertThat(unknown).isEmpty();
	}

	@Test
	@DisplayName("The index leads to every page, except for single decisions and problem types, whose folders it has")
	void index() throws IOException {
		Path docs = ROOT.resolve("docs");
		Path index = docs.resolve("README.md");
		List<Path> linked = found(LINK, prose(index), 1).stream()
			.map((link) -> docs.resolve(link).normalize())
			.toList();
		assertThat(linked).contains(docs.resolve("adr/README.md").normalize(),
				docs.resolve("problems/README.md").normalize());
		assertThat(pages()).map(Path::normalize)
			.filteredOn((page) -> page.startsWith(docs.normalize()) && !page.startsWith(docs.resolve("adr").normalize())
					&& !page.startsWith(docs.resolve("problems").normalize()) && !page.equals(index.normalize()))
			.isNotEmpty()
			.isSubsetOf(linked);
	}

	@Test
	@DisplayName("The index of decisions has each one with its title, and tells which no longer hold")
	void decisions() throws IOException {
		Path directory = ROOT.resolve("docs/adr");
		List<String> index = Files.readAllLines(directory.resolve("README.md"));
		try (Stream<Path> files = Files.list(directory)) {
			assertThat(files.filter((file) -> !file.endsWith("README.md"))).isNotEmpty().allSatisfy((file) -> {
				Matcher title = DECISION.matcher(Files.readAllLines(file).get(0));
				assertThat(title.matches()).as(file.toString()).isTrue();
				String status = (title.group(3) != null) ? "superseded by [%s](".formatted(title.group(3)) : "accepted";
				assertThat(index).anyMatch((line) -> line.startsWith(
						"| %s | [%s](%s) | %s".formatted(title.group(1), title.group(2), file.getFileName(), status)));
			});
		}
	}

	@Test
	@DisplayName("The README is short, and no line of its prose is longer than 100 characters")
	void readme() throws IOException {
		String readme = Files.readString(ROOT.resolve("README.md"));
		assertThat(readme.strip().split("\\s+")).hasSizeLessThan(1300);
		assertThat(BLOCK.matcher(readme).replaceAll("").lines()).filteredOn((line) -> !line.matches("[|<].*|\\s+<.*"))
			.allSatisfy((line) -> assertThat(line).hasSizeLessThanOrEqualTo(100));
	}

	@Test
	@DisplayName("The API that the build compares with the last release is what the documentation calls public")
	void publicApi() throws IOException {
		Pattern api = Pattern.compile("io\\.github\\.lockstarter[\\w.]*");
		List<String> compared = found(Pattern.compile("<include>(" + api + ")</include>"),
				Files.readString(ROOT.resolve("pom.xml")), 1);
		String versions = Files.readString(ROOT.resolve("docs/versions.md"));
		String listed = versions.substring(versions.indexOf("## The public API"), versions.indexOf("**Provisional.**"));
		assertThat(compared).isNotEmpty().containsExactlyInAnyOrderElementsOf(found(api, listed, 0));
	}

	private static List<Path> pages() throws IOException {
		try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
				Stream<Path> reports = Files.walk(ROOT.resolve("benchmarks/results"))) {
			List<Path> pages = Stream
				.concat(Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(ROOT::resolve),
						Stream.concat(docs, reports).filter((file) -> file.toString().endsWith(".md")))
				.toList();
			assertThat(pages).hasSizeGreaterThan(30);
			return pages;
		}
	}

	private static boolean leadsSomewhere(Path page, String link) throws IOException {
		String[] parts = link.split("#", 2);
		Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
		return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
	}

	/** Returns the anchors that GitHub generates. */
	private static Set<String> anchors(Path page) throws IOException {
		Set<String> anchors = new HashSet<>();
		String text = BLOCK.matcher(Files.readString(page)).replaceAll("");
		for (String heading : found(HEADING, text, 1)) {
			String anchor = heading.toLowerCase(Locale.ROOT)
				.replaceAll("\\]\\([^)]*\\)", "")
				.replaceAll("[^\\p{L}\\p{N} _-]", "")
				.replace(' ', '-');
			for (int i = 1; !anchors.add((i == 1) ? anchor : anchor + "-" + (i - 1)); i++) {
				assertThat(i).isLessThan(100);
			}
		}
		return anchors;
	}

	/** Removes code, in which links do not count. */
	private static String prose(Path page) throws IOException {
		String text = BLOCK.matcher(Files.readString(page)).replaceAll("");
		return SPAN.matcher(text).replaceAll("code");
	}

	private static Set<String> namedProperties(String text) {
		Set<String> named = new HashSet<>();
		BLOCK.matcher(text).results().forEach((block) -> {
			if (block.group(1).equals("yaml")) {
				named.addAll(inYaml(block.group(2)));
			}
			else {
				named.addAll(found(Pattern.compile("(?<=--)" + PROPERTY.pattern()), block.group(2), 0));
			}
		});
		String prose = BLOCK.matcher(text).replaceAll("");
		SPAN.matcher(prose).results().forEach((span) -> named.addAll(found(PROPERTY, span.group(), 0)));
		return named;
	}

	private static List<String> inYaml(String yaml) {
		YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
		reader.setResources(new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
		Properties properties = reader.getObject();
		assertThat(properties).isNotNull();
		return properties.keySet().stream().map(Object::toString).filter((name) -> name.startsWith("lock.")).toList();
	}

	private static Set<String> knownProperties() throws IOException {
		Set<String> known = new HashSet<>();
		new JsonMapper().readTree(Files.readString(METADATA))
			.get("properties")
			.forEach((property) -> known.add(property.get("name").asString()));
		for (var field : LockProperties.Named.class.getDeclaredFields()) {
			Name name = field.getAnnotation(Name.class);
			known.add("lock.names.<name>."
					+ ((name != null) ? name.value() : DataObjectPropertyName.toDashedForm(field.getName())));
		}
		known.add("lock.names.<name>");
		Set.copyOf(known).forEach((property) -> known.add(property.substring(0, property.lastIndexOf('.'))));
		return known;
	}

	private static List<String> found(Pattern pattern, String text, int group) {
		return pattern.matcher(text).results().map((MatchResult match) -> match.group(group)).toList();
	}

}
