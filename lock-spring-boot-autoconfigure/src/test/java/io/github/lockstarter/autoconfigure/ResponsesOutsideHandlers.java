package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.util.Assert;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Failures that get their response outside the handler and its advice, as Spring Security
 * and retries do.
 */
final class ResponsesOutsideHandlers {

	static final CountDownLatch disconnected = new CountDownLatch(1);

	private ResponsesOutsideHandlers() {
	}

	@RestController
	@ExclusiveRequest(name = "others", key = "header('Idempotency-Key')", replay = "1h", keep = "all")
	static class Handlers {

		private final Runs runs;

		Handlers(Runs runs) {
			this.runs = runs;
		}

		private String next(String run) {
			return "run " + this.runs.next(run).number();
		}

		@PostMapping("/denied")
		Mono<String> denied(@RequestParam String run) {
			return Mono.error(() -> new Denied(next(run)));
		}

		@PostMapping("/direct")
		Mono<String> direct(@RequestParam String run) {
			return Mono.error(() -> new Direct(next(run)));
		}

		@GetMapping("/headed")
		Mono<String> headed(@RequestParam String run) {
			return Mono.error(() -> new Encoded(next(run)));
		}

		@GetMapping("/headed-error-page")
		Mono<String> headedErrorPage(@RequestParam String run) {
			return Mono.error(() -> new ResponseStatusException(HttpStatus.BAD_GATEWAY, next(run)));
		}

		@PostMapping("/rewritten")
		ResponseEntity<String> rewritten(@RequestParam String run) {
			throw new Rewritten(next(run));
		}

		@PostMapping("/large-failure")
		ResponseEntity<String> largeFailure(@RequestParam String run) throws InterruptedException {
			String next = next(run);
			disconnected.await();
			throw new Large(next);
		}

		@ExceptionHandler
		ResponseEntity<String> large(Large exception) {
			return ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED).body(exception.getMessage().repeat(5000));
		}

		@PostMapping("/encoded")
		ResponseEntity<byte[]> encoded(@RequestParam String run) {
			return encoded(HttpStatus.OK, next(run));
		}

		@PostMapping("/encoded-failure")
		ResponseEntity<byte[]> encodedFailure(@RequestParam String run) {
			throw new Encoded(next(run));
		}

		@ExceptionHandler
		ResponseEntity<byte[]> encoded(Encoded exception) {
			return encoded(HttpStatus.PAYMENT_REQUIRED, exception.getMessage());
		}

