package io.github.lockstarter.web.servlet;

import java.io.Writer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.jackson.JacksonComponent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
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
import org.springframework.web.servlet.config.annotation.ContentNegotiationConfigurer;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurationSupport;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;
import io.github.lockstarter.web.RejectedRequests;
import io.github.lockstarter.web.RejectedRequests.CountedResponses;

import static io.github.lockstarter.web.RejectedRequests.KEY;
import static io.github.lockstarter.web.RejectedRequests.UNTIL_PREPARED;
import static org.assertj.core.api.Assertions.assertThat;

class PreparedRejectionResolverTests {

	/**
	 * The number of times that a component of the application saw a conflict or its
	 * response.
	 */
	private static final AtomicInteger seen = new AtomicInteger();

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	@BeforeEach
	void reset() {
		seen.set(0);
	}

	@ParameterizedTest
	// Responses are prepared by controller and language.
	@CsvSource({ "/body, de", "/bare, fr", "/entity, it", "/nothing, es", "/headers, pt", "/number, nl", "/created, da",
			"/stage, sv", "/view, fi", "/task, nb", "/session, pl", "/service, cs" })
	@DisplayName("The first rejections use the exception handling, and later ones get the same response without it")
	void prepared(String path, String language) throws Exception {
		TestServer server = shared();
		RejectedRequests.described(server);
		List<HttpResponse<String>> first = RejectedRequests.send(server, path, UNTIL_PREPARED, "Accept-Language",
				language);
		assertThat(RejectedRequests.described(server)).isPositive();
		List<HttpResponse<String>> later = RejectedRequests.send(server, path, 3, "Accept-Language", language);
		assertThat(RejectedRequests.described(server)).isZero();
		List<HttpResponse<String>> all = Stream.concat(first.stream(), later.stream()).toList();
		RejectedRequests.assertAlike(all, path);
		assertThat(all.stream().map(PreparedRejectionResolverTests::headers).distinct()).hasSize(1)
			.allSatisfy((names) -> assertThat(names).doesNotContain("set-cookie"));
	}

	@Test
	@DisplayName("With lock.web.prepared-rejections=false, each rejection uses the exception handling, and gets the same response")
	void switchedOff() throws Exception {
		try (TestServer server = start(Nothing.class, "lock.web.prepared-rejections=false")) {
			RejectedRequests.assertUnprepared(server, "/body");
		}
	}

	@Test
	@DisplayName("Each language, and each kind of client, has its own prepared response")
	void kinds() throws Exception {
		TestServer server = shared();
		for (int i = 0; i <= UNTIL_PREPARED; i++) {
			RejectedRequests.described(server);
			assertThat(rejected(server, "/body", "Accept-Language", "ja").body()).contains("処理中");
			assertThat(rejected(server, "/body", "Accept-Language", "en").body())
				.contains("Request already in progress");
			assertThat(rejected(server, "/body", "Accept", "application/json").body())
				.contains("Request already in progress");
		}
		assertThat(RejectedRequests.described(server)).isZero();
	}

	@Test
	@DisplayName("The content type is that of a problem, whatever the handler produces")
	void produces() throws Exception {
		TestServer server = shared();
		for (String path : List.of("/csv", "/json")) {
			RejectedRequests.assertAlike(RejectedRequests.send(server, path, 5), path);
		}
	}

	@Test
	@DisplayName("A path with a file extension gets the header that prevents browsers from executing the response")
	void files() throws Exception {
		TestServer server = shared();
		RejectedRequests.send(server, "/files/a", UNTIL_PREPARED);
		assertThat(rejected(server, "/files/a.bat").headers().firstValue("Content-Disposition"))
			.hasValue("inline;filename=f.txt");
	}

	@Test
	@DisplayName("A controller's own exception handler is called each time")
	void ownHandler() throws Exception {
		TestServer server = shared();
		assertThat(RejectedRequests.send(server, "/own", 4)).extracting(HttpResponse::body).containsOnly("own");
	}

	@ParameterizedTest
	@ValueSource(classes = { Nothing.class, IgnoredAcceptHeader.class })
	@DisplayName("A browser always gets the response of the application's error handling, whatever its content negotiation")
	void browser(Class<?> negotiation) throws Exception {
		try (TestServer server = start(negotiation)) {
			RejectedRequests.assertAlike(RejectedRequests.send(server, "/body", 3), "/body");
			assertThat(RejectedRequests.send(server, "/body", 3, "Accept", "text/html"))
				.allSatisfy((response) -> assertThat(response.headers().firstValue("Content-Type").orElseThrow())
					.isNotEqualTo("application/problem+json"));
		}
	}

