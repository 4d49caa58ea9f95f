package io.github.lockstarter.web.servlet;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

class ConflictWriterTests {

	private static final LockKey KEY = new LockKey("hot", "key");

	/** How often the exception handling has asked for the words of an answer. */
	private static final AtomicInteger worded = new AtomicInteger();

	/** How often something of the application has seen a conflict or its answer. */
	private static final AtomicInteger seen = new AtomicInteger();

	@ParameterizedTest
	@ValueSource(strings = { "/body", "/entity", "/nothing", "/stage", "/view", "/task" })
	@DisplayName("The first refusal takes the way of an exception; the same answer is ready for those that follow, but for the time")
	void prepared(String path) throws Exception {
		try (TestServer server = start()) {
			List<HttpResponse<String>> first = refused(server, path, 1);
			assertThat(worded.getAndSet(0)).isPositive();
			List<HttpResponse<String>> answers = Stream.concat(first.stream(), refused(server, path, 3).stream())
				.toList();
			assertThat(worded).hasValue(0);
			assertThat(answers).allSatisfy((answer) -> {
				assertThat(answer.statusCode()).isEqualTo(409);
				assertThat(answer.headers().map()).containsEntry("Cache-Control", List.of("no-store"))
					.containsEntry("Content-Type", List.of("application/problem+json"));
				assertThat(answer.headers().firstValue("Retry-After").orElseThrow()).matches("2\\d|30");
			});
			assertThat(answers.stream().map(ConflictWriterTests::withoutTime).distinct()).hasSize(1);
			assertThat(answers.get(3).body()).contains("\"instance\":\"%s\"".formatted(path))
				.containsPattern("\"retryAfterMillis\":(2\\d{4}|30000)\\b");
		}
	}

	@Test
	@DisplayName("Each language, and each kind of client, has an answer of its own")
	void kinds() throws Exception {
		try (TestServer server = start()) {
			for (int i = 0; i < 3; i++) {
				worded.set(0);
				assertThat(refused(server, "/body", 1, "Accept-Language", "ja").get(0).body()).contains("処理中");
				assertThat(refused(server, "/body", 1, "Accept-Language", "en").get(0).body())
					.contains("Request already in progress");
				assertThat(refused(server, "/body", 1, "Accept", "application/json").get(0).body())
					.contains("Request already in progress");
			}
			assertThat(worded).hasValue(0);
		}
	}

	@Test
	@DisplayName("A controller's own handler of the exception is called each time")
	void ownHandler() throws Exception {
		try (TestServer server = start()) {
			assertThat(refused(server, "/own", 3)).extracting(HttpResponse::body).containsOnly("own");
		}
	}

	@Test
	@DisplayName("A browser gets the application's error page each time")
	void browser() throws Exception {
		try (TestServer server = start()) {
			assertThat(refused(server, "/body", 3, "Accept", "text/html"))
				.allSatisfy((answer) -> assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
					.startsWith("text/html"));
		}
	}

	@Test
	@DisplayName("A refusal of a full queue has an answer of its own")
	void fullQueue() throws Exception {
		try (TestServer server = start(Nothing.class, "lock.max-waiters=1")) {
			LockRegistry registry = server.context().getBean(LockRegistry.class);
			CompletableFuture<HttpResponse<String>> waiter;
			try (Lease lease = registry.acquire(KEY, LockOptions.of(Duration.ofSeconds(30)))) {
				waiter = server.postAsync("/waits");
				LockInspector locks = server.context().getBean(LockInspector.class);
				Awaitility.await().until(() -> locks.waiters(KEY.name()) == 1);
				assertThat(server.post("/waits").body()).contains("/problems/wait-queue-full");
				worded.set(0);
				assertThat(server.post("/waits").body()).contains("/problems/wait-queue-full");
				assertThat(worded).hasValue(0);
				assertThat(lease.isHeld()).isTrue();
			}
			assertThat(waiter.join().statusCode()).isEqualTo(200);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnHandler.class, OwnResolver.class, OwnBodyAdvice.class, OwnInterceptor.class,
			OwnErrorInterceptor.class, OwnAspect.class, OwnFilter.class })
	@DisplayName("Whatever an application has that sees conflicts or changes answers sees each of them")
	void observed(Class<?> observer) throws Exception {
		try (TestServer server = start(observer)) {
			refused(server, "/body", 4);
			// The client may have its answer before the request has ended.
			Awaitility.await().untilAsserted(() -> assertThat(seen).hasValue(4));
		}
	}

