package io.github.lockstarter.actuate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the documented table of meters matches the published meters.
 */
class MetersInDocumentationTests {

	private static final Pattern ROW = Pattern.compile(
			"^\\| `(lock\\.[a-z.]+)` \\| (timer|long task timer|gauge|counter) \\| ([^|]+) \\|.+$", Pattern.MULTILINE);

	private static final Pattern TAG = Pattern.compile("`([a-z]+)`");

	@Test
	@DisplayName("The documented table has every meter with its type and tags, and no other meter")
	void table() throws Exception {
		try (AllEventsApplication application = AllEventsApplication.start()) {
			Set<String> published = application.meters()
				.getMeters()
				.stream()
				.map(Meter::getId)
				.filter((id) -> id.getName().startsWith("lock."))
				.map((id) -> id.getName() + ", " + id.getType().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ", "
						+ id.getTags().stream().map(Tag::getKey).sorted().toList())
				.collect(Collectors.toCollection(TreeSet::new));
			assertThat(documented()).containsExactlyElementsOf(published);
		}
	}

	private static Set<String> documented() throws Exception {
		Set<String> documented = new TreeSet<>();
		Matcher row = ROW.matcher(Files.readString(Path.of("..", "docs", "operating.md")));
		while (row.find()) {
			documented.add(row.group(1) + ", " + row.group(2) + ", "
					+ TAG.matcher(row.group(3)).results().map((tag) -> tag.group(1)).sorted().toList());
		}
		return documented;
	}

}
