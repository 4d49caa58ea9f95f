package io.github.lockstarter.sample;

import java.util.List;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The appearance of the page: accessibility, and the screenshots for the README.
 * Screenshots are written to {@code target/screenshots}, or to {@code -Dscreenshots}.
 */
@Tag("once")
class PageLooksTests {

	private final Page page = Page.shared();

	private final Browser browser = this.page.browser;

	@BeforeEach
	void reset() {
		this.page.begin();
	}

	@AfterEach
	void noErrors() {
		this.page.end();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/register", "UNGUARDED", "REJECT", "SHARE" })
	@DisplayName("The page has no WCAG 2.1 AA violations, in light and dark, during and after a run, and fits a phone's width")
	void everybody(String what) {
		if (what.startsWith("/")) {
			this.browser.open(this.page.url(what));
		}
		else {
			this.page.fire(what);
			this.page.awaitBars("UNGUARDED".equals(what) ? 12 : 1, "SHARE".equals(what) ? 11 : 0,
					"REJECT".equals(what) ? 11 : 0);
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

	@Test
	@DisplayName("Screenshots: a handler without the annotation beside the same handler with it, and the whole page in dark mode")
	void pictures() {
		this.browser.screen(800, 1600, 1);
		// A later run than the first, which also opens connections.
		picture("REJECT", 1, 0, 11);
		Screenshots.write("page.png", 40, picture("UNGUARDED", 12, 0, 0), picture("REJECT", 1, 0, 11));
		this.browser.screen(1200, 900, 1);
		this.browser.colorScheme("dark");
		this.page.points.hold();
		this.page.fire("WAIT");
		this.page.awaitBars(1, 11, 0);
		this.page.points.grant();
		this.page.awaitEnd();
		// Without the list of runs, whose length varies.
		long height = (long) this.browser
			.script("Math.ceil(document.getElementById('run').getBoundingClientRect().bottom)");
		this.browser.screen(1200, (int) height + 24, 1);
		Screenshots.write("page-dark.png", 0, this.browser.picture());
	}

	private byte[] picture(String policy, int running, int waiting, int refused) {
		this.page.points.hold();
		this.page.fire(policy);
		this.page.awaitBars(running, waiting, refused);
		this.page.points.grant();
		this.page.awaitEnd();
		return this.browser.picture("#run");
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