	@Test
	@DisplayName("An interceptor is not called after a handler that was refused")
	void notHandled() throws Exception {
		try (TestServer server = start(AfterHandlers.class)) {
			refused(server, "/body", 3);
			assertThat(seen).hasValue(0);
			server.post("/body");
			Awaitility.await().untilAsserted(() -> assertThat(seen).hasValue(1));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/number", "/created", "/session" })
	@DisplayName("A handler that Spring MVC would not leave at that is refused by an exception each time")
	void thrown(String path) throws Exception {
		try (TestServer server = start()) {
			refused(server, path, 1);
			int once = worded.getAndSet(0);
			List<HttpResponse<String>> answers = refused(server, path, 2);
			assertThat(answers).allSatisfy((answer) -> {
				assertThat(answer.statusCode()).isEqualTo(409);
				assertThat(answer.headers().map()).doesNotContainKey("Set-Cookie");
			});
			assertThat(once).isPositive();
			assertThat(worded).hasValue(2 * once);
		}
	}

	private static String withoutTime(HttpResponse<String> answer) {
		return answer.body().replaceAll("\\d{4,}", "");
	}

	private static TestServer start() {
		return start(Nothing.class);
	}

	private static TestServer start(Class<?> more, String... properties) {
		worded.set(0);
		seen.set(0);
		String[] all = Stream.concat(Stream.of("lock.store=memory"), Stream.of(properties)).toArray(String[]::new);
		return TestServer.start(new Class<?>[] { TestServer.Application.class, Words.class, Bodies.class, Views.class,
				Sessions.class, OwnAnswers.class, more }, all);
	}

	/** Asks while the lock is held. */
	private static List<HttpResponse<String>> refused(TestServer server, String path, int times, String... headers)
			throws Exception {
		LockRegistry registry = server.context().getBean(LockRegistry.class);
		try (Lease lease = registry.acquire(KEY, LockOptions.of(Duration.ofSeconds(30)))) {
			assertThat(lease.isHeld()).isTrue();
			return IntStream.range(0, times).mapToObj((i) -> post(server, path, headers)).toList();
		}
	}

	private static HttpResponse<String> post(TestServer server, String path, String... headers) {
		try {
			return server.post(path, headers);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Nothing {

	}

	/** Counts the answers that are made anew. */
	@Configuration(proxyBeanMethods = false)
	static class Words {

		@Bean
		MessageSource messageSource() {
			return new StaticMessageSource() {

				@Override
				protected @Nullable String resolveCodeWithoutArguments(String code, Locale locale) {
					if (code.startsWith("problemDetail.title.lock.")) {
						worded.incrementAndGet();
					}
					return null;
				}

			};
		}

	}

	@RestController
	static class Bodies {

		@PostMapping("/body")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String body() {
			return "ran";
		}

		@PostMapping("/entity")
		@ExclusiveRequest(name = "hot", key = "'key'")
		ResponseEntity<String> entity(@RequestParam(required = false) String any) {
			return ResponseEntity.ok("ran");
		}

		@PostMapping("/nothing")
		@ExclusiveRequest(name = "hot", key = "'key'")
		void nothing(HttpServletResponse response) {
			response.setStatus(200);
		}

		@PostMapping("/stage")
		@ExclusiveRequest(name = "hot", key = "'key'")
		CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("ran");
		}

		@PostMapping("/task")
		@ExclusiveRequest(name = "hot", key = "'key'")
		Callable<String> task() {
			return () -> "ran";
		}

		@PostMapping("/waits")
		@ExclusiveRequest(name = "hot", key = "'key'", waitTime = "30s")
		String waits() {
			return "ran";
		}

		@PostMapping("/number")
		@ExclusiveRequest(name = "hot", key = "'key'")
		int number() {
			return 1;
		}

		@PostMapping("/created")
		@ResponseStatus(HttpStatus.CREATED)
		@ExclusiveRequest(name = "hot", key = "'key'")
		String created() {
			return "ran";
		}

	}

	@Controller
	static class Views {

		@PostMapping("/view")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String view(Model model) {
			return "view";
		}

	}

	@Controller
	@SessionAttributes("form")
	static class Sessions {

		@ModelAttribute("form")
		String form() {
			return "form";
		}

		@PostMapping("/session")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String view(@ModelAttribute("form") String form) {
			return "view";
		}

	}

	@RestController
	static class OwnAnswers {

		@PostMapping("/own")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String own() {
			return "ran";
		}

		@ExceptionHandler
		ResponseEntity<String> handle(LockConflictException conflict) {
			return ResponseEntity.status(418).body("own");
		}

	}

	@RestControllerAdvice
	static class OwnHandler {

		@ExceptionHandler
		ResponseEntity<String> handle(LockConflictException conflict) {
			seen.incrementAndGet();
			return ResponseEntity.status(409).body("own");
		}

	}

	static class OwnResolver implements HandlerExceptionResolver, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
				@Nullable Object handler, Exception exception) {
			seen.addAndGet((exception instanceof LockConflictException) ? 1 : 0);
			return null;
		}

	}

	@RestControllerAdvice
	static class OwnBodyAdvice implements ResponseBodyAdvice<ProblemDetail> {

		@Override
		public boolean supports(MethodParameter type, Class<? extends HttpMessageConverter<?>> converter) {
			return true;
		}

		@Override
		public @Nullable ProblemDetail beforeBodyWrite(@Nullable ProblemDetail body, MethodParameter type,
				MediaType contentType, Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
				ServerHttpResponse response) {
			seen.incrementAndGet();
			return body;
		}

	}

	static class OwnInterceptor implements WebMvcConfigurer {

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
						@Nullable Exception failure) {
					seen.incrementAndGet();
				}

			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnFilter {

		@Bean
		Filter exceptionFilter() {
			return (request, response, chain) -> {
				chain.doFilter(request, response);
				Object exception = request.getAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE);
				seen.addAndGet((exception instanceof LockConflictException) ? 1 : 0);
			};
		}

	}

	static class AfterHandlers implements WebMvcConfigurer {

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
						@Nullable ModelAndView view) {
					seen.incrementAndGet();
				}

			});
		}

	}

	static class OwnErrorInterceptor implements WebMvcConfigurer {

		@Override
		public void addErrorResponseInterceptors(List<ErrorResponse.Interceptor> interceptors) {
			interceptors.add((detail, error) -> seen.incrementAndGet());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnAspect {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor countingAdvisor() {
			MethodInterceptor counting = (invocation) -> {
				try {
					return invocation.proceed();
				}
				catch (LockConflictException ex) {
					seen.incrementAndGet();
					throw ex;
				}
			};
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					AnnotationMatchingPointcut.forMethodAnnotation(ExclusiveRequest.class), counting);
			advisor.setOrder(0);
			return advisor;
		}

	}

}
