package io.github.lockstarter.web.reactive;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.accept.RequestedContentTypeResolver;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityResultHandler;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;
import io.github.lockstarter.web.RejectedRequests;
import io.github.lockstarter.web.RejectedRequests.CountedResponses;

import static io.github.lockstarter.web.RejectedRequests.UNTIL_PREPARED;
import static org.assertj.core.api.Assertions.assertThat;

class PreparedRejectionWriterTests {

	/**
	 * The number of times that a component of the application saw a conflict or its
	 * response.
	 */
	private static final AtomicInteger seen = new AtomicInteger();

	@ParameterizedTest
	@ValueSource(strings = { "/mono", "/entity" })
	@DisplayName("The first rejections use the exception handling, and later ones get the same response without it")
	void prepared(String path) throws Exception {
		try (TestServer server = start()) {
			List<HttpResponse<String>> first = RejectedRequests.send(server, path, UNTIL_PREPARED);
			assertThat(RejectedRequests.described(server)).isPositive();
			List<HttpResponse<String>> later = RejectedRequests.send(server, path, 3);
			assertThat(RejectedRequests.described(server)).isZero();
			RejectedRequests.assertAlike(Stream.concat(first.stream(), later.stream()).toList(), path);
			assertThat(server.post(path).body()).isEqualTo("ran");
		}
	}

	@Test
	@DisplayName("With lock.web.prepared-rejections=false, each rejection uses the exception handling, and gets the same response")
	void switchedOff() throws Exception {
		try (TestServer server = start(Nothing.class, "lock.web.prepared-rejections=false")) {
			RejectedRequests.assertUnprepared(server, "/mono");
		}
	}

	@Test
	@DisplayName("A handler that calls itself through its proxy can catch the conflict of the inner call")
	void innerCall() throws Exception {
		try (TestServer server = start(CallsItself.class)) {
			RejectedRequests.send(server, "/outer?key=key", UNTIL_PREPARED);
			assertThat(RejectedRequests.send(server, "/outer?key=outer", 2)).extracting(HttpResponse::body)
				.containsOnly("caught");
		}
	}

	@Test
	@DisplayName("A request to a handler that returns a body is rejected by an error each time, even if its controller has prepared responses")
	void body() throws Exception {
		try (TestServer server = start()) {
			RejectedRequests.send(server, "/mono", UNTIL_PREPARED);
			RejectedRequests.described(server);
			RejectedRequests.assertAlike(RejectedRequests.send(server, "/body", 3), "/body");
			assertThat(RejectedRequests.described(server)).isPositive();
		}
	}

	@Test
	@DisplayName("An application's own writer of entities writes each conflict")
	void secondWriter() throws Exception {
		try (TestServer server = start(OwnEntityWriter.class)) {
			RejectedRequests.assertAlike(RejectedRequests.send(server, "/mono", 4), "/mono");
			// For each request: once the handler's result, which signals the conflict,
			// and once the response.
			assertThat(seen).hasValue(4 * 2);
		}
	}

	@Test
	@DisplayName("A browser always gets the application's error page")
	void browser() throws Exception {
		try (TestServer server = start()) {
			assertThat(RejectedRequests.send(server, "/mono", 3, "Accept", "text/html"))
				.allSatisfy((response) -> assertThat(response.headers().firstValue("Content-Type").orElseThrow())
					.startsWith("text/html"));
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnHandler.class, OwnErrorInterceptor.class, OwnAspect.class })
	@DisplayName("An application component that observes conflicts or changes responses sees each of them")
	void observed(Class<?> observer) throws Exception {
		try (TestServer server = start(observer)) {
			RejectedRequests.send(server, "/mono", 4);
			assertThat(seen).hasValue(4);
		}
	}

	private static TestServer start() {
		return start(Nothing.class);
	}

	private static TestServer start(Class<?> more, String... properties) {
		seen.set(0);
		SpringApplication application = new SpringApplication(TestServer.CompleteApplication.class,
				CountedResponses.class, Handlers.class, more);
		application.setWebApplicationType(WebApplicationType.REACTIVE);
		return TestServer.start(application,
				Stream.concat(Stream.of("lock.store=memory"), Stream.of(properties)).toArray(String[]::new));
	}

	static class Nothing {

	}

	@RestController
	static class Handlers {

		@PostMapping("/mono")
		@ExclusiveRequest(name = "hot", key = "'key'")
		Mono<ResponseEntity<String>> mono() {
			return Mono.just(ResponseEntity.ok("ran"));
		}

		@PostMapping("/entity")
		@ExclusiveRequest(name = "hot", key = "'key'")
		ResponseEntity<Mono<String>> entity() {
			return ResponseEntity.ok(Mono.just("ran"));
		}

		@PostMapping("/body")
		@ExclusiveRequest(name = "hot", key = "'key'")
		Mono<String> body() {
			return Mono.just("ran");
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

	@RestController
	static class CallsItself {

		private final ObjectProvider<CallsItself> proxy;

		CallsItself(ObjectProvider<CallsItself> proxy) {
			this.proxy = proxy;
		}

		@PostMapping("/outer")
		@ExclusiveRequest(name = "hot", key = "#key")
		Mono<ResponseEntity<String>> outer(@RequestParam String key) {
			return this.proxy.getObject()
				.outer("key")
				.onErrorResume(LockConflictException.class, (conflict) -> Mono.just(ResponseEntity.ok("caught")));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnEntityWriter {

		@Bean
		static ResponseEntityResultHandler countingEntityWriter(ServerCodecConfigurer codecs,
				@Qualifier("webFluxContentTypeResolver") RequestedContentTypeResolver contentTypes) {
			ResponseEntityResultHandler writer = new ResponseEntityResultHandler(codecs.getWriters(), contentTypes) {

				@Override
				public Mono<Void> handleResult(ServerWebExchange exchange, HandlerResult result) {
					seen.incrementAndGet();
					return super.handleResult(exchange, result);
				}

			};
			writer.setOrder(-1);
			return writer;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnErrorInterceptor implements WebFluxConfigurer {

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
				Object result = invocation.proceed();
				return (result instanceof Mono<?> mono)
						? mono.doOnError(LockConflictException.class, (conflict) -> seen.incrementAndGet()) : result;
			};
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					AnnotationMatchingPointcut.forMethodAnnotation(ExclusiveRequest.class), counting);
			advisor.setOrder(0);
			return advisor;
		}

	}

}
