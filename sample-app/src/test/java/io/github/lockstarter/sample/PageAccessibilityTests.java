package io.github.lockstarter.sample;

import java.util.List;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The accessibility of the page.
 */
@Tag("browser")
@Tag("once")
class PageAccessibilityTests {

	@RegisterExtension
	final Page page = Page.shared();

	private final Browser browser = this.page.browser;

	@ParameterizedTest
	@ValueSource(strings = { "/", "/register" })
	@DisplayName("A page violates no rule of WCAG 2.1 AA, in light, in dark, and on a telephone, whose width it fits")
	void page(String path) {
		this.browser.open(this.page.url(path));
		assertAccessible();
		Object light = background();
		darkOnTelephone();
		assertThat(background()).isNotEqualTo(light);
		assertAccessible();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			REJECT | 1 running, 5 409 rejected
			SHARE  | 1 running, 5 waiting
			""")
	@DisplayName("So does the page of a run, during the run and after it")
	void run(String policy, String live) {
		boolean startsDark = policy.equals("SHARE");
		this.page.fire(policy);
		this.page.awaitBars(6, live);
		if (startsDark) {
			darkOnTelephone();
		}
		this.page.freeze();
		assertAccessible();
		this.page.points.grant();
		this.browser.driver().navigate().refresh();
		this.page.awaitEnd();
		if (startsDark) {
			this.page.reset();
		}
		else {
			darkOnTelephone();
		}
		assertAccessible();
	}

	private void darkOnTelephone() {
		this.browser.colorScheme("dark");
		this.browser.screen(360, 740, 1);
		assertThat((long) this.browser.script("document.documentElement.scrollWidth")).isLessThanOrEqualTo(360);
	}

	/** In one call of one page, and not in a further window. */
	@SuppressWarnings("deprecation")
	private void assertAccessible() {
		List<Rule> violations = new AxeBuilder()
			.withTags(List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"))
			.setLegacyMode(true)
			.analyze(this.browser.driver())
			.getViolations();
		assertThat(violations).isEmpty();
	}

	private Object background() {
		return this.browser.script("getComputedStyle(document.body).backgroundColor");
	}

}
