package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.entry.LockSnapshot;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers and views that include other handlers or forward to them, in a real container.
 * The end of a nested dispatch ends no lease of the request.
 */
@Timeout(120)
class NestedDispatchTests {

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private static final LockKey OUTER = LockKey.of("outer");

	private static final LockKey INNER = LockKey.of("inner");

	@ParameterizedTest
	@CsvSource({ "include, /plain", "include, /annotated", "include, /same-lock", "include, /same-lock-waiting",
			"include, /failing", "include, /page.txt", "forward, /plain", "forward, /annotated", "forward, /same-lock",
			"forward, /failing", "forward, /page.txt", "forward, /callable" })
	@DisplayName("With release-on=response, a lock is held after a nested dispatch of its handler, and free after the response")
	void inHandler(String kind, String path) throws Exception {
		TestServer server = server("lock.web.release-on=response");
		Pages pages = server.context().getBean(Pages.class);
		HttpResponse<String> response = server.send("GET", "/outer/" + kind, "path", path);
		// A forward ends the response.
		Awaitility.await().until(() -> !pages.afterNested().isEmpty());
		assertThat(pages.afterNested()).allMatch((held) -> held.contains(OUTER));
		assertThat(response.statusCode()).isEqualTo(200);
		assertNothingHeld(server);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/plain", "/annotated", "/same-lock", "/same-lock-waiting", "/page.txt" })
	@DisplayName("With release-on=response, a lock is held after a nested dispatch of the view, and free after the response")
	void inView(String path) throws Exception {
		TestServer server = server("lock.web.release-on=response");
		Pages pages = server.context().getBean(Pages.class);
		HttpResponse<String> response = server.send("GET", "/view", "path", path);
		assertThat(pages.afterNested()).hasSize(1).allMatch((held) -> held.contains(OUTER));
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.body()).startsWith("before,").endsWith(",after");
		assertNothingHeld(server);
	}

	@Test
	@DisplayName("With release-on=response, the lock of an included handler is held until the end of the whole response")
	void lockOfIncluded() throws Exception {
		TestServer server = server("lock.web.release-on=response");
		Pages pages = server.context().getBean(Pages.class);
		assertThat(server.send("GET", "/unlocked/include", "path", "/annotated").statusCode()).isEqualTo(200);
		assertThat(pages.afterNested()).containsExactly(List.of(INNER));
		assertNothingHeld(server);
	}

	@ParameterizedTest
	@ValueSource(strings = { "thread", "suspended" })
	@DisplayName("An included handler that waits for its lock keeps the thread, and the outer handler is called once")
	void includedWaits(String waiting) throws Exception {
		TestServer server = server("lock.web.waiting=" + waiting);
		Pages pages = server.context().getBean(Pages.class);
		LockInspector locks = server.context().getBean(LockInspector.class);
		Lease elsewhere = server.context().getBean(LockRegistry.class).acquire("inner");
		CompletableFuture<HttpResponse<String>> response = server.postAsync("/outer/include", "path",
				"/annotated-waiting");
		// Longer than a handler waits on its thread if it can be suspended.
		Awaitility.await()
			.until(() -> locks.snapshot()
				.stream()
				.filter((lock) -> lock.key().equals(INNER))
				.flatMap((lock) -> lock.waiting().stream())
				.anyMatch((waiter) -> waiter.age().compareTo(Duration.ofMillis(200)) > 0));
		assertThat(response).isNotDone();
		elsewhere.close();
		assertThat(response.get().body()).isEqualTo("annotated");
		assertThat(pages.afterNested()).containsExactly(List.of(OUTER));
		assertNothingHeld(server);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/plain", "/annotated", "/kept-lock", "/kept-lock-waiting", "/page.txt" })
	@DisplayName("A response that is kept for duplicates is kept although the view has included another handler, and the lock is held until then")
	void keptResponse(String path) throws Exception {
		TestServer server = server();
		Pages pages = server.context().getBean(Pages.class);
		String[] headers = { "path", path, "order", path };
		HttpResponse<String> first = server.send("GET", "/kept", headers);
		assertThat(first.statusCode()).isEqualTo(302);
		assertThat(pages.afterNested()).hasSize(1)
			.allMatch((held) -> held.stream().anyMatch((key) -> key.name().equals("kept")));
		HttpResponse<String> second = server.send("GET", "/kept", headers);
		assertThat(second.statusCode()).isEqualTo(302);
		assertThat(first.headers().firstValue("Location")).hasValue("http://127.0.0.1:" + server.port() + "/done");
		assertThat(second.headers().firstValue("Location")).hasValue("/done");
		assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(pages.afterNested()).hasSize(1);
		assertNothingHeld(server);
	}

	@Test
	@DisplayName("A handler that sends an error has ended: its lock is free when the error page is written")
	void errorPage() throws Exception {
		TestServer server = server("lock.web.release-on=response");
		Pages pages = server.context().getBean(Pages.class);
		HttpResponse<String> response = server.get("/outer/error");
		assertThat(response.statusCode()).isEqualTo(418);
		assertThat(pages.whenWritten()).containsExactly(List.of());
		assertNothingHeld(server);
	}

	@ParameterizedTest
	@CsvSource({ "/outer/error, view, 418", "/outer/exception, view, 500", "/outer/error, kept, 418",
			"/kept/exception, view, 500", "/unlocked/error, view, 418" })
	@DisplayName("With release-on=response, the lock of an error page is held until the page is written")
	void lockOfErrorPage(String path, String errorPage, int status) throws Exception {
		TestServer server = server("lock.web.release-on=response");
		Pages pages = server.context().getBean(Pages.class);
		HttpResponse<String> response = server.send("GET", path, "Error-Page", errorPage);
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.body()).isEqualTo("error");
		assertThat(pages.whenWritten())
			.satisfiesExactly((held) -> assertThat(held).extracting(LockKey::name).containsExactly("inner"));
		assertNothingHeld(server);
	}