	@Test
	@DisplayName("The rejection of a full queue has its own prepared response")
	void fullQueue() throws Exception {
		try (TestServer server = start(Nothing.class, "lock.max-waiters=1")) {
			LockRegistry registry = server.context().getBean(LockRegistry.class);
			CompletableFuture<HttpResponse<String>> waiter;
			try (Lease lease = registry.acquire(KEY, LockOptions.of(Duration.ofSeconds(30)))) {
				waiter = server.postAsync("/waits");
				LockInspector locks = server.context().getBean(LockInspector.class);
				Awaitility.await().until(() -> locks.waiters(KEY.name()) == 1);
				for (int i = 0; i <= UNTIL_PREPARED; i++) {
					RejectedRequests.described(server);
					assertThat(server.post("/waits").body()).contains("/problems/wait-queue-full");
				}
				assertThat(RejectedRequests.described(server)).isZero();
				assertThat(lease.isHeld()).isTrue();
			}
			assertThat(waiter.join().statusCode()).isEqualTo(200);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnHandler.class, OwnResolver.class, OwnBodyAdvice.class, OwnInterceptor.class,
			OwnErrorInterceptor.class, OwnAspect.class, OwnFilter.class })
	@DisplayName("An application component that observes conflicts or changes responses sees each of them")
	void observed(Class<?> observer) throws Exception {
		try (TestServer server = start(observer)) {
			RejectedRequests.send(server, "/body", 4);
			// The client may get its response before the request has ended.
			Awaitility.await().untilAsserted(() -> assertThat(seen).hasValue(4));
		}
	}

	@Test
	@DisplayName("No interceptor is called after a rejection")
	void notHandled() throws Exception {
		try (TestServer server = start(AfterHandlers.class)) {
			RejectedRequests.send(server, "/body", 3);
			assertThat(seen).hasValue(0);
			server.post("/body");
			Awaitility.await().untilAsserted(() -> assertThat(seen).hasValue(1));
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnSupport.class, OwnMapping.class })
	@DisplayName("A request is rejected even if the application has no other Spring MVC interceptors")
	void withoutInterceptors(Class<?> configuration) throws Exception {
		try (TestServer server = start(configuration)) {
			assertThat(RejectedRequests.send(server, "/entity", 4)).extracting(HttpResponse::statusCode)
				.containsOnly(409);
		}
	}

	@Test
	@DisplayName("A request to a handler with a response writer parameter is rejected, even if its controller has a prepared response")
	void writer() throws Exception {
		TestServer server = shared();
		RejectedRequests.send(server, "/body", UNTIL_PREPARED);
		assertThat(RejectedRequests.send(server, "/writer", 2)).extracting(HttpResponse::statusCode).containsOnly(409);
		RejectedRequests.described(server);
		RejectedRequests.assertAlike(RejectedRequests.send(server, "/body", 2), "/body");
		assertThat(RejectedRequests.described(server)).isZero();
	}

	@Test
	@DisplayName("The response to a forwarded request has the path that the client requested")
	void forwarded() throws Exception {
		TestServer server = shared();
		RejectedRequests.send(server, "/body", UNTIL_PREPARED);
		assertThat(rejected(server, "/forwarded/x.bat").headers().firstValue("Content-Disposition"))
			.hasValue("inline;filename=f.txt");
	}

	@Test
	@DisplayName("A handler that calls itself through its proxy can catch the conflict of the inner call")
	void innerCall() throws Exception {
		TestServer server = shared();
		assertThat(RejectedRequests.send(server, "/outer", 2)).extracting(HttpResponse::body)
			.containsOnly("caught Lock 'hot' is held by another caller");
	}

	@Test
	@DisplayName("A response whose content differs each time is not prepared")
	void changing() throws Exception {
		try (TestServer server = start(TraceIds.class)) {
			assertThat(RejectedRequests.send(server, "/body", 4)).extracting(HttpResponse::body)
				.doesNotHaveDuplicates()
				.allSatisfy((body) -> assertThat(body).contains("\"trace\":"));
		}
	}

	private static HttpResponse<String> rejected(TestServer server, String path, String... headers) {
		return RejectedRequests.send(server, path, 1, headers).get(0);
	}

	private static Set<String> headers(HttpResponse<String> response) {
		// The framing of the body depends on the container.
		return response.headers()
			.map()
			.keySet()
			.stream()
			.filter((name) -> !Set.of("content-length", "transfer-encoding").contains(name))
			.collect(Collectors.toSet());
	}

	private static TestServer shared() {
		return servers.get(sources(Nothing.class), "lock.store=memory");
	}

