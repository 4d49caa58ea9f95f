package io.github.lockstarter.sample;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a browser, over two instances of the application. Points are granted when
 * the test says so, so that everything can be seen under way.
 */
class PageTests {

	private static final HeldPoints points = new HeldPoints();

	private static TestServer first;

	private static TestServer second;

	private static Browser browser;

	@BeforeAll
	static void start() {
		first = server();
		second = server();
		browser = new Browser();
	}

	@AfterAll
	static void stop() {
		Stream.of(first, second, browser).forEach(PageTests::close);
	}

	@BeforeEach
	void reset() {
		browser.screen(1200, 900, 1);
		browser.colorScheme("light");
		points.hold();
	}

	@AfterEach
	void noErrors() {
		points.grant();
		assertThat(browser.errors()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "UNGUARDED, 12, 0, 0, 12, 12, '201 × 12'", "REJECT, 1, 0, 11, 1, 1, '201 × 1, 409 × 11'",
			"WAIT, 1, 11, 0, 1, 12, '201 × 1, 422 × 11'", "SHARE, 1, 11, 0, 1, 1, '201 × 12'" })
	@DisplayName("The timeline shows, live, what the servers do, and in the end what they did")
	void timeline(String policy, int running, int waiting, int refused, int rows, int executions, String answers) {
		fire(policy);
		browser.await(() -> bars("running") == running && bars("waiting") == waiting && bars("refused") == refused);
		assertThat(isOver()).isFalse();
		browser.driver().executeScript("window.same = true");
		points.grant();
		browser.await(PageTests::isOver);
		assertThat(browser.script("window.same")).as("the page was not loaded again").isEqualTo(true);
		assertThat(browser.texts("#answers dd")).containsExactly(answers.split(", "));
		assertThat(browser.texts("#executions dd")).containsExactly(executions + " of 12 requests ran");
		String user = (String) browser.script("location.pathname.split('/').pop()");
		assertThat(browser.texts("#rows dd")).containsExactly((rows == 1) ? "1 user named " + user
				: "%d users named %s: %d too many".formatted(rows, user, rows - 1));
		assertThat(query("select count(*) from users where user_name = ?", user)).containsExactly("" + rows);
		assertThat(ran()).hasSize(executions)
			.containsExactlyElementsOf(
					query("select request || ' ' || server from execution where user_name = ? order by request", user));
	}

	@Test
	@DisplayName("What was on the wire is in the page, with one click, and stays open while the rest goes on")
	void wire() {
		fire("REJECT");
		browser.await(() -> bars("refused") == 11);
		browser.find(".refused summary").click();
		points.grant();
		browser.await(PageTests::isOver);
		assertThat(browser.find(".refused details[open] pre").getText()).startsWith("POST /demo/reject?userName=taro_")
			.contains(" HTTP/1.1\nHost: 127.0.0.1:", "\n\nHTTP/1.1 409\n", "retry-after: ", "\"status\":409");
	}

	@Test
	@DisplayName("With the keyboard alone a policy is chosen and fired, and a request opened")
	void keyboard() {
		points.grant();
		browser.open(url("/"));
		tabTo("[name=policy]");
		type(Keys.ARROW_DOWN);
		tabTo("form button");
		type(Keys.ENTER);
		browser.awaitPage(url("/runs/"));
		browser.await(PageTests::isOver);
		assertThat(browser.find("#run-title").getText()).isEqualTo("Reject: 12 at once");
		tabTo("summary");
		type(Keys.ENTER);
		assertThat(browser.count("details[open]")).isOne();
	}

	@Test
	@DisplayName("A double click on the form, which takes a moment, makes one user")
	void doubleClick() {
		browser.open(url("/register"));
		browser.find("#user-name").sendKeys("hanako");
		long before = contended();
		new Actions(browser.driver()).doubleClick(browser.find("button")).perform();
		browser.await(() -> contended() == before + 1);
		browser.await(() -> browser.texts("h1").equals(List.of("Already in progress")));
		points.grant();
		browser.await(() -> query("select user_name from users where user_name = ? and points = 100", "hanako")
			.equals(List.of("hanako")));
		assertThat(browser.errors()).singleElement().asString().contains("status of 409");
	}

	private static void fire(String policy) {
		browser.open(url("/"));
		browser.find("[value=" + policy + "]").click();
		browser.find("form button").click();
		browser.awaitPage(url("/runs/"));
	}

	private static void tabTo(String selector) {
		browser.await(() -> {
			type(Keys.TAB);
			return (boolean) browser.script("document.activeElement.matches('" + selector + "')");
		});
	}

	private static void type(CharSequence keys) {
		new Actions(browser.driver()).sendKeys(keys).perform();
	}

	private static int bars(String state) {
		return browser.count("#timeline > ." + state);
	}

	private static boolean isOver() {
		return browser.count("#run[data-over=true]") == 1;
	}

	/** The requests of which the page says that a handler ran, and where. */
	private static List<String> ran() {
		return browser.driver()
			.findElements(org.openqa.selenium.By.cssSelector(".ran, .duplicate"))
			.stream()
			.map((bar) -> text(bar, ".number") + " " + text(bar, ".server"))
			.toList();
	}

	private static String text(WebElement bar, String selector) {
		return bar.findElement(org.openqa.selenium.By.cssSelector(selector)).getText();
	}

	private static List<String> query(String sql, String userName) {
		return first.context().getBean(JdbcClient.class).sql(sql).param(userName).query(String.class).list();
	}

	private static long contended() {
		return first.context().getBean(LockCounts.class).get("form", Event.CONTENDED);
	}

	private static String url(String path) {
		return "http://127.0.0.1:" + first.port() + path;
	}

	private static TestServer server() {
		return points.start(
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.of("lock.redis.key-prefix=page",
									"spring.datasource.url=jdbc:h2:mem:page;DB_CLOSE_DELAY=-1"))
					.toArray(String[]::new));
	}

	private static void close(AutoCloseable each) {
		try {
			each.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
