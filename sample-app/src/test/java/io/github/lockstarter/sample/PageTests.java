package io.github.lockstarter.sample;

import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.Point;
import org.openqa.selenium.interactions.Actions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The behaviour of the page in a browser.
 */
@Tag("once")
class PageTests {

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
	@CsvSource({ "UNGUARDED, 12, 0, 0, 12, 12, '201 × 12'", "REJECT, 1, 0, 11, 1, 1, '201 × 1, 409 × 11'",
			"WAIT, 1, 11, 0, 1, 12, '201 × 1, 422 × 11'", "SHARE, 1, 11, 0, 1, 1, '201 × 12'" })
	@DisplayName("The timeline shows the servers' requests live, and the final result")
	void timeline(String policy, int running, int waiting, int refused, int rows, int executions, String answers) {
		this.page.fire(policy);
		this.browser.driver().executeScript("window.same = true");
		this.page.awaitBars(running, waiting, refused);
		assertThat(this.page.isOver()).isFalse();
		this.page.points.grant();
		this.page.awaitEnd();
		assertThat(this.browser.script("window.same")).as("the page was not loaded again").isEqualTo(true);
		assertThat(this.browser.texts("#answers dd")).containsExactly(answers.split(", "));
		assertThat(this.browser.texts("#executions dd")).containsExactly(executions + " of 12 requests");
		String user = (String) this.browser.script("location.pathname.split('/').pop()");
		assertThat(this.browser.texts("#rows dd")).containsExactly((rows == 1) ? "1 user named " + user
				: "%d users named %s: %d too many".formatted(rows, user, rows - 1));
		assertThat(this.page.query("select count(*) from users where user_name = ?", user)).containsExactly("" + rows);
		assertThat(this.browser.script(
				"[...document.querySelectorAll('.ran, .duplicate')].map(bar => bar.querySelector('.number').innerText + ' ' + bar.querySelector('.server').innerText)"))
			.asInstanceOf(InstanceOfAssertFactories.LIST)
			.hasSize(executions)
			.isEqualTo(this.page
				.query("select request || ' ' || server from execution where user_name = ? order by request", user));
	}

	@Test
	@DisplayName("The HTTP exchange is shown on the page after one click, and stays open while the run continues")
	void wire() {
		this.page.fire("REJECT");
		this.page.awaitBars(1, 0, 11);
		this.browser.find(".refused summary").click();
		this.page.points.grant();
		this.page.awaitEnd();
		assertThat(this.browser.find(".refused details[open] pre").getText())
			.startsWith("POST /demo/reject?userName=taro_")
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
		assertThat(this.browser.find("#run-title").getText()).isEqualTo("Reject: 12 at once");
		tabTo("summary");
		type(Keys.ENTER);
		assertThat(this.browser.count("details[open]")).isOne();
	}

	@Test
	@DisplayName("A double click on a slow form creates one user")
	void doubleClick() {
		this.browser.open(this.page.url("/register"));
		this.browser.find("#user-name").sendKeys("hanako");
		Point button = this.browser.middle("button");
		this.browser.click(button);
		this.page.points.awaitRequests(1);
		this.browser.click(button);
		this.browser.await(() -> this.browser.texts("h1").equals(List.of("Already in progress")));
		this.page.points.grant();
		this.browser.await(
				() -> this.page.query("select points from users where user_name = ?", "hanako").equals(List.of("100")));
		assertThat(this.browser.errors()).singleElement().asString().contains("/register", "status of 409");
	}

	@Test
	@DisplayName("Invalid input is shown as text beside its field, and no requests are fired")
	void wrongInput() {
		this.browser.open(this.page.url("/"));
		this.browser.driver()
			.executeScript("document.forms[0].noValidate = true; document.getElementById('requests').type = 'text'");
		this.browser.find("#requests").clear();
		this.browser.find("#requests").sendKeys("<script>document.title = 'hacked'</script>");
		this.browser.find("[name=servers]").click();
		this.browser.find("form button").click();
		this.browser.await(() -> this.browser.count("[aria-invalid=true]") == 1);
		assertThat(this.browser.texts("[role=alert]")).containsExactly("Enter a whole number from 1 to 50.");
		assertThat(this.browser.driver().getTitle()).isEqualTo("One request at a time");
		assertThat(this.browser.errors()).singleElement().asString().contains("/runs", "status of 422");
	}

	private void tabTo(String selector) {
		this.browser.await(() -> {
			type(Keys.TAB);
			return (boolean) this.browser.script("document.activeElement.matches('" + selector + "')");
		});
	}

	private void type(CharSequence keys) {
		new Actions(this.browser.driver()).sendKeys(keys).perform();
	}

}
