package io.github.lockstarter.sample;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.Point;
import org.openqa.selenium.interactions.Actions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The behaviour of the page in a browser.
 */
@Tag("browser")
@Tag("once")
class PageTests {

	@RegisterExtension
	final Page page = Page.shared();

	private final Browser browser = this.page.browser;

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					REJECT | 6 | 1 running, 5 409 rejected  | 6 | 6 | 201 × 6          | 1 | 201 × 1, 409 × 5 | 1 201 registered, 5 409 rejected
					WAIT   | 6 | 1 running, 5 waiting      | 6 | 6 | 201 × 6          | 6 | 201 × 1, 422 × 5 | 1 201 registered, 5 422 name taken
					SHARE  | 6 | 1 running, 5 waiting      | 6 | 6 | 201 × 6          | 1 | 201 × 6          | 1 201 registered, 5 201 shared
					REPLAY | 3 | 1 running, 2 409 rejected  | 3 | 6 | 201 × 3, 422 × 3 | 1 | 201 × 4, 409 × 2 | 1 201 registered, 3 201 replayed, 2 409 rejected
					SKIP   | 6 | 1 running, 5 204 skipped  | 6 | 6 | 201 × 6          | 1 | 201 × 1, 204 × 5 | 1 201 registered, 5 204 skipped
					""")
	@DisplayName("Both sides show, live, what the instances do, and in the end what they did")
	void timeline(String policy, int running, String live, int unguardedRows, int unguardedRuns,
			String unguardedResponses, int runs, String responses, String states) {
		this.page.fire(policy);
		this.browser.driver().executeScript("window.same = true");
		this.page.awaitBars(running, live);
		assertThat(this.page.isOver()).isFalse();
		this.page.points.grant();
		this.page.awaitEnd();
		assertThat(this.browser.is("window.same")).as("the page was not loaded again").isTrue();
		assertCounts("unguarded", unguardedRows + ": " + (unguardedRows - 1) + " too many", unguardedRuns,
				unguardedResponses);
		assertCounts("guarded", "1", runs, responses);
		assertThat(this.page.states("guarded")).containsExactlyInAnyOrder(states.split(", "));
		assertThat(this.browser.count("#guarded-bars .runs")).as("bars of a handler").isEqualTo(runs);
		assertInstances("unguarded");
		assertInstances("guarded");
		assertThat(this.browser.text("#story"))
			.isEqualTo("Without a lock: %d users with the same name. With the lock: 1 user.".formatted(unguardedRows));
		String user = (String) this.browser.script("location.pathname.split('/').pop()");
		assertThat(this.page.query("select count(*) from users where user_name = ?", user)).containsExactly("1");
		assertThat(this.page.query("select count(*) from execution where user_name = ?", user))
			.containsExactly("" + runs);
	}

	@Test
	@DisplayName("Nothing is hatched where no request waits for another one")
	void hatched() {
		this.page.fire("REJECT");
		this.page.awaitBars(6, "1 running, 5 409 rejected");
		assertThat(this.browser.count(".waits")).isZero();
		this.page.points.grant();
		this.page.awaitEnd();
		this.page.points.hold();
		this.page.fire("WAIT");
		this.page.awaitBars(6, "1 running, 5 waiting");
		// A wait of less than a millisecond has no width.
		this.browser.await(() -> this.browser.count("#guarded-bars .waits") == 5);
		assertThat(this.browser.count("#unguarded-bars .waits")).isZero();
		assertThat(this.browser.text(".legend")).contains("waits for the lock");
	}

	@Test
	@DisplayName("A run that the instance no longer has is gone, and the page does not try again")
	void gone() {
		this.page.fire("REJECT");
		this.page.awaitBars(6, "1 running, 5 409 rejected");
		this.browser.script("document.getElementById('run').dataset.source = '/runs/gone/timeline'");
		this.browser.await(() -> this.browser.text("#note").equals("The instance has restarted; this run is gone."));
		assertThat(this.page.isOver()).isTrue();
		assertThat(this.browser.errors()).singleElement().asString().contains("/runs/gone", "status of 404");
		this.page.points.grant();
		this.browser.driver().navigate().refresh();
		this.page.awaitEnd();
	}

	@Test
	@DisplayName("On a telephone the result is in view and has the focus after firing")
	void telephone() {
		this.browser.screen(390, 844, 1);
		this.page.fire("REJECT");
		this.browser.await(() -> this.browser.is("document.activeElement.id === 'run'"));
		this.browser
			.await(() -> this.browser.is("Math.abs(document.getElementById('run').getBoundingClientRect().top) < 50"));
	}

	@Test
	@DisplayName("The HTTP exchange is shown on the page after one click, and stays open while the run continues")
	void wire() {
		this.page.fire("REJECT");
		this.page.awaitBars(6, "1 running, 5 409 rejected");
		this.browser.click(this.browser.middle(".rejected summary"));
		this.browser.await(() -> this.browser.count(".rejected details[open]") == 1);
		this.page.points.grant();
		this.page.awaitEnd();
		assertThat(this.browser.text(".rejected details[open] pre")).startsWith("POST /demo/reject?userName=taro_")
			.contains(" HTTP/1.1\nHost: 127.0.0.1:", "\n\nHTTP/1.1 409\n", "retry-after: ", "\"status\":409");
	}

	@Test
	@DisplayName("A policy can be chosen and fired, and a request opened, with the keyboard alone")
	void keyboard() {
		this.page.points.grant();
		this.browser.open(this.page.url("/"));
		tabTo("[name=policy]");
		type(Keys.ARROW_DOWN);
		tabTo("form button");
		type(Keys.ENTER);
		this.browser.awaitPage(this.page.url("/runs/"));
		this.page.awaitEnd();
		assertThat(this.browser.text("#run-title")).isEqualTo("No lock and Wait, 6 requests each");
		tabTo("summary");
		type(Keys.ENTER);
		this.browser.await(() -> this.browser.count("details[open]") == 1);
	}

	@Test
	@DisplayName("A double click on a form that takes a moment makes one user, whose page it shows")
	void doubleClick() {
		this.browser.open(this.page.url("/register"));
		this.browser.find("#user-name").sendKeys("hanako");
		Point button = this.browser.middle("button");
		this.browser.click(button);
		this.page.points.awaitRequests(1);
		// The browser reacts to the second click only when it has the next page.
		CompletableFuture<Void> second = CompletableFuture.runAsync(() -> this.browser.click(button));
		Awaitility.await().until(() -> this.page.first.get("/actuator/locks").body().contains("\"waiting\":[{"));
		this.page.points.grant();
		second.join();
		this.browser.awaitPage(this.page.url("/users/"));
		assertThat(this.browser.text("h1")).isEqualTo("hanako");
		assertThat(this.page.query("select points from users where user_name = ?", "hanako")).containsExactly("100");
	}

	@Test
	@DisplayName("Invalid input is shown as text next to its field, and no requests are fired")
	void wrongInput() {
		this.browser.open(this.page.url("/"));
		this.browser.driver()
			.executeScript("document.forms[0].noValidate = true; document.getElementById('requests').type = 'text'");
		this.browser.find("#requests").clear();
		this.browser.find("#requests").sendKeys("<script>document.title = 'hacked'</script>");
		this.browser.find("form button").click();
		this.browser.await(() -> this.browser.count("[aria-invalid=true]") == 1);
		assertThat(this.browser.text("[role=alert]")).isEqualTo("Enter a whole number from 1 to 20.");
		assertThat(this.browser.driver().getTitle()).startsWith("One request at a time");
		assertThat(this.browser.errors()).singleElement().asString().contains("/runs", "status of 422");
	}

	private void assertCounts(String side, String users, int runs, String responses) {
		assertThat(this.browser.text("#" + side + "-rows dd")).isEqualTo(users);
		assertThat(this.browser.text("#" + side + "-executions dd")).isEqualTo(runs + " of 6");
		assertThat(this.browser.texts("#" + side + "-responses dd span")).containsExactly(responses.split(", "));
	}

	/**
	 * Asserts that each bar of a handler names the instance that recorded the execution.
	 */
	private void assertInstances(String side) {
		List<String> shown = this.browser.list("""
				[...document.querySelectorAll(`#${arguments[0]}-bars > li:has(.runs)`)].map((bar) => {
				  const letter = bar.querySelector('.instance').lastChild.textContent;
				  const entry = document.querySelector('.legend .instance-' + letter).textContent.trim();
				  return bar.querySelector('.number').textContent + (bar.matches('.instance-' + letter) ? ' ' : '?')
				      + entry.replace('runs on instance ' + letter + ' (', '').replace(')', '');
				})""", side);
		String user = (String) this.browser.script(
				"document.querySelector(`#${arguments[0]}-bars pre`).textContent.match(/userName=(\\w+)/)[1]", side);
		assertThat(shown).containsExactlyInAnyOrderElementsOf(
				this.page.query("select request || ' ' || instance from execution where user_name = ?", user));
	}

	private void tabTo(String selector) {
		this.browser.await(() -> {
			type(Keys.TAB);
			return this.browser.is("document.activeElement.matches(arguments[0])", selector);
		});
	}

	private void type(CharSequence keys) {
		new Actions(this.browser.driver()).sendKeys(keys).perform();
	}

}