		private static ResponseEntity<byte[]> encoded(HttpStatus status, String text) {
			return ResponseEntity.status(status)
				.header(HttpHeaders.CONTENT_ENCODING, "x-own")
				.body(text.getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/rethrown")
		ResponseEntity<String> rethrown(@RequestParam String run) {
			throw new ReplayedResponses.Rethrown(next(run));
		}

	}

	private static Advisor advisor(MethodInterceptor advice) {
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
				AnnotationMatchingPointcut.forMethodAnnotation(Again.class), advice);
		advisor.setOrder(Integer.MIN_VALUE);
		return advisor;
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Again {

	}

	/** In Spring MVC: a filter, and a handler that writes to the response itself. */
	@RestController
	static class Servlet {

		private final Runs runs;

		Servlet(Runs runs) {
			this.runs = runs;
		}

		@Bean
		static OncePerRequestFilter security() {
			return new OncePerRequestFilter() {

				@Override
				protected boolean shouldNotFilterAsyncDispatch() {
					return false;
				}

				@Override
				protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response,
						FilterChain chain) throws ServletException, IOException {
					try {
						chain.doFilter(request, response);
					}
					catch (ServletException ex) {
						if (!(ex.getCause() instanceof Denied denied)) {
							throw ex;
						}
						response.setStatus(HttpServletResponse.SC_FORBIDDEN);
						response.getWriter().print("denied " + denied.getMessage());
					}
				}

			};
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor again() {
			return advisor((invocation) -> {
				try {
					return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
				}
				catch (IllegalStateException ex) {
					return invocation.proceed();
				}
			});
		}

		@Again
		@PostMapping("/retried")
		@ExclusiveRequest(name = "others", key = "header('Idempotency-Key')", replay = "1h", keep = "all")
		String retried(@RequestParam String run) {
			int number = this.runs.next(run).number();
			Assert.state(number != 1, "first");
			return "run " + number;
		}

		@PostMapping("/status-set-by-task")
		@ExclusiveRequest(name = "set", key = "header('Idempotency-Key')", replay = "1h")
		CompletableFuture<String> statusSetByTask(@RequestParam String run, HttpServletResponse response) {
			int number = this.runs.next(run).number();
			return CompletableFuture.supplyAsync(() -> {
				response.setStatus(HttpServletResponse.SC_CREATED);
				return "run " + number;
			});
		}

		@PostMapping("/status-set-by-mono")
		@ExclusiveRequest(name = "set", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> statusSetByMono(@RequestParam String run, HttpServletResponse response) {
			return Mono.fromSupplier(() -> {
				response.setStatus(HttpServletResponse.SC_CREATED);
				return "run " + this.runs.next(run).number();
			});
		}

	}

	@ControllerAdvice
	static class ServletAdvice {

		@ExceptionHandler
		void rewritten(Rewritten exception, HttpServletResponse response) throws IOException {
			response.setStatus(HttpServletResponse.SC_PAYMENT_REQUIRED);
			PrintWriter writer = response.getWriter();
			writer.print("too early");
			response.resetBuffer();
			writer.print(exception.getMessage());
		}

		@ExceptionHandler
		void direct(Direct exception) throws IOException {
			ServletRequestAttributes request = (ServletRequestAttributes) RequestContextHolder
				.currentRequestAttributes();
			HttpServletResponse response = Objects.requireNonNull(request.getResponse());
			response.setStatus(HttpServletResponse.SC_PAYMENT_REQUIRED);
			response.getOutputStream().print(exception.getMessage());
		}

	}

	/** In Spring WebFlux. */
	@RestController
	static class Reactive {

		private final Runs runs;

		Reactive(Runs runs) {
			this.runs = runs;
		}

		@Bean
		@Order(-50)
		static WebExceptionHandler security() {
			return (exchange,
					failure) -> (failure instanceof Denied || failure instanceof Direct || failure instanceof Rewritten)
							? write(exchange,
									(failure instanceof Denied) ? HttpStatus.FORBIDDEN : HttpStatus.PAYMENT_REQUIRED,
									"denied " + failure.getMessage())
							: Mono.error(failure);
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor again() {
			return advisor((invocation) -> ((Mono<?>) Objects.requireNonNull(invocation.proceed())).retry(1));
		}

		@Again
		@PostMapping("/retried")
		@ExclusiveRequest(name = "others", key = "header('Idempotency-Key')", replay = "1h", keep = "all")
		Mono<String> retried(@RequestParam String run) {
			return Mono.defer(() -> {
				String next = "run " + this.runs.next(run).number();
				return next.equals("run 1") ? Mono.error(new IllegalStateException("first")) : Mono.just(next);
			});
		}

		@PostMapping("/written")
		@ExclusiveRequest(name = "written", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> written(@RequestParam String run, ServerWebExchange exchange) {
			return Mono.defer(() -> write(exchange, HttpStatus.OK, "run " + this.runs.next(run).number()))
				.then(Mono.empty());
		}

		private static Mono<Void> write(ServerWebExchange exchange, HttpStatus status, String text) {
			exchange.getResponse().setStatusCode(status);
			return exchange.getResponse()
				.writeWith(
						Mono.just(exchange.getResponse().bufferFactory().wrap(text.getBytes(StandardCharsets.UTF_8))));
		}

	}

	private static class Denied extends RuntimeException {

		Denied(String message) {
			super(message);
		}

	}

	private static class Rewritten extends RuntimeException {

		Rewritten(String message) {
			super(message);
		}

	}

	private static class Large extends RuntimeException {

		Large(String message) {
			super(message);
		}

	}

	private static class Encoded extends RuntimeException {

		Encoded(String message) {
			super(message);
		}

	}

	private static class Direct extends RuntimeException {

		Direct(String message) {
			super(message);
		}

	}

}