	@ParameterizedTest
	@ValueSource(strings = { "thread", "suspended" })
	@DisplayName("An error page waits for its lock, and is written under it")
	void errorPageWaits(String waiting) throws Exception {
		TestServer server = server("lock.web.release-on=response", "lock.web.waiting=" + waiting);
		Pages pages = server.context().getBean(Pages.class);
		LockInspector locks = server.context().getBean(LockInspector.class);
		Lease elsewhere = server.context().getBean(LockRegistry.class).acquire("inner");
		CompletableFuture<HttpResponse<String>> response = server.postAsync("/outer/error", "Error-Page", "waiting");
		Awaitility.await().until(() -> locks.snapshot().stream().anyMatch((lock) -> !lock.waiting().isEmpty()));
		elsewhere.close();
		assertThat(response.get().statusCode()).isEqualTo(418);
		assertThat(pages.whenWritten()).containsExactly(List.of(INNER));
		assertNothingHeld(server);
	}

	@ParameterizedTest
	@CsvSource({ "filter, /suspended/early, 403", "filter, /suspended/late, 403", "interceptor, /suspended/early, 429",
			"interceptor, /suspended/late, 429", "filter, /suspended/future, 403",
			"interceptor, /suspended/future, 429" })
	@DisplayName("A suspended request that a filter or an interceptor rejects after its wait gets the error page, and holds no lock")
	void rejectedAfterWait(String by, String path, int status) throws Exception {
		TestServer server = server("lock.web.waiting=suspended");
		Pages pages = server.context().getBean(Pages.class);
		LockInspector locks = server.context().getBean(LockInspector.class);
		Lease elsewhere = server.context()
			.getBean(LockRegistry.class)
			.acquire(path.endsWith("late") ? "outer:1" : "outer");
		CompletableFuture<HttpResponse<String>> response = server.postAsync(path + "?key=1", "Rejected-By", by);
		Awaitility.await().until(() -> locks.snapshot().stream().anyMatch((lock) -> !lock.waiting().isEmpty()));
		elsewhere.close();
		assertThat(response.get().statusCode()).isEqualTo(status);
		assertThat(response.get().body()).isEqualTo("error");
		assertThat(pages.whenWritten()).hasSize(1);
		assertNothingHeld(server);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/suspended/early", "/suspended/late", "/suspended/future" })
	@DisplayName("A suspended request that a filter forwards to another handler after its wait gets the response of that one, and holds no lock")
	void forwardedAfterWait(String path) throws Exception {
		TestServer server = server("lock.web.waiting=suspended");
		LockInspector locks = server.context().getBean(LockInspector.class);
		Lease elsewhere = server.context()
			.getBean(LockRegistry.class)
			.acquire(path.endsWith("late") ? "outer:1" : "outer");
		CompletableFuture<HttpResponse<String>> response = server.postAsync(path + "?key=1", "Rejected-By", "forward");
		Awaitility.await().until(() -> locks.snapshot().stream().anyMatch((lock) -> !lock.waiting().isEmpty()));
		elsewhere.close();
		assertThat(response.get().body()).isEqualTo("annotated");
		assertNothingHeld(server);
	}

	@Test
	@DisplayName("An error page to which a filter forwards, as in a WAR, keeps its thread")
	void errorPageInWar() throws Exception {
		TestServer server = server("lock.web.waiting=suspended");
		Pages pages = server.context().getBean(Pages.class);
		LockInspector locks = server.context().getBean(LockInspector.class);
		Lease elsewhere = server.context().getBean(LockRegistry.class).acquire("inner");
		CompletableFuture<HttpResponse<String>> response = server.postAsync("/outer/silent", "Error-Page", "waiting",
				"Rejected-By", "war");
		Awaitility.await().until(() -> locks.snapshot().stream().anyMatch((lock) -> !lock.waiting().isEmpty()));
		elsewhere.close();
		assertThat(response.get().statusCode()).isEqualTo(418);
		assertThat(response.get().body()).isEqualTo("error");
		assertThat(pages.whenWritten()).hasSize(1);
		assertNothingHeld(server);
	}

	@Test
	@DisplayName("With release-on=response, a handler to which a filter forwards the request afterwards holds its lock until the response")
	void forwardedAfterwards() throws Exception {
		try (TestServer server = TestServer.start(
				new Class<?>[] { TestServer.Application.class, Pages.class, ForwardingFilter.class },
				"spring.main.web-application-type=servlet", "lock.store=memory", "lock.web.release-on=response")) {
			Pages pages = server.context().getBean(Pages.class);
			assertThat(server.get("/outer/silent").body()).isEqualTo("error");
			assertThat(pages.whenWritten()).containsExactly(List.of(INNER));
			assertNothingHeld(server);
		}
	}

	@Test
	@DisplayName("A handler of WebFlux that calls the dispatcher again keeps its lock until the end of the response")
	void reactive() throws Exception {
		try (TestServer server = TestServer.start(new Class<?>[] { TestServer.Application.class, ReactivePages.class },
				"spring.main.web-application-type=reactive", "lock.store=memory", "lock.web.release-on=response")) {
			ReactivePages pages = server.context().getBean(ReactivePages.class);
			assertThat(server.get("/outer").body()).isEqualTo("inner");
			Awaitility.await().until(() -> !pages.afterNested().isEmpty());
			assertThat(pages.afterNested()).hasSize(1).allMatch((held) -> held.contains(OUTER));
			assertNothingHeld(server);
		}
	}

	private static void assertNothingHeld(TestServer server) {
		LockInspector locks = server.context().getBean(LockInspector.class);
		Awaitility.await().until(() -> locks.snapshot().isEmpty());
	}

	/**
	 * Returns the application with the properties, whose pages have recorded nothing yet.
	 */
	private static TestServer server(String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("spring.main.web-application-type=servlet");
		all.add("lock.store=memory");
		TestServer server = servers.get(new Class<?>[] { TestServer.Application.class, Pages.class, Rejections.class },
				all.toArray(String[]::new));
		Pages pages = server.context().getBean(Pages.class);
		pages.afterNested().clear();
		pages.whenWritten().clear();
		return server;
	}

	private static List<LockKey> held(LockInspector locks) {
		return locks.snapshot().stream().filter((lock) -> lock.held() != null).map(LockSnapshot::key).toList();
	}

	@Controller
	static class Pages implements ErrorController {

		/** The locks that are held after each nested dispatch. */
		private final List<List<LockKey>> afterNested = new CopyOnWriteArrayList<>();

		/** The locks that are held when a page is written. */
		private final List<List<LockKey>> whenWritten = new CopyOnWriteArrayList<>();

		private final LockInspector locks;

		Pages(LockInspector locks) {
			this.locks = locks;
		}

		public List<List<LockKey>> afterNested() {
			return this.afterNested;
		}

		public List<List<LockKey>> whenWritten() {
			return this.whenWritten;
		}

		private void dispatch(String kind, HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			String path = request.getHeader("path");
			if (kind.equals("include")) {
				request.getRequestDispatcher(path).include(request, response);
			}
			else {
				request.getRequestDispatcher(path).forward(request, response);
			}
			this.afterNested.add(held(this.locks));
		}

		@RequestMapping("/outer/include")
		@ExclusiveRequest(name = "outer")
		public void include(HttpServletRequest request, HttpServletResponse response) throws Exception {
			dispatch("include", request, response);
		}

		@GetMapping("/outer/forward")
		@ExclusiveRequest(name = "outer")
		public void forward(HttpServletRequest request, HttpServletResponse response) throws Exception {
			dispatch("forward", request, response);
		}

		@GetMapping("/unlocked/include")
		public void unlocked(HttpServletRequest request, HttpServletResponse response) throws Exception {
			dispatch("include", request, response);
		}

		@RequestMapping("/outer/error")
		@ExclusiveRequest(name = "outer")
		public void error(HttpServletResponse response) throws IOException {
			response.sendError(418);
		}

		@GetMapping("/view")
		@ExclusiveRequest(name = "outer")
		public View view() {
			return this::render;
		}

		@GetMapping("/kept")
		@ExclusiveRequest(name = "kept", key = "header('order')", replay = "1h")
		public View kept() {
			return (model, request, response) -> {
				dispatch("include", request, response);
				response.sendRedirect("/done");
			};
		}

		private void render(@Nullable Map<String, ?> model, HttpServletRequest request, HttpServletResponse response)
				throws Exception {
			response.setContentType("text/plain");
			response.getOutputStream().print("before,");
			dispatch("include", request, response);
			response.getOutputStream().print(",after");
		}

		@RequestMapping("/plain")
		@ResponseBody
		public String plain() {
			return "plain";
		}

		@RequestMapping("/annotated")
		@ResponseBody
		@ExclusiveRequest(name = "inner")
		public String annotated() {
			return "annotated";
		}

		@RequestMapping("/annotated-waiting")
		@ResponseBody
		@ExclusiveRequest(name = "inner", waitTime = "1m")
		public String annotatedWaiting() {
			return "annotated";
		}

		@RequestMapping("/same-lock")
		@ResponseBody
		@ExclusiveRequest(name = "outer")
		public String sameLock() {
			return "same";
		}

		@RequestMapping("/same-lock-waiting")
		@ResponseBody
		@ExclusiveRequest(name = "outer", waitTime = "1m")
		public String sameLockWaiting() {
			return "same";
		}

		@RequestMapping("/kept-lock")
		@ResponseBody
		@ExclusiveRequest(name = "kept", key = "header('order')")
		public String keptLock() {
			return "same";
		}

		@RequestMapping("/kept-lock-waiting")
		@ResponseBody
		@ExclusiveRequest(name = "kept", key = "header('order')", waitTime = "1m")
		public String keptLockWaiting() {
			return "same";
		}

		@RequestMapping("/callable")
		@ResponseBody
		@ExclusiveRequest(name = "inner")
		public Callable<String> callable() {
			return () -> "callable";
		}

		@RequestMapping("/failing")
		@ResponseBody
		public String failing() {
			throw new IllegalStateException("on purpose");
		}

		@ExceptionHandler
		@ResponseBody
		public String failed(IllegalStateException failure) {
			return "failed";
		}

		@GetMapping("/unlocked/error")
		public void unlockedError(HttpServletResponse response) throws IOException {
			response.sendError(418);
		}

		@PostMapping("/suspended/early")
		@ResponseBody
		@ExclusiveRequest(name = "outer", waitTime = "1m")
		public String suspendedEarly(@RequestParam String key) {
			return "never";
		}

		@PostMapping("/suspended/late")
		@ResponseBody
		@ExclusiveRequest(name = "outer", key = "#locale.toString().isEmpty() ? '2' : '1'", waitTime = "1m")
		public String suspendedLate(Locale locale) {
			return "never";
		}

		@PostMapping("/suspended/future")
		@ResponseBody
		@ExclusiveRequest(name = "outer", waitTime = "1m")
		public CompletableFuture<String> suspendedFuture(@RequestParam String key) {
			return CompletableFuture.completedFuture("never");
		}

		@RequestMapping("/outer/silent")
		@ExclusiveRequest(name = "outer")
		public void silent(HttpServletResponse response) {
		}

		@GetMapping("/outer/exception")
		@ExclusiveRequest(name = "outer")
		public void exception() {
			throw new IllegalArgumentException("on purpose");
		}

		@GetMapping("/kept/exception")
		@ExclusiveRequest(name = "kept", key = "'1'", replay = "1h")
		public View keptException() {
			return (model, request, response) -> {
				throw new IllegalArgumentException("on purpose");
			};
		}

		@RequestMapping(path = "/error", headers = "Error-Page=view")
		@ExclusiveRequest(name = "inner")
		public View lockedErrorPage() {
			return (model, request, response) -> response.getOutputStream().print(errorPage());
		}

		@RequestMapping("/page")
		@ExclusiveRequest(name = "inner")
		public View page() {
			return lockedErrorPage();
		}

		@RequestMapping(path = "/error", headers = "Error-Page=waiting")
		@ExclusiveRequest(name = "inner", waitTime = "1m")
		public View waitingErrorPage() {
			return lockedErrorPage();
		}

		@RequestMapping(path = "/error", headers = "Error-Page=kept")
		@ExclusiveRequest(name = "inner", key = "'1'", replay = "1h")
		public View keptErrorPage() {
			return lockedErrorPage();
		}

		@RequestMapping("/error")
		@ResponseBody
		public String errorPage() {
			this.whenWritten.add(held(this.locks));
			return "error";
		}

	}

	/** Rejects requests in the dispatch that follows their wait. */
	@Configuration(proxyBeanMethods = false)
	static class Rejections implements WebMvcConfigurer {

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
						throws IOException {
					if (request.getDispatcherType() != DispatcherType.ASYNC || !isBy("interceptor", request)) {
						return true;
					}
					response.sendError(429);
					return false;
				}

			});
		}

		@Bean
		FilterRegistrationBean<Filter> rejectingFilter() {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
				if (request.getDispatcherType() == DispatcherType.ASYNC && isBy("filter", request)) {
					((HttpServletResponse) response).sendError(403);
					return;
				}
				if (request.getDispatcherType() == DispatcherType.ASYNC && isBy("forward", request)) {
					request.getRequestDispatcher("/annotated").forward(request, response);
					return;
				}
				chain.doFilter(request, response);
				if (request.getDispatcherType() == DispatcherType.REQUEST && isBy("war", request)) {
					((HttpServletResponse) response).setStatus(418);
					request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, 418);
					request.getRequestDispatcher("/error").forward(request, response);
					response.flushBuffer();
				}
			});
			registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
			return registration;
		}

		private static boolean isBy(String kind, ServletRequest request) {
			return kind.equals(((HttpServletRequest) request).getHeader("Rejected-By"));
		}

	}

	/** Writes the body of a response by another handler. */
	@Component
	static class ForwardingFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			chain.doFilter(request, response);
			request.getRequestDispatcher("/page").forward(request, response);
		}

	}

	@RestController
	static class ReactivePages {

		private final List<List<LockKey>> afterNested = new CopyOnWriteArrayList<>();

		private final LockInspector locks;

		private final ObjectProvider<DispatcherHandler> dispatcher;

		ReactivePages(LockInspector locks, ObjectProvider<DispatcherHandler> dispatcher) {
			this.locks = locks;
			this.dispatcher = dispatcher;
		}

		public List<List<LockKey>> afterNested() {
			return this.afterNested;
		}

		@GetMapping("/outer")
		@ExclusiveRequest(name = "outer")
		public Mono<Void> outer(ServerWebExchange exchange) {
			return this.dispatcher.getObject()
				.handle(exchange.mutate().request((request) -> request.path("/inner")).build())
				.then(Mono.fromRunnable(() -> this.afterNested.add(held(this.locks))));
		}

		@GetMapping("/inner")
		@ExclusiveRequest(name = "inner")
		public Mono<String> inner() {
			return Mono.just("inner");
		}

	}

}
