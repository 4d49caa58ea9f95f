package io.github.lockstarter.sample;

import java.util.List;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The accessibility of the page.
 */
@Tag("once")
class PageAccessibilityTests {

	@RegisterExtension
	final Page page = Page.shared();

	private final Browser browser = this.page.browser;

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/         |
			/register |
			REJECT    | 1 running, 5 409 refused
			SHARE     | 1 running, 5 waiting
			""")
	@DisplayName("The page violates no rule of WCAG 2.1 AA, in light and dark, during a run and after it, and fits the width of a telephone")
	void everybody(String what, @Nullable String live) {
		if (live == null) {
			this.browser.open(this.page.url(what));
		}
		else {
			this.page.fire(what);
			this.page.awaitBars(6, live);
			assertAccessible();
			this.page.points.grant();
			this.page.awaitEnd();
		}
		assertAccessible();
		Object light = background();
		this.browser.colorScheme("dark");
		assertThat(background()).isNotEqualTo(light);
		assertAccessible();
		this.browser.screen(360, 740, 1);
		assertThat((long) this.browser.script("document.documentElement.scrollWidth")).isLessThanOrEqualTo(360);
		assertAccessible();
	}

	private void assertAccessible() {
		List<Rule> violations = new AxeBuilder()
			.withTags(List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"))
			.analyze(this.browser.driver())
			.getViolations();
		assertThat(violations).isEmpty();
	}

	private Object background() {
		return this.browser.script("getComputedStyle(document.body).backgroundColor");
	}

}