	private static TestServer start(Class<?> more, String... properties) {
		String[] all = Stream.concat(Stream.of("lock.store=memory"), Stream.of(properties)).toArray(String[]::new);
		return TestServer.start(sources(more), all);
	}

	private static Class<?>[] sources(Class<?> more) {
		return new Class<?>[] { TestServer.CompleteApplication.class, CountedResponses.class, Bodies.class, Views.class,
				Sessions.class, OwnResponses.class, CallsItself.class, Service.class, more };
	}

	static class Nothing {

	}

	@RestController
	static class Bodies {

		private final Service service;

		Bodies(Service service) {
			this.service = service;
		}

		@PostMapping("/body")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String body(@RequestParam(required = false) String any) {
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
		CompletableFuture<String> stage(@RequestParam(required = false) String any) {
			return CompletableFuture.completedFuture("ran");
		}

		@PostMapping("/task")
		@ExclusiveRequest(name = "hot", key = "'key'")
		Callable<String> task(@RequestParam(required = false) String any) {
			return () -> "ran";
		}

		@PostMapping("/waits")
		@ExclusiveRequest(name = "hot", key = "'key'", waitTime = "30s")
		String waits(@RequestParam(required = false) String any) {
			return "ran";
		}

		@PostMapping("/headers")
		@ExclusiveRequest(name = "hot", key = "'key'")
		HttpHeaders headers(@RequestParam(required = false) String any) {
			return new HttpHeaders();
		}

		@PostMapping(path = "/csv", produces = "text/csv")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String csv(@RequestParam(required = false) String any) {
			return "ran";
		}

		@PostMapping(path = "/json", produces = "application/json")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String json(@RequestParam(required = false) String any) {
			return "ran";
		}

		@PostMapping("/files/{name}")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String file() {
			return "ran";
		}

		@PostMapping("/writer")
		@ExclusiveRequest(name = "hot", key = "'key'")
		void writer(Writer writer) {
		}

		@PostMapping("/bare")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String bare() {
			return "ran";
		}

		@PostMapping("/service")
		String service() {
			return this.service.call();
		}

		@PostMapping("/number")
		@ExclusiveRequest(name = "hot", key = "'key'")
		int number(@RequestParam(required = false) String any) {
			return 1;
		}

		@PostMapping("/created")
		@ResponseStatus(HttpStatus.CREATED)
		@ExclusiveRequest(name = "hot", key = "'key'")
		String created(@RequestParam(required = false) String any) {
			return "ran";
		}

	}

	@Controller
	static class Views {

		@PostMapping("/forwarded/{name}")
		String forward() {
			return "forward:/body";
		}

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

	static class Service {

		@ExclusiveRequest(name = "hot", key = "'key'")
		String call() {
			return "ran";
		}

	}

	@RestController
	static class OwnResponses {

		@PostMapping("/own")
		@ExclusiveRequest(name = "hot", key = "'key'")
		String own(@RequestParam(required = false) String any) {
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

	static class IgnoredAcceptHeader implements WebMvcConfigurer {

		@Override
		public void configureContentNegotiation(ContentNegotiationConfigurer negotiation) {
			negotiation.ignoreAcceptHeader(true).favorParameter(true);
		}

	}

	@RestController
	static class CallsItself {

		private final ObjectProvider<CallsItself> proxy;

		CallsItself(ObjectProvider<CallsItself> proxy) {
			this.proxy = proxy;
		}

		@PostMapping("/outer")
		@ExclusiveRequest(name = "hot", key = "#key ?: 'outer'")
		String outer(@RequestParam(required = false) String key) {
			try {
				return String.valueOf(this.proxy.getObject().outer("key"));
			}
			catch (LockConflictException ex) {
				return "caught " + ex.getMessage();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnSupport extends WebMvcConfigurationSupport {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnMapping {

		@Bean
		static RequestMappingHandlerMapping ownMapping() {
			RequestMappingHandlerMapping mapping = new RequestMappingHandlerMapping();
			mapping.setOrder(-1);
			return mapping;
		}

	}

	@JacksonComponent
	static class TraceIds extends ValueSerializer<ProblemDetail> {

		@Override
		public void serialize(ProblemDetail problem, JsonGenerator json, SerializationContext context) {
			json.writeStartObject();
			json.writeStringProperty("instance", String.valueOf(problem.getInstance()));
			json.writePOJOProperty("retryAfterMillis", problem.getProperties().get("retryAfterMillis"));
			json.writeNumberProperty("trace", seen.incrementAndGet());
			json.writeEndObject();
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
