package io.github.lockstarter.web.reactive;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.config.WebFluxConfigurer;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

class ConflictWriterTests {

	private static final LockKey KEY = new LockKey("hot", "key");

	/** How often the exception handling has asked for the words of an answer. */
	private static final AtomicInteger worded = new AtomicInteger();

	/** How often something of the application has seen a conflict or its answer. */
	private static final AtomicInteger seen = new AtomicInteger();

	@ParameterizedTest
	@ValueSource(strings = { "/mono", "/entity" })
	@DisplayName("The first refusal takes the way of an error; the same answer is ready for those that follow, but for the time")
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
			assertThat(answers.stream().map((answer) -> answer.body().replaceAll("\\d{4,}", "")).distinct()).hasSize(1);
			assertThat(answers.get(3).body()).contains("\"instance\":\"%s\"".formatted(path))
				.containsPattern("\"retryAfterMillis\":(2\\d{4}|30000)\\b");
			assertThat(server.post(path).body()).isEqualTo("ran");
		}
	}

	@Test
	@DisplayName("A handler of a body is refused by an error each time")
	void body() throws Exception {
		try (TestServer server = start()) {
			refused(server, "/body", 1);
			int once = worded.getAndSet(0);
			assertThat(refused(server, "/body", 2)).extracting(HttpResponse::statusCode).containsOnly(409);
			assertThat(once).isPositive();
			assertThat(worded).hasValue(2 * once);
		}
	}

	@Test
	@DisplayName("A browser gets the application's error page each time")
	void browser() throws Exception {
		try (TestServer server = start()) {
			assertThat(refused(server, "/mono", 3, "Accept", "text/html"))
				.allSatisfy((answer) -> assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
					.startsWith("text/html"));
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnHandler.class, OwnErrorInterceptor.class, OwnAspect.class })
	@DisplayName("Whatever an application has that sees conflicts or changes answers sees each of them")
	void observed(Class<?> observer) throws Exception {
		try (TestServer server = start(observer)) {
			refused(server, "/mono", 4);
			assertThat(seen).hasValue(4);
		}
	}

	private static TestServer start() {
		return start(Nothing.class);
	}

	private static TestServer start(Class<?> more) {
		worded.set(0);
		seen.set(0);
		SpringApplication application = new SpringApplication(TestServer.Application.class, Words.class, Handlers.class,
				more);
		application.setWebApplicationType(WebApplicationType.REACTIVE);
		return TestServer.start(application, "lock.store=memory");
	}

	/** Asks while the lock is held. */
	private static List<HttpResponse<String>> refused(TestServer server, String path, int times, String... headers) {
		LockRegistry registry = server.context().getBean(LockRegistry.class);
		try (Lease lease = registry.acquire(KEY, LockOptions.of(Duration.ofSeconds(30)))) {
			assertThat(lease.isHeld()).isTrue();
			return IntStream.range(0, times).mapToObj((i) -> server.postAsync(path, headers).join()).toList();
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
