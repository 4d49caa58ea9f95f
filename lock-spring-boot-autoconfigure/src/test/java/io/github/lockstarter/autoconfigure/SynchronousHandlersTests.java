package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.bind.support.SessionStatus;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.ContentCachingResponseWrapper;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Synchronous handlers of Spring MVC that wait for their lock, on the thread of their
 * request or without a thread.
 */
@Tag("jdk")
class SynchronousHandlersTests {

	private static final String[] HEADERS = { "Accept-Language", "ja-JP", "If-None-Match", "\"1\"" };

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private TestServer server = server("suspended");

	@ParameterizedTest
	@ValueSource(strings = { "/body?key=1", "/entity?key=1", "/status?key=1", "/written?key=1", "/request?key=1",
			"/conditional?key=1", "/form?key=1&amount=2", "/form?key=1&amount=two", "/model?key=1", "/session?key=1",
			"/redirect?key=1", "/failing?key=1", "/no-parameters" })
	@DisplayName("A synchronous handler that waited for its lock responds like one that did not wait")
	void respondsAsUsual(String path) throws Exception {
		assertSameResponse(path, 1);
		this.server = server("thread");
		assertSameResponse(path, 0);
	}

	@ParameterizedTest
	@CsvSource({ "thread, /entity", "suspended, /entity", "suspended, /form?amount=2", "thread, /later",
			"suspended, /early", "thread, /early/later" })
	@DisplayName("Headers that a filter has set before the handler are sent after a wait, too")
	void headersOfFilter(String waiting, String path) throws Exception {
		this.server = server(waiting);
		HttpResponse<String> atOnce = assertSameWithFilter("headers", path);
		assertThat(atOnce.headers().firstValue("Content-Disposition")).hasValue("attachment");
	}

	@ParameterizedTest
	@CsvSource({ "thread, utf16, /japanese", "suspended, utf16, /japanese", "suspended, japan, /japanese",
			"suspended, utf16, /model", "suspended, utf16, /entity", "thread, utf16, /later",
			"thread, japan, /early/later", "suspended, utf16, /early" })
	@DisplayName("The character encoding that a filter has set before the handler is that of the response after a wait, too")
	void encodingOfFilter(String waiting, String filter, String path) throws Exception {
		this.server = server(waiting);
		HttpResponse<String> atOnce = assertSameWithFilter(filter, path);
		if (path.equals("/japanese")) {
			assertThat(atOnce.body()).isEqualTo("日本");
		}
	}

	private HttpResponse<String> assertSameWithFilter(String filter, String path) throws Exception {
		String pathAndKey = path + (path.contains("?") ? "&" : "?") + "key=1";
		String[] headers = { "X-Filter", filter, "Accept-Language", "ja" };
		HttpResponse<String> atOnce = this.server.post(pathAndKey, headers);
		CompletableFuture<HttpResponse<String>> later;
		try (Lease held = this.server.context().getBean(LockRegistry.class).acquire("page:1")) {
			later = this.server.postAsync(pathAndKey, headers);
			Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters() == 1);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(headers(later.join())).isEqualTo(headers(atOnce));
		assertThat(later.join().body()).isEqualTo(atOnce.body());
		return atOnce;
	}

	@ParameterizedTest
	@ValueSource(strings = { "thread", "suspended" })
	@DisplayName("A handler that waited responds with the same bytes through a filter that buffers the response")
	void bufferedResponse(String waiting) throws Exception {
		this.server = server(waiting);
		String atOnce = this.server.post("/body?key=1", "X-Filter", "buffering").body();
		HttpResponse<String> later = contended("/body?key=1", 0, "X-Filter", "buffering");
		assertThat(later.body()).isEqualTo(atOnce).startsWith("body");
		assertThat(later.headers().firstValue("Content-Length")).hasValue(String.valueOf(atOnce.length()));
	}

