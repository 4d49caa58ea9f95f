package io.github.lockstarter.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The registration form in a browser without JavaScript.
 */
@Tag("once")
class RegistrationFormTests {

	private static final Pattern TOKEN = Pattern.compile("type=\"hidden\" name=\"token\" value=\"([^\"]+)\"");

	private static final HttpClient browser = HttpClient.newHttpClient();

	private static final ControlledPoints points = new ControlledPoints();

	private static TestServer server;

	@BeforeAll
	static void start() {
		server = points.start(Stream
			.concat(Stream.of(TestRedis.properties()),
					Stream.of("lock.redis.key-prefix=form", "spring.datasource.url=jdbc:h2:mem:form"))
			.toArray(String[]::new));
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@AfterEach
	void grantPoints() {
		points.grant();
	}

	@Test
	@DisplayName("The page has a form that works without JavaScript, with a new token each time")
	void form() {
		assertThat(get("/register")).satisfies((response) -> assertPage(response, 200))
			.extracting(HttpResponse::body)
			.asString()
			.contains("<form method=\"post\" action=\"/register\">", "<label for=\"user-name\">")
			.doesNotContain("<script", "aria-invalid=\"true\"");
		assertThat(token()).isNotBlank().isNotEqualTo(token());
	}

	@Test
	@DisplayName("A submitted form registers the user and redirects to the user's page")
	void registers() {
		HttpResponse<String> response = submit(token(), "taro").join();
		assertThat(response.statusCode()).isEqualTo(303);
		String page = response.headers().firstValue("Location").orElseThrow();
		assertThat(page).matches("/users/\\d+");
		assertThat(get(page)).satisfies((each) -> assertPage(each, 200))
			.extracting(HttpResponse::body)
			.asString()
			.contains("<h1>taro</h1>", "<dd>100</dd>");
	}

	@Test
	@DisplayName("A second submit of the form leads to the same user as the first, while that runs and afterwards")
	void submittedTwice() throws Exception {
		points.hold();
		String token = token();
		CompletableFuture<HttpResponse<String>> first = submit(token, "jiro");
		points.awaitRequests(1);
		CompletableFuture<HttpResponse<String>> second = submit(token, "jiro");
		Awaitility.await().until(() -> server.get("/actuator/locks").body().contains("\"waiting\":[{"));
		points.grant();
		String user = first.join().headers().firstValue("Location").orElseThrow();
		for (HttpResponse<String> response : List.of(second.join(), submit(token, "jiro").join())) {
			assertThat(response.statusCode()).isEqualTo(303);
			assertThat(response.headers().firstValue("Location")).contains(user);
		}
	}

	@Test
	@DisplayName("Of two concurrent forms with one name the second gets 409, and a form with another name registers its user")
	void twoForms() {
		points.hold();
		CompletableFuture<HttpResponse<String>> first = submit(token(), "saburo");
		points.awaitRequests(1);
		HttpResponse<String> rejected = submit(token(), "saburo").join();
		assertPage(rejected, 409);
		assertThat(rejected.body()).contains("Already in progress", "href=\"/register\"").doesNotContain("saburo");
		assertThat(rejected.headers().firstValue("Retry-After")).isPresent();
		CompletableFuture<HttpResponse<String>> other = submit(token(), "shiro");
		points.awaitRequests(2);
		points.grant();
		assertThat(first.join().statusCode()).isEqualTo(303);
		assertThat(other.join().statusCode()).isEqualTo(303);
	}

	@ParameterizedTest
	@ValueSource(strings = { "userName=goro", "token=&userName=goro", "token=+&userName=goro", "token=abc",
			"token=abc&userName=+" })
	@DisplayName("Without a token or a user name, nothing is registered: 400")
	void missing(String form) {
		HttpResponse<String> response = submit(form).join();
		assertPage(response, 400);
		assertThat(response.body()).contains("<h1>Not valid</h1>", "href=\"/register\"");
	}

	@Test
	@DisplayName("A name that is longer than the form permits is not registered: 400")
	void longName() {
		HttpResponse<String> response = submit(token(), "a".repeat(51)).join();
		assertPage(response, 400);
		assertThat(response.body()).contains("1 to 50 characters");
	}

	@Test
	@DisplayName("A name that is already registered is shown in the form again, with a new token: 422")
	void alreadyRegistered() {
		submit(token(), "rokuro").join();
		String token = token();
		HttpResponse<String> response = submit(token, "rokuro").join();
		assertPage(response, 422);
		assertThat(response.body()).contains("role=\"alert\"", "aria-invalid=\"true\"", "value=\"rokuro\"")
			.doesNotContain(token);
	}

	@Test
	@DisplayName("A form that was sent before with another name is not accepted: 422")
	void otherNameWithSameToken() {
		String token = token();
		submit(token, "nanako").join();
		HttpResponse<String> response = submit(token, "yaeko").join();
		assertPage(response, 422);
		assertThat(response.body()).contains("Not accepted", "sent before with another user name");
	}

	@Test
	@DisplayName("User input is escaped in the page")
	void escapes() {
		submit(token(), "<b>bold</b>").join();
		assertThat(submit(token(), "<b>bold</b>").join().body()).contains("value=\"&lt;b&gt;").doesNotContain("<b>");
	}

	@Test
	@DisplayName("An unknown user has no page: 404")
	void unknownUser() {
		assertPage(get("/users/0"), 404);
	}

	@Test
	@DisplayName("API clients still get a user as JSON")
	void json() throws Exception {
		String user = submit(token(), "hachiro").join().headers().firstValue("Location").orElseThrow();
		assertThat(server.get(user).body()).contains("\"userName\":\"hachiro\"");
	}

	private static void assertPage(HttpResponse<String> response, int status) {
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");
		assertThat(response.body()).contains("<h1>", "href=\"/style.css\"");
	}

	private static String token() {
		Matcher matcher = TOKEN.matcher(get("/register").body());
		assertThat(matcher.find()).isTrue();
		return matcher.group(1);
	}

	private static HttpResponse<String> get(String path) {
		return send(request(path)).join();
	}

	private static CompletableFuture<HttpResponse<String>> submit(String token, String userName) {
		return submit("token=" + token + "&userName=" + userName);
	}

	private static CompletableFuture<HttpResponse<String>> submit(String form) {
		return send(request("/register").header("Content-Type", "application/x-www-form-urlencoded")
			.POST(HttpRequest.BodyPublishers.ofString(form)));
	}

	private static HttpRequest.Builder request(String path) {
		String port = server.context().getEnvironment().getProperty("local.server.port");
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
			.header("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
	}

	private static CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder request) {
		return browser.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
	}

}
