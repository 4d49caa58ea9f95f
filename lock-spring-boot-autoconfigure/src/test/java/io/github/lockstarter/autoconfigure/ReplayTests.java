package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Repeated requests, in both web stacks.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReplayTests {

	private static final String REPLAYED = "Idempotent-Replayed";

	@Parameter
	String type;

	private TestServer server;

	private Runs runs;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		Class<?> principals = this.type.equals("servlet") ? ReplayHandlers.ServletPrincipals.class
				: ReplayHandlers.ReactivePrincipals.class;
		List<String> properties = new ArrayList<>(List.of(TestRedis.properties()));
		properties.addAll(List.of("spring.main.web-application-type=" + this.type, "lock.share.max-size=1KB",
				"lock.redis.key-prefix=" + prefix()));
		this.server = TestServer.start(
				new Class<?>[] { TestServer.Application.class, Runs.class, ReplayHandlers.class, principals },
				properties.toArray(String[]::new));
		this.runs = this.server.context().getBean(Runs.class);
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.server.close();
	}

	@BeforeEach
	void newKey() {
		this.key = UUID.randomUUID().toString();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/orders", "/immediate", "/all", "/nothing", "/waiting", "/not-readable" })
	@DisplayName("A duplicate gets the stored response, and the method does not run again")
	void replays(String path) throws Exception {
		finish(1);
		HttpResponse<String> first = post(path);
		assertThat(first.statusCode()).isBetween(200, 299);
		assertThat(first.headers().firstValue(REPLAYED)).isEmpty();
		for (int i = 0; i < 2; i++) {
			HttpResponse<String> again = post(path);
			assertThat(again.headers().allValues(REPLAYED)).containsExactly("true");
			assertThat(again.statusCode()).isEqualTo(first.statusCode());
			assertThat(again.body()).isEqualTo(first.body());
			for (String header : new String[] { "Location", "ETag", "Link", "Content-Type" }) {
				assertThat(again.headers().allValues(header)).isEqualTo(first.headers().allValues(header));
			}
			assertThat(again.headers().map()).doesNotContainKeys("set-cookie", "x-other");
		}
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@Test
	@DisplayName("A request with another key runs, and replays are counted by lock name")
	void otherKey() throws Exception {
		finish(1);
		finish(2);
		long replayed = counts().get("orders", Event.REPLAYED);
		assertThat(post("/orders").body()).isEqualTo("done 1");
		assertThat(post("/orders").body()).isEqualTo("done 1");
		assertThat(counts().get("orders", Event.REPLAYED) - replayed).isEqualTo(1);
		HttpResponse<String> other = this.server.post("/orders?run=" + this.key, ReplayHandlers.KEY,
				this.key + "-other");
		assertThat(other.body()).isEqualTo("done 2");
		assertThat(other.headers().firstValue(REPLAYED)).isEmpty();
	}

	@Test
	@DisplayName("The same key with different arguments gets status 422, without the stored result")
	void mismatch() throws Exception {
		finish(1);
		assertThat(post("/orders").statusCode()).isEqualTo(201);
		HttpResponse<String> other = this.server.post("/orders?run=other", ReplayHandlers.KEY, this.key);
		assertThat(other.statusCode()).isEqualTo(422);
		assertThat(other.body()).contains("/payload-mismatch").doesNotContain("done", this.key);
		assertThat(other.headers().map()).doesNotContainKeys("idempotent-replayed", "location");
		assertThat(other.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(this.runs.count("other")).isZero();
		assertThat(post("/orders").body()).isEqualTo("done 1");
	}

	@Test
	@DisplayName("A request without a key gets status 400")
	void withoutKey() throws Exception {
		HttpResponse<String> response = this.server.post("/orders?run=" + this.key);
		assertThat(response.statusCode()).isEqualTo(400);
		assertThat(response.body()).contains("/key-missing");
		assertThat(this.server.post("/orders?run=" + this.key, ReplayHandlers.KEY, " ").statusCode()).isEqualTo(400);
		assertThat(this.runs.count(this.key)).isZero();
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("An invalid key header gets status 400, and the handler does not run")
	void noKey(String problem, List<String> keys) throws Exception {
		String[] lines = keys.stream().map((each) -> "Idempotency-Key: " + each).toArray(String[]::new);
		try (RawRequest request = RawRequest.post(this.server.port(), "/orders?run=" + this.key, lines)) {
			String response = request.readResponse();
			assertThat(response).startsWith("HTTP/1.1 400 ");
			if (!problem.isEmpty()) {
				assertThat(response).contains("/problems/" + problem + "\"").doesNotContain("secret");
			}
		}
		assertThat(this.runs.count(this.key)).isZero();
		assertThat(results()).isEmpty();
	}

	/** Some of these are refused by the server itself. */
	static Stream<Arguments> noKey() {
		return Stream.of(Arguments.of("key-malformed", List.of("\"secret")),
				Arguments.of("key-malformed", List.of("\"secret\";v=1")),
				Arguments.of("key-malformed", List.of("\"secret\", \"b\"")),
				Arguments.of("key-malformed", List.of("a, b")), Arguments.of("key-malformed", List.of("s\u00e9cret")),
				Arguments.of("", List.of("a\0b")), Arguments.of("key-repeated", List.of("secret", "secret")),
				Arguments.of("key-empty", List.of("")), Arguments.of("key-empty", List.of("\"\"")),
				Arguments.of("key-too-long", List.of("k".repeat(256))));
	}

	@Test
	@DisplayName("A quoted key is the same as the unquoted word")
	void quoted() throws Exception {
		finish(1);
		assertThat(post("/orders").statusCode()).isEqualTo(201);
		HttpResponse<String> quoted = this.server.post("/orders?run=" + this.key, ReplayHandlers.KEY,
				'"' + this.key + '"');
		assertThat(quoted.headers().firstValue(REPLAYED)).hasValue("true");
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@Test
	@DisplayName("Without a wait, a duplicate of a running request is rejected at once")
	void stillRunning() throws Exception {
		CompletableFuture<HttpResponse<String>> first = postAsync("/orders", "run=" + this.key);
		this.runs.job(this.key, 1).awaitBegun();
		HttpResponse<String> duplicate = post("/orders");
		assertThat(duplicate.statusCode()).isEqualTo(409);
		assertThat(duplicate.body()).contains("/request-in-progress");
		finish(1);
		assertThat(response(first).statusCode()).isEqualTo(201);
		assertThat(post("/orders").headers().firstValue(REPLAYED)).hasValue("true");
	}

	@Test
	@DisplayName("With a wait, a duplicate of a running request gets its response, and a request with other arguments gets status 422")
	void waits() throws Exception {
		CompletableFuture<HttpResponse<String>> first = postAsync("/waiting", "run=" + this.key);
		this.runs.job(this.key, 1).awaitBegun();
		CompletableFuture<HttpResponse<String>> duplicate = postAsync("/waiting", "run=" + this.key);
		CompletableFuture<HttpResponse<String>> other = postAsync("/waiting", "run=" + this.key + "&text=other");
		Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters(new LockKey("waiting", this.key)) == 2);
		finish(1);
		assertThat(response(first).headers().firstValue(REPLAYED)).isEmpty();
		assertThat(response(duplicate).body()).isEqualTo("done 1").isEqualTo(response(first).body());
		assertThat(response(duplicate).headers().firstValue(REPLAYED)).hasValue("true");
		assertThat(response(other).statusCode()).isEqualTo(422);
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@Test
	@DisplayName("Each principal gets its own result only")
	void principals() throws Exception {
		List<String> users = List.of("taro", "jiro", "");
		for (int i = 1; i <= users.size(); i++) {
			finish(i);
			assertThat(postAs(users.get(i - 1)).body()).isEqualTo("done " + i);
		}
		for (int i = 1; i <= users.size(); i++) {
			HttpResponse<String> again = postAs(users.get(i - 1));
			assertThat(again.body()).isEqualTo("done " + i);
			assertThat(again.headers().firstValue(REPLAYED)).hasValue("true");
		}
		assertThat(this.runs.count(this.key)).isEqualTo(users.size());
	}

	private HttpResponse<String> postAs(String user) throws Exception {
		String[] headers = user.isEmpty() ? new String[] { ReplayHandlers.KEY, this.key }
				: new String[] { ReplayHandlers.KEY, this.key, "X-User", user };
		return this.server.post("/orders?run=" + this.key, headers);
	}

	@Test
	@DisplayName("A failure is not stored, and the next request runs")
	void failure() throws Exception {
		this.runs.job(this.key, 1).fail();
		finish(2);
		assertThat(post("/orders").statusCode()).isEqualTo(500);
		HttpResponse<String> next = post("/orders");
		assertThat(next.body()).isEqualTo("done 2");
		assertThat(next.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(post("/orders").headers().firstValue(REPLAYED)).hasValue("true");
	}

	@Test
	@DisplayName("An unsuccessful response is not stored, and the next request runs")
	void notSuccessful() throws Exception {
		finish(1);
		finish(2);
		assertThat(post("/gone-first").statusCode()).isEqualTo(410);
		HttpResponse<String> next = post("/gone-first");
		assertThat(next.statusCode()).isEqualTo(200);
		assertThat(next.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(post("/gone-first").body()).isEqualTo("done 2");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/large", "/large-flux" })
	@DisplayName("A response that is too large is sent, counted and not stored, and its duplicates are rejected")
	void notStored(String path) throws Exception {
		long before = counts().get("large", Event.TOO_LARGE);
		finish(1);
		HttpResponse<String> first = post(path);
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.body()).contains("done 1");
		assertThat(first.headers().firstValue(REPLAYED)).isEmpty();
		for (int i = 0; i < 2; i++) {
			assertUnavailable(post(path));
		}
		assertThat(counts().get("large", Event.TOO_LARGE) - before).isEqualTo(1);
		assertThat(this.runs.count(this.key)).isEqualTo(1);
		HttpResponse<String> other = this.server.post(path + "?run=other", ReplayHandlers.KEY, this.key);
		assertThat(other.statusCode()).isEqualTo(422);
	}

	private static void assertUnavailable(HttpResponse<String> rejected) {
		assertThat(rejected.statusCode()).isEqualTo(409);
		assertThat(rejected.body()).contains("/problems/result-unavailable\"");
		assertThat(rejected.headers().map()).doesNotContainKeys("idempotent-replayed", "retry-after");
		assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "garbage", "{}\n{}", "null\nnull" })
	@DisplayName("Duplicates of a request whose stored response cannot be read are rejected and counted, until it expires")
	void notReadable(String garbage) throws Exception {
		finish(1);
		finish(2);
		long before = counts().get("orders", Event.NOT_READABLE);
		assertThat(post("/orders").body()).isEqualTo("done 1");
		assertThat(results()).singleElement().satisfies((result) -> redis().opsForValue().set(result, garbage));
		assertUnavailable(post("/orders"));
		assertThat(counts().get("orders", Event.NOT_READABLE) - before).isEqualTo(1);
		assertThat(this.runs.count(this.key)).isEqualTo(1);
		redis().delete(results());
		HttpResponse<String> next = post("/orders");
		assertThat(next.body()).isEqualTo("done 2");
		assertThat(next.headers().firstValue(REPLAYED)).isEmpty();
		HttpResponse<String> again = post("/orders");
		assertThat(again.body()).isEqualTo("done 2");
		assertThat(again.headers().firstValue(REPLAYED)).hasValue("true");
		assertThat(results()).singleElement().satisfies((result) -> assertThat(redis().getExpire(result)).isPositive());
	}

	@Test
	@DisplayName("A waiting duplicate that receives an unreadable response is rejected")
	void notReadableWhileWaiting() throws Exception {
		StoredLock lock = this.server.context().getBean(LockStore.class).lock(new LockKey("waiting", this.key));
		finish(1);
		assertThat(post("/waiting").body()).isEqualTo("done 1");
		String result = results().iterator().next();
		redis().delete(result);
		lock.acquire(AcquireCommand.of("other version", Duration.ofSeconds(30))).toCompletableFuture().join();
		long before = counts().get("waiting", Event.NOT_READABLE);
		long contended = counts().get("waiting", Event.CONTENDED);
		CompletableFuture<HttpResponse<String>> duplicate = postAsync("/waiting", "run=" + this.key);
		Awaitility.await().until(() -> counts().get("waiting", Event.CONTENDED) > contended);
		redis().opsForValue().set(result, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + " 1000 garbage");
		lock.release("other version", null).toCompletableFuture().join();
		assertUnavailable(response(duplicate));
		assertThat(counts().get("waiting", Event.NOT_READABLE) - before).isEqualTo(1);
	}

	private Set<String> results() {
		return redis().keys(prefix() + ":result:*" + this.key);
	}

	private StringRedisTemplate redis() {
		return this.server.context().getBean(StringRedisTemplate.class);
	}

	private String prefix() {
		return "replay-" + this.type;
	}

	private LockCounts counts() {
		return this.server.context().getBean(LockCounts.class);
	}

	private void finish(int run) {
		this.runs.job(this.key, run).finish();
	}

	private HttpResponse<String> post(String path) throws Exception {
		return response(postAsync(path, "run=" + this.key));
	}

	private CompletableFuture<HttpResponse<String>> postAsync(String path, String query) {
		return this.server.postAsync(path + "?" + query, ReplayHandlers.KEY, this.key);
	}

	private static HttpResponse<String> response(CompletableFuture<HttpResponse<String>> request) throws Exception {
		return request.get(10, TimeUnit.SECONDS);
	}

}