	@ParameterizedTest
	@CsvSource({ "thread, 0", "suspended, 1" })
	@DisplayName("A handler that waited runs as its caller, whom only the thread of the request knows")
	void runsAsCaller(String waiting, int suspensions) throws Exception {
		this.server = server(waiting);
		assertThat(contended("/caller?key=1", suspensions, "X-Filter", "caller").body()).isEqualTo("taro");
		assertThat(contended("/caller?key=1&path=/included", suspensions, "X-Filter", "caller").body())
			.endsWith("taro");
		CompletableFuture<HttpResponse<String>> including;
		try (Lease held = this.server.context().getBean(LockRegistry.class).acquire("page:1")) {
			including = this.server.postAsync("/caller?key=1&path=/included/later", "X-Filter", "caller");
			Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters() == 1);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(including.join().body()).contains("taro");
		// More than there are threads.
		for (int i = 0; i < 20; i++) {
			assertThat(this.server.post("/caller?key=1").body()).isEqualTo("nobody");
		}
	}

	private void assertSameResponse(String path, int suspensions) throws Exception {
		HttpResponse<String> atOnce = this.server.post(path, HEADERS);
		HttpResponse<String> later = contended(path, suspensions, HEADERS);
		assertThat(later.statusCode()).isEqualTo(atOnce.statusCode());
		assertThat(later.body()).isEqualTo(atOnce.body());
		assertThat(headers(later)).isEqualTo(headers(atOnce));
		this.server.context().getBean(LockRegistry.class).acquire("page:1").close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "method", "response" })
	@DisplayName("A synchronous handler that waited releases its lock as configured")
	void released(String releaseOn) throws Exception {
		this.server = server("suspended", "lock.web.release-on=" + releaseOn);
		assertThat(contended("/body?key=1", 1, HEADERS).statusCode()).isEqualTo(200);
		Awaitility.await()
			.until(() -> this.server.context()
				.getBean(LockRegistry.class)
				.tryAcquire("page:1", Duration.ZERO)
				.isPresent());
	}

	@Test
	@DisplayName("A synchronous handler whose wait times out gets status 409")
	void conflict() throws Exception {
		this.server = server("suspended", "lock.names.page.wait=300ms");
		try (Lease held = this.server.context().getBean(LockRegistry.class).acquire("page:1")) {
			HttpResponse<String> response = this.server.post("/body?key=1");
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.body()).contains("wait-timeout");
			assertThat(suspensions()).hasValue(1);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A handler without parameters that returns a view shows its model after a wait")
	void viewWithoutParameters() throws Exception {
		String atOnce = this.server.post("/view-without-parameters").body();
		assertThat(atOnce).contains("menu");
		assertThat(contended("/view-without-parameters", 1, HEADERS).body()).isEqualTo(atOnce);
	}

	@Test
	@DisplayName("A synchronous handler whose lock is free runs on the thread of its request")
	void free() throws Exception {
		int requests = 20;
		int before = suspensions().get();
		for (int i = 0; i < requests; i++) {
			assertThat(this.server.post("/body?key=1").statusCode()).isEqualTo(200);
		}
		// If the machine pauses, a free lock can appear held.
		assertThat(suspensions()).hasValueLessThan(before + requests);
	}

	@Test
	@DisplayName("A synchronous handler whose lock is free runs although all callback threads are blocked")
	void freeBesideBlockedCallbacks() throws Exception {
		LockRegistry locks = this.server.context().getBean(LockRegistry.class);
		int threads = Runtime.getRuntime().availableProcessors();
		CountDownLatch blocked = new CountDownLatch(threads);
		CompletableFuture<Void> end = new CompletableFuture<>();
		List<CompletableFuture<?>> responses = List.of();
		try {
			for (int i = 0; i < threads; i++) {
				try (Lease held = locks.acquire("blocking:" + i)) {
					locks.acquireAsync(held.key(), locks.options("page")).thenRun(() -> {
						blocked.countDown();
						end.join();
					});
				}
			}
			assertThat(blocked.await(1, TimeUnit.MINUTES)).isTrue();
			// If the machine pauses, a free lock can appear held.
			responses = IntStream.range(0, 10)
				.<CompletableFuture<?>>mapToObj((i) -> this.server.postAsync("/written?key=free-" + i))
				.toList();
			assertThat(CompletableFuture.anyOf(responses.toArray(CompletableFuture[]::new)))
				.succeedsWithin(Duration.ofMinutes(1));
		}
		finally {
			end.complete(null);
			// The next test counts suspensions from here.
			responses.forEach(CompletableFuture::join);
		}
	}

	/** Sends a request while its lock is held, and returns the response. */
	private HttpResponse<String> contended(String path, int suspensions, String... headers) throws Exception {
		int expected = suspensions().get() + suspensions;
		CompletableFuture<HttpResponse<String>> waiting;
		try (Lease held = this.server.context().getBean(LockRegistry.class).acquire("page:1")) {
			waiting = this.server.postAsync(path, headers);
			Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters() == 1);
			Awaitility.await().until(() -> suspensions().get() == expected);
			assertThat(waiting).isNotDone();
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1));
		assertThat(suspensions()).hasValue(expected);
		return waiting.join();
	}

	private AtomicInteger suspensions() {
		return this.server.context().getBean(Suspensions.class).count;
	}

	private static Map<String, Object> headers(HttpResponse<String> response) {
		Map<String, Object> headers = new TreeMap<>(response.headers().map());
		headers.keySet().removeAll(Stream.of("date", "set-cookie").toList());
		headers.computeIfPresent("location", (name, value) -> value.toString().replaceAll("jsessionid=\\w+", ""));
		return headers;
	}

	private static TestServer server(String waiting, String... properties) {
		return servers.get(
				new Class<?>[] { TestServer.Application.class, Pages.class, Bodies.class, Suspensions.class,
						Filters.class, Included.class },
				Stream
					.concat(Stream.of("lock.store=memory", "lock.wait=5m", "lock.web.waiting=" + waiting),
							Stream.of(properties))
					.toArray(String[]::new));
	}

	/** Counts the requests that freed their thread. */
	static class Suspensions extends OncePerRequestFilter {

		private final AtomicInteger count = new AtomicInteger();

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			chain.doFilter(request, response);
			if (request.isAsyncStarted()) {
				this.count.incrementAndGet();
			}
		}

	}

	/** A filter that takes part in the first dispatch only, as most do. */
	static class Filters extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			if (request.getDispatcherType() != DispatcherType.REQUEST) {
				chain.doFilter(request, response);
				return;
			}
			String kind = String.valueOf(request.getHeader("X-Filter"));
			if (kind.equals("buffering")) {
				ContentCachingResponseWrapper buffer = new ContentCachingResponseWrapper(response);
				try {
					chain.doFilter(request, buffer);
				}
				finally {
					buffer.copyBodyToResponse();
				}
				return;
			}
			if (kind.equals("utf16")) {
				response.setCharacterEncoding("UTF-16");
			}
			if (kind.equals("japan")) {
				response.setLocale(Locale.JAPAN);
			}
			if (kind.equals("headers")) {
				response.setHeader("Content-Disposition", "attachment");
				response.setContentType("text/csv");
			}
			if (kind.equals("caller")) {
				SecurityContextHolder.getContext()
					.setAuthentication(new TestingAuthenticationToken("taro", "secret", "USER"));
			}
			try {
				chain.doFilter(request, response);
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		}

	}

	/** Handlers whose return value is the body. */
	@Controller
	@ResponseBody
	@ExclusiveRequest(name = "page", key = "'1'")
	static class Bodies {

		@PostMapping("/body")
		public String body(@RequestParam String key, Locale locale) {
			return "body " + locale;
		}

		@PostMapping("/caller")
		public String caller(@RequestParam String key, @RequestParam @Nullable String path, HttpServletRequest request,
				HttpServletResponse response) throws Exception {
			if (path != null) {
				request.getRequestDispatcher(path).include(request, response);
			}
			Authentication caller = SecurityContextHolder.getContext().getAuthentication();
			return (caller != null) ? caller.getName() : "nobody";
		}

		@PostMapping("/japanese")
		public void japanese(@RequestParam String key, HttpServletResponse response) throws IOException {
			response.setHeader("Content-Type", "text/plain;charset=" + response.getCharacterEncoding());
			response.getWriter().print("日本");
		}

		@PostMapping("/later")
		public CompletableFuture<String> later(@RequestParam String key) {
			return CompletableFuture.completedFuture("later");
		}

		@PostMapping("/early")
		@ExclusiveRequest(name = "page", key = "#key")
		public String early(@RequestParam String key) {
			return "early";
		}

		@PostMapping("/early/later")
		@ExclusiveRequest(name = "page", key = "#key")
		public CompletableFuture<String> earlyLater(@RequestParam String key) {
			return CompletableFuture.completedFuture("later");
		}

		@PostMapping("/entity")
		public ResponseEntity<String> entity(@RequestParam String key,
				@RequestHeader("Accept-Language") String language) {
			return ResponseEntity.accepted().header("X-Language", language).body("entity");
		}

		@PostMapping("/status")
		@ResponseStatus(HttpStatus.CREATED)
		public void status(@RequestParam String key) {
		}

		@PostMapping("/request")
		public String request(@RequestParam String key, WebRequest request) {
			request.setAttribute("set", "by the handler", RequestAttributes.SCOPE_REQUEST);
			return request.getParameter("key") + " " + request.getAttribute("set", RequestAttributes.SCOPE_REQUEST);
		}

		@PostMapping("/no-parameters")
		public String noParameters() {
			return "no parameters";
		}

	}

	@Controller
	static class Included {

		@PostMapping("/included")
		@ResponseBody
		String included() {
			return "";
		}

		@PostMapping("/included/later")
		@ResponseBody
		Callable<String> includedLater() {
			return () -> "";
		}

	}

	/** Handlers that return views, most of which print the whole model. */
	@Controller
	@SessionAttributes("cart")
	static class Pages {

		@ModelAttribute("menu")
		String menu() {
			return "of the day";
		}

		@ModelAttribute("cart")
		String cart() {
			return "empty";
		}

		@PostMapping("/form")
		@ExclusiveRequest(name = "page", key = "#key")
		public View form(@RequestParam String key, @ModelAttribute("order") Order order, BindingResult errors) {
			return Pages::show;
		}

		@PostMapping("/model")
		@ExclusiveRequest(name = "page", key = "#key")
		public View model(@RequestParam String key, Model model) {
			model.addAttribute("key", key);
			return Pages::show;
		}

		@PostMapping("/conditional")
		@ExclusiveRequest(name = "page", key = "#key")
		public @Nullable View conditional(@RequestParam String key, WebRequest request) {
			return request.checkNotModified("1") ? null : Pages::show;
		}

		@PostMapping("/session")
		@ExclusiveRequest(name = "page", key = "#key")
		public View session(@RequestParam String key, SessionStatus status) {
			status.setComplete();
			return Pages::show;
		}

		@PostMapping("/written")
		@ExclusiveRequest(name = "page", key = "#key")
		public void written(@RequestParam String key, HttpServletResponse response) throws IOException {
			response.setHeader("X-Written", "yes");
			response.getWriter().write("written");
		}

		@PostMapping("/redirect")
		@ExclusiveRequest(name = "page", key = "#key")
		public String redirect(@RequestParam String key, RedirectAttributes redirect) {
			redirect.addAttribute("key", key);
			redirect.addFlashAttribute("message", "moved");
			return "redirect:/elsewhere";
		}

		@PostMapping("/failing")
		@ExclusiveRequest(name = "page", key = "#key")
		public String failing(@RequestParam String key) {
			throw new IllegalStateException("failed as asked");
		}

		@PostMapping("/view-without-parameters")
		@ExclusiveRequest(name = "page", key = "'1'")
		public View viewWithoutParameters() {
			return Pages::show;
		}

		@ExceptionHandler
		ResponseEntity<String> handle(IllegalStateException ex) {
			return ResponseEntity.status(HttpStatus.GONE).body(ex.getMessage());
		}

		private static void show(Map<String, ?> model, HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			Map<String, Object> shown = new TreeMap<>(model);
			Object cart = request.getSession().getAttribute("cart");
			response.getWriter().write(shown.toString().replaceAll("@[0-9a-f]+", "") + ", in session: " + cart);
		}

	}

	/** A form object. */
	public static class Order {

		private int amount;

		public void setAmount(int amount) {
			this.amount = amount;
		}

		@Override
		public String toString() {
			return "order of " + this.amount;
		}

	}

}
