package io.github.lockstarter.recipes;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.testing.Jobs;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class SignupRecipeTests {

	private static final Pattern TOKEN = Pattern.compile("name=\"token\" value=\"([^\"]+)\"");

	private final Jobs jobs = new Jobs();

	private final AtomicLong opened = new AtomicLong();

	private RecipeServer server;

	@BeforeEach
	void start() {
		this.server = RecipeServer.start("A form that is submitted twice", SignupController.class, Accounts.class,
				(userName) -> {
					this.jobs.get(userName).run();
					return this.opened.incrementAndGet();
				}, "lock.store=memory");
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	@Test
	@DisplayName("Of two submits of one form at the same time one opens an account, and both lead to its page")
	void doubleClick() throws Exception {
		String form = form(token(), "taro");
		CompletableFuture<HttpResponse<String>> first = this.server.submit("/signup", form);
		this.jobs.get("taro").awaitBegun();
		CompletableFuture<HttpResponse<String>> second = this.server.submit("/signup", form);
		Awaitility.await().until(() -> this.server.count("signup", Event.CONTENDED) == 1);
		this.jobs.get("taro").finish();
		assertThat(first.join().statusCode()).isEqualTo(302);
		assertThat(second.join().statusCode()).isEqualTo(302);
		assertThat(Responses.location(first.join())).endsWith("/accounts/1");
		assertThat(Responses.location(second.join())).endsWith("/accounts/1");
		assertThat(Responses.isReplayed(first.join())).isFalse();
		assertThat(Responses.isReplayed(second.join())).isTrue();
		assertThat(this.opened).hasValue(1);
	}

	@Test
	@DisplayName("A later submit of the form leads to the same page; with another user name it is rejected with 422")
	void back() throws Exception {
		this.jobs.get("jiro").finish();
		String token = token();
		this.server.submit("/signup", form(token, "jiro")).join();
		HttpResponse<String> later = this.server.submit("/signup", form(token, "jiro")).join();
		assertThat(later.statusCode()).isEqualTo(302);
		assertThat(Responses.location(later)).endsWith("/accounts/1");
		assertThat(this.server.submit("/signup", form(token, "saburo")).join().statusCode()).isEqualTo(422);
		assertThat(this.opened).hasValue(1);
	}

	@Test
	@DisplayName("A form with an error is shown again, with its messages and its token, which then opens an account")
	void invalid() throws Exception {
		this.jobs.get("shiro").finish();
		String token = token();
		HttpResponse<String> invalid = this.server.submit("/signup", form(token, "+")).join();
		assertThat(invalid.statusCode()).isEqualTo(200);
		assertThat(invalid.body()).contains("role=\"alert\">must not be blank", token);
		assertThat(this.server.submit("/signup", form(token, "shiro")).join().statusCode()).isEqualTo(302);
		assertThat(this.opened).hasValue(1);
	}

	@Test
	@DisplayName("A valid form without a token is rejected with 400")
	void withoutToken() {
		assertThat(this.server.submit("/signup", form("", "goro")).join().statusCode()).isEqualTo(400);
		assertThat(this.server.submit("/signup", "userName=goro").join().statusCode()).isEqualTo(400);
		assertThat(this.opened).hasValue(0);
	}

	@Test
	@DisplayName("Two forms have two tokens, and each opens an account")
	void twoForms() throws Exception {
		this.jobs.get("rokuro").finish();
		this.server.submit("/signup", form(token(), "rokuro")).join();
		this.server.submit("/signup", form(token(), "rokuro")).join();
		assertThat(this.opened).hasValue(2);
	}

	private String token() throws Exception {
		Matcher token = TOKEN.matcher(this.server.get("/signup").body());
		assertThat(token.find()).isTrue();
		return token.group(1);
	}

	private static String form(String token, String userName) {
		return "token=" + token + "&userName=" + userName;
	}

}
