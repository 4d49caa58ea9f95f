package io.github.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pictures of the README. With {@code -Dscreenshots=<folder>} they and the animation
 * are made anew.
 */
@Tag("browser")
@Tag("once")
class ReadmePicturesTests {

	private static final String FOLDER = System.getProperty("screenshots", "../docs/images");

	private static final boolean REMAKE = System.getProperty("screenshots") != null;

	private static final String HOW_TO_REMAKE = "Look at the page, and make the pictures anew as CONTRIBUTING.md says.";

	@RegisterExtension
	final Page page = Page.shared();

	private final Browser browser = this.page.browser;

	@ParameterizedTest
	@CsvSource({ "light, page.png", "dark, page-dark.png" })
	@DisplayName("The pictures of the README show what the page shows at first")
	void firstView(String scheme, String file) throws IOException {
		this.browser.colorScheme(scheme);
		this.browser.open(this.page.url("/"));
		nameInstancesAsInReadme();
		this.browser.screen(1200, bottom("#run") + 20, 1);
		// Without the part below: an instance and the list of runs differ from time to
		// time.
		String text = this.browser.find("header").getText() + "\n" + this.browser.find("h1").getText() + "\n"
				+ this.browser.find(".lead").getText() + "\n" + this.browser.find("form").getText() + "\n"
				+ this.browser.find("#run").getText() + "\n";
		Picture picture = Picture.of(this.browser.picture());
		Path expected = Path.of(FOLDER, file);
		Path expectedText = Path.of(FOLDER, "page.txt");
		if (REMAKE) {
			picture.write(expected);
			Files.writeString(expectedText, text);
		}
		assertThat(text).as("text in %s. %s", file, HOW_TO_REMAKE).isEqualTo(Files.readString(expectedText));
		assertThat(Picture.of(Files.readAllBytes(expected)).difference(picture))
			.as("share of %s that looks different. %s", file, HOW_TO_REMAKE)
			.isLessThan(0.05);
	}

	@Test
	@DisplayName("The animation of the README ends as a run ends now, and is small enough")
	void animation() throws IOException {
		// Not the first run of all, which also opens connections.
		this.page.points.grant();
		this.page.fire("REJECT");
		this.page.awaitEnd();
		this.page.points.hold();
		this.browser.screen(1200, 900, 1);
		this.page.fire("REJECT");
		nameInstancesAsInReadme();
		this.browser.screen(1200, bottom(".axis") - top("#run") + 4, 1);
		this.browser.driver().executeScript("scrollTo(0, document.getElementById('run').offsetTop)");
		Animation animation = new Animation();
		// So long that the bars reach across the time axis on each machine.
		long start = System.nanoTime();
		while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(3)) {
			animation.add(Picture.of(this.browser.picture()));
		}
		this.page.points.grant();
		while (!this.page.isOver()) {
			animation.add(Picture.of(this.browser.picture()));
		}
		Picture end = Picture.of(this.browser.picture());
		animation.end(end);
		Path file = Path.of(REMAKE ? FOLDER : "target/screenshots", "page.gif");
		animation.write(file);
		assertThat(Files.size(file)).isLessThan(1_000_000);
		// Two runs differ in their times, and in the instance that holds the lock.
		assertThat(Animation.last(Path.of(FOLDER, "page.gif")).difference(end))
			.as("share of the end of page.gif that looks different. %s", HOW_TO_REMAKE)
			.isLessThan(0.1);
	}

	/** Ports are random in tests. */
	private void nameInstancesAsInReadme() {
		this.browser.driver()
			.executeScript(
					"""
							document.querySelectorAll('.legend [class*=instance-]').forEach((instance, position) =>
							  instance.lastElementChild.textContent = instance.lastElementChild.textContent.replace(/:\\d+/, ':' + (8080 + position)))
							""");
	}

	private int bottom(String selector) {
		return edge(selector, "bottom");
	}

	private int top(String selector) {
		return edge(selector, "top");
	}

	private int edge(String selector, String edge) {
		return ((Number) this.browser.script(
				"Math.ceil(scrollY + document.querySelector(arguments[0]).getBoundingClientRect()[arguments[1]])",
				selector, edge))
			.intValue();
	}

}
